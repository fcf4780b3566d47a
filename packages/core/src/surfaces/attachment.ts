import { create } from 'content-disposition'
import type { RawReply } from '../gateway/raw.ts'

/** A file that browsers save under its name and never display, whatever its content. */
export function attachment({ name, bytes }: { name: string; bytes: Uint8Array }): RawReply {
  const disposition = create(name, { fallback: name.replace(/[^\w .()-]/g, '_') })
  return { headers: { 'Content-Disposition': disposition }, body: bytes }
}
