import { isUtf8 } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { checkLength } from './limits.ts'
import { type DocumentSource, readInParts } from './source.ts'

/**
 * Text from bytes whose encoding may be unknown: a byte order mark decides, then `label`, then UTF-8 where it is valid. Else each
 * line is read as what it most looks like, UTF-8 or Windows-1252, so that files pasted together from both are readable.
 * What is valid in no encoding becomes U+FFFD; nothing is rejected.
 * @param label an encoding that was named with the bytes, such as `iso-8859-1`; one that is unknown is ignored
 */
export const decodeText = (bytes: Uint8Array, label?: string): string =>
  [...decodeParts(bytes, label)].join('')

/** The same, one part after the other: of a large file neither bytes nor text are in memory as a whole, unless it is in several encodings. */
export function* decodeParts(source: DocumentSource, label?: string): Generator<string> {
  const [{ bytes: head } = { bytes: nothing }] = readInParts(source)
  const marked = byMark(head) ?? (label === undefined ? undefined : byLabel(label)) ?? byZeros(head)
  if (marked && marked !== 'utf-8') yield* decoded(source, marked)
  else if (isUtf8Throughout(source)) yield* decoded(source, 'utf-8')
  else yield decodeLines(source instanceof Uint8Array ? source : readFileSync(source.path))
}

/** The text of a document that is nothing but text. @throws ParseFault `too_large` */
export function decodeDocument(source: DocumentSource): string {
  let text = ''
  for (const part of decodeParts(source)) {
    text += part
    checkLength(text.length)
  }
  return text
}

function* decoded(source: DocumentSource, encoding: string): Generator<string> {
  const decoder = new TextDecoder(encoding)
  for (const { bytes, isLast } of readInParts(source)) yield decoder.decode(bytes, { stream: !isLast })
}

function isUtf8Throughout(source: DocumentSource): boolean {
  if (source instanceof Uint8Array) return isUtf8(source)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for (const { bytes, isLast } of readInParts(source)) decoder.decode(bytes, { stream: !isLast })
    return true
  } catch {
    return false
  }
}

const nothing = new Uint8Array()
const utf8 = new TextDecoder()
const western = new TextDecoder('windows-1252')

function byMark([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  return undefined
}

function byLabel(label: string): string | undefined {
  try {
    return new TextDecoder(label.trim()).encoding
  } catch {
    return undefined
  }
}

/** UTF-16 without a mark: in most languages one byte of each pair is often zero, and the other is not. */
function byZeros(bytes: Uint8Array): string | undefined {
  const head = bytes.subarray(0, 4096)
  const zeros = [0, 0]
  for (const [at, byte] of head.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  const least = Math.max(2, head.length / 8)
  if (odd > least && even < odd / 8) return 'utf-16le'
  if (even > least && odd < even / 8) return 'utf-16be'
  return undefined
}

/** Lines of a large file are taken together, so that their number is bounded. */
function decodeLines(bytes: Uint8Array): string {
  const least = Math.floor(bytes.length / 100_000)
  const parts: string[] = []
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(0x0a, start + least)
    const end = found < 0 ? bytes.length : found + 1
    const line = bytes.subarray(start, end)
    parts.push(decodeLine(line))
    start = end
  }
  return parts.join('')
}

function decodeLine(line: Uint8Array): string {
  const text = utf8.decode(line)
  if (isUtf8(line)) return text
  const broken = text.match(/\ufffd/g)?.length ?? 0
  const whole = text.match(/[^\0-\x7f\ufffd]/g)?.length ?? 0
  return whole > broken ? text : western.decode(line)
}
