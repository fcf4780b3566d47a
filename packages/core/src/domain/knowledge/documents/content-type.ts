import { isUtf8 } from 'node:buffer'

const signatures: ReadonlyArray<readonly [type: string, at: number, bytes: string]> = [
  ['application/pdf', 0, '%PDF-'],
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF87a'],
  ['image/gif', 0, 'GIF89a'],
  ['image/webp', 8, 'WEBPVP8'],
]

const office = 'application/vnd.openxmlformats-officedocument'

/** The part that makes an archive a document of one kind; names stand in it as they are. */
const officeParts: ReadonlyArray<readonly [part: string, type: string]> = [
  ['word/document.xml', `${office}.wordprocessingml.document`],
  ['xl/workbook.xml', `${office}.spreadsheetml.sheet`],
  ['ppt/presentation.xml', `${office}.presentationml.presentation`],
]

const textEndings: Readonly<Record<string, string>> = { md: 'text/markdown', csv: 'text/csv' }

/**
 * What a file is by what is in it. Of a text only the kind of text goes by its name.
 * @returns undefined for what is not taken: programs, archives, whatever is not known
 */
// Not `file-type`: it unpacks archives, hostile ones too, and knows nothing of texts.
export function contentTypeOf(bytes: Uint8Array, name: string): string | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (const [type, at, signature] of signatures)
    if (buffer.toString('latin1', at, at + signature.length) === signature) return type
  if (buffer.toString('latin1', 0, 4) === 'PK\x03\x04') {
    if (!buffer.includes('[Content_Types].xml')) return undefined
    return officeParts.find(([part]) => buffer.includes(part))?.[1]
  }
  if (!isText(bytes)) return undefined
  return textEndings[/\.(\w+)$/.exec(name.toLowerCase())?.[1] ?? ''] ?? 'text/plain'
}

/** UTF-8 without control characters but those that lay a text out. */
function isText(bytes: Uint8Array): boolean {
  if (bytes.byteLength === 0 || !isUtf8(bytes)) return false
  // By index: an iterator takes a dozen times as long, and files are large.
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number
    if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13) return false
  }
  return true
}
