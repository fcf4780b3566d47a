import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import type { HtmlBlock } from './html-frames.ts'
import { type ScannedHtml, scanHtml } from './html-scan.ts'

/** Readability goes over its tree many times; pages beyond this are taken without it. */
const mostNodes = 30_000
const deepest = 100
/** In characters. */
export const longestArticle = 4_000_000

/**
 * The content of a page without menus, footers and the like. Readability looks for an article; where it finds a small part of the
 * page only, as on pages of many sections, all is taken that the page does not mark as something else.
 */
export function selectMainText(html: string, scanned: ScannedHtml): HtmlBlock[] {
  const { blocks, nodes, depth } = scanned
  const content = contentOf(scanned)
  if (nodes > mostNodes || depth > deepest || html.length > longestArticle) return content
  const left = new Set(blocks.filter(({ boilerplate }) => boilerplate).map(({ text }) => text))
  const article = readArticle(html).filter(({ text }) => !left.has(text))
  return lengthOf(article) * 3 < lengthOf(content) ? content : withHeadings(article, content)
}

/** All that the page does not mark as something else. */
export function contentOf({ blocks }: ScannedHtml): HtmlBlock[] {
  const marked = blocks.filter(({ boilerplate }) => !boilerplate)
  return marked.length > 0 ? marked : blocks
}

/** Readability takes the title of an article out, and lowers its other headings of the first level. */
function withHeadings(article: readonly HtmlBlock[], content: readonly HtmlBlock[]): HtmlBlock[] {
  const headings = content.filter(({ kind }) => kind === 'heading')
  const levels = new Map(headings.map(({ text, level }) => [text, level]))
  const blocks = article.map((block) =>
    block.kind === 'heading' ? { ...block, level: levels.get(block.text) ?? block.level } : block,
  )
  const title = headings.find(({ level }) => level === 1)
  return title && !article.some(({ text }) => text === title.text) ? [title, ...blocks] : blocks
}

function readArticle(html: string): HtmlBlock[] {
  const { document } = parseHTML(html)
  const found = new Readability(document, { disableJSONLD: true }).parse()
  return scanHtml(found?.content ?? '').blocks
}

const lengthOf = (blocks: readonly HtmlBlock[]) => blocks.reduce((sum, { text }) => sum + text.length, 0)
