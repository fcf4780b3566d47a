/** A part is cut at empty lines beyond this, and beyond twice of it at any line that may begin something. */
const longPart = 8_192

type LineTest = (line: string) => boolean

/**
 * Cuts Markdown before headings, and where parts grow long, but not within code or comments: some patterns of the lexer take time
 * that grows with the square of the text.
 */
export function* splitMarkdown(text: string): Generator<string> {
  let start = 0
  let isAfterEmpty = false
  /** What ends the code or comment that a line is in. */
  let isEnd: LineTest | undefined
  for (let at = 0; at < text.length; ) {
    const found = text.indexOf('\n', at)
    const end = found < 0 ? text.length : found + 1
    const line = text.slice(at, end)
    const isHeading = isAfterEmpty && /^#{1,6}\s/.test(line)
    // A line that begins with a bar belongs to the table above it.
    if (!isEnd && (isHeading || (isTooLong(at - start, isAfterEmpty) && /^[^\s|]/.test(line)))) {
      yield text.slice(start, at)
      start = at
    }
    isEnd = isEnd ? (isEnd(line) ? undefined : isEnd) : endOfOpened(line)
    isAfterEmpty = line.trim() === ''
    at = end
  }
  yield text.slice(start)
}

const isTooLong = (length: number, isAfterEmpty: boolean) => length > (isAfterEmpty ? longPart : longPart * 2)

function endOfOpened(line: string): LineTest | undefined {
  const [, ticks, tildes] = /^ {0,3}(?:(`{3,})[^`]*|(~{3,}).*)$/.exec(line.trimEnd()) ?? []
  const fence = ticks ?? tildes
  if (fence) return (next) => isFence(next.trim(), fence)
  return line.lastIndexOf('<!--') > line.lastIndexOf('-->') ? (next) => next.includes('-->') : undefined
}

/** Code ends with the mark that it begins with, or a longer one. */
const isFence = (line: string, fence: string) =>
  line.length >= fence.length && line.replaceAll(fence.charAt(0), '') === ''
