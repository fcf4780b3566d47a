import type { RawReply } from '../gateway/raw.ts'

/** A file that browsers save under its name and never show, whatever is in it. */
export function attachment({ name, bytes }: { name: string; bytes: Uint8Array }): RawReply {
  const plain = name.replace(/[^\w .()-]/g, '_')
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`)
  return {
    headers: { 'Content-Disposition': `attachment; filename="${plain}"; filename*=UTF-8''${encoded}` },
    body: bytes,
  }
}
