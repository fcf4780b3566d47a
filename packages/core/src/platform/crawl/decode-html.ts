/** How much of a page is searched for the name of its charset, bytes. */
const headBytes = 1_024

/**
 * The text of an HTML page: by its byte order mark, the charset of its Content-Type or its meta tag, or else as UTF-8, and where it is
 * not that as Windows-1252.
 */
export function decodeHtml(bytes: Uint8Array, contentType: string): string {
  const named = markOf(bytes) ?? charsetIn(contentType) ?? charsetIn(headOf(bytes))
  const decoder = named === undefined ? undefined : decoderOf(named)
  if (decoder) return decoder.decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

function markOf([a, b, c]: Uint8Array): string | undefined {
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8'
  if (a === 0xff && b === 0xfe) return 'utf-16le'
  return a === 0xfe && b === 0xff ? 'utf-16be' : undefined
}

/** The beginning of the page, of its meta tags only. */
function headOf(bytes: Uint8Array): string {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, headBytes))
  return /<meta[^>]{0,200}charset[^>]{0,60}/i.exec(head)?.[0] ?? ''
}

function charsetIn(text: string): string | undefined {
  return /charset\s*=\s*["']?([^\s"';>/]+)/i.exec(text)?.[1]
}

function decoderOf(charset: string): TextDecoder | undefined {
  try {
    return new TextDecoder(charset)
  } catch {
    return undefined
  }
}
