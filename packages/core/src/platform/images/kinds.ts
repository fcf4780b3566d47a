import { isUtf8 } from 'node:buffer'
import type { RasterType } from './clean.ts'

/** What an asset may be. */
export type AssetType =
  | RasterType
  | 'image/svg+xml'
  | 'video/mp4'
  | 'video/quicktime'
  | 'video/webm'
  | 'application/pdf'

/** So many bytes of a file say what it is. */
export const headBytes = 4_096

const signatures: ReadonlyArray<readonly [type: AssetType, bytes: string]> = [
  ['application/pdf', '%PDF-'],
  ['image/png', '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/gif', 'GIF87a'],
  ['image/gif', 'GIF89a'],
]

const brands: Readonly<Record<string, AssetType>> = {
  avif: 'image/avif',
  'qt  ': 'video/quicktime',
  isom: 'video/mp4',
  iso2: 'video/mp4',
  iso4: 'video/mp4',
  iso5: 'video/mp4',
  iso6: 'video/mp4',
  mp41: 'video/mp4',
  mp42: 'video/mp4',
  avc1: 'video/mp4',
  dash: 'video/mp4',
  'M4V ': 'video/mp4',
}

/**
 * What a file is by its first bytes, whatever it is called.
 * @param head the first {@link headBytes}
 * @returns undefined for what is not taken
 */
// Not `file-type`: it reads on into archives, hostile ones too, and knows no SVG.
export function assetTypeOf(head: Uint8Array): AssetType | undefined {
  const buffer = Buffer.from(head.buffer, head.byteOffset, head.byteLength)
  const has = (at: number, text: string) => buffer.toString('latin1', at, at + text.length) === text
  for (const [type, signature] of signatures) if (has(0, signature)) return type
  if (has(0, 'RIFF') && has(8, 'WEBP')) return 'image/webp'
  if (has(4, 'ftyp')) return brands[buffer.toString('latin1', 8, 12)]
  if (has(0, '\x1a\x45\xdf\xa3')) return buffer.includes('webm') ? 'video/webm' : undefined
  return isSvg(buffer) ? 'image/svg+xml' : undefined
}

/** Behind what may stand before the outermost element. */
const beforeRoot = /^(?:\s|<\?[^>]*\?>|<!--(?:(?!-->)[^])*-->|<!DOCTYPE[^>[]*>)*/i

function isSvg(head: Buffer): boolean {
  const start = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0
  const text = head.subarray(start)
  // A character may be cut at the end of what is looked at.
  if (![0, 1, 2, 3].some((cut) => isUtf8(text.subarray(0, text.length - cut)))) return false
  return /^<svg[\s>/]/.test(text.toString('utf8').replace(beforeRoot, ''))
}
