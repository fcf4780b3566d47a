import { Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import type { HtmlBlock } from './html-frames.ts'
import { type ScannedHtml, scanHtml } from './html-scan.ts'

/** Readability goes over its tree many times; pages beyond this are taken without it. */
const mostNodes = 30_000
const deepest = 100
const longest = 4_000_000

/**
 * The content of a page without menus, footers and the like. Readability looks for an article; where it finds a small part of the
 * page only, as on pages of many sections, all is taken that the page does not mark as something else.
 */
export function selectMainText(html: string, { blocks, nodes, depth }: ScannedHtml): HtmlBlock[] {
  const marked = blocks.filter(({ boilerplate }) => !boilerplate)
  const content = marked.length > 0 ? marked : blocks
  if (nodes > mostNodes || depth > deepest || html.length > longest) return content
  const article = readArticle(html)
  if (lengthOf(article) * 3 < lengthOf(content)) return content
  // Readability takes the title out, because it gives it apart.
  const title = content.find(({ kind, level }) => kind === 'heading' && level === 1)
  return title && !article.some(({ text }) => text === title.text) ? [title, ...article] : article
}

function readArticle(html: string): HtmlBlock[] {
  const { document } = parseHTML(html)
  const found = new Readability(document, { disableJSONLD: true }).parse()
  return scanHtml(found?.content ?? '').blocks
}

const lengthOf = (blocks: readonly HtmlBlock[]) => blocks.reduce((sum, { text }) => sum + text.length, 0)
