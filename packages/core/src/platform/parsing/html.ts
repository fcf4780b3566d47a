import { decodeParts } from './decode.ts'
import { type HtmlBlock, toBlock } from './html-frames.ts'
import type { HtmlHead } from './html-head.ts'
import { type ScannedHtml, scanHtml } from './html-scan.ts'
import { createBlockList } from './limits.ts'
import { contentOf, longestArticle, selectMainText } from './main-text.ts'
import type { ParsedDocument } from './parsed.ts'
import { type DocumentSource, readInParts, sourceSize, wholeOf } from './source.ts'

/** A web page: its text, and what it says about itself. */
export interface HtmlPage extends Pick<HtmlHead, 'canonical' | 'links' | 'index' | 'follow'> {
  document: ParsedDocument
}

export interface HtmlOptions {
  /** Where the page is from, if that is known; its links are relative to it. */
  url?: string | undefined
  /** Leaves out menus, footers and what else is not the content of the page. Default: everything that is visible. */
  mainTextOnly?: boolean | undefined
}

/**
 * Reads HTML. Hidden elements, scripts, styles and the fields of forms are no text.
 * @throws ParseFault `too_deep` or `too_large`
 */
export function readHtml(html: string, { url, mainTextOnly = false }: HtmlOptions = {}): HtmlPage {
  const scanned = scanHtml(html, url)
  return toPage(scanned, mainTextOnly ? selectMainText(html, scanned) : scanned.blocks)
}

function toPage({ head }: ScannedHtml, blocks: readonly HtmlBlock[]): HtmlPage {
  const { title, language, canonical, links, index, follow } = head
  const list = createBlockList()
  for (const block of blocks) list.add(toBlock(block))
  return {
    document: { kind: 'html', title, language, pages: null, blocks: list.blocks },
    canonical,
    links,
    index,
    follow,
  }
}

/** Reads an HTML file that was uploaded, for its main text. @throws ParseFault as `readHtml` */
export async function parseHtmlFile(source: DocumentSource): Promise<ParsedDocument> {
  // No encoding has more bytes in a character: in what is larger no article is looked for.
  const isLong = (await sourceSize(source)) > 4 * longestArticle
  if (!isLong) return readHtml(decodeMarkup(await wholeOf(source)), { mainTextOnly: true }).document
  const scanned = scanHtml(markupParts(source))
  return toPage(scanned, contentOf(scanned)).document
}

/** @param charset that was sent with the page; else the page names its own */
export const decodeMarkup = (bytes: Uint8Array, charset?: string): string =>
  [...markupParts(bytes, charset)].join('')

function markupParts(source: DocumentSource, charset?: string): Generator<string> {
  if (charset !== undefined) return decodeParts(source, charset)
  const [part] = readInParts(source)
  const head = Buffer.from(part?.bytes.subarray(0, 4_096) ?? []).toString('latin1')
  const [, named] = /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(head) ?? []
  // It was readable as single bytes, so it is not what it says.
  return decodeParts(source, named && !/^utf-?16/i.test(named) ? named : undefined)
}
