import { isUtf8 } from 'node:buffer'
import { checkLength } from './limits.ts'

/**
 * Text from bytes whose encoding may be unknown: a byte order mark decides, then `label`, then UTF-8 where it is valid. Else each
 * line is read as what it most looks like, UTF-8 or Windows-1252, so that files pasted together from both are readable.
 * What is valid in no encoding becomes U+FFFD; nothing is rejected.
 * @param label an encoding that was named with the bytes, such as `iso-8859-1`; one that is unknown is ignored
 */
export function decodeText(bytes: Uint8Array, label?: string): string {
  const marked = byMark(bytes) ?? (label === undefined ? undefined : byLabel(label)) ?? byZeros(bytes)
  if (marked && marked.encoding !== 'utf-8') return marked.decode(bytes)
  return isUtf8(bytes) ? utf8.decode(bytes) : decodeLines(bytes)
}

/** The text of a document that is nothing but text. @throws ParseFault `too_large` */
export function decodeDocument(bytes: Uint8Array): string {
  const text = decodeText(bytes)
  checkLength(text.length)
  return text
}

const utf8 = new TextDecoder()
const western = new TextDecoder('windows-1252')

function byMark([first, second]: Uint8Array): TextDecoder | undefined {
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le')
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be')
  return undefined
}

function byLabel(label: string): TextDecoder | undefined {
  try {
    return new TextDecoder(label.trim())
  } catch {
    return undefined
  }
}

/** UTF-16 without a mark: in most languages one byte of each pair is often zero, and the other is not. */
function byZeros(bytes: Uint8Array): TextDecoder | undefined {
  const head = bytes.subarray(0, 4096)
  const zeros = [0, 0]
  for (const [at, byte] of head.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  const [even = 0, odd = 0] = zeros
  const least = Math.max(2, head.length / 8)
  if (odd > least && even < odd / 8) return new TextDecoder('utf-16le')
  if (even > least && odd < even / 8) return new TextDecoder('utf-16be')
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
