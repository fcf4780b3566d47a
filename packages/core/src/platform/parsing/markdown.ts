import { Lexer, type Token, type Tokens } from 'marked'
import { decodeDocument } from './decode.ts'
import { toBlock } from './html-frames.ts'
import { scanHtml } from './html-scan.ts'
import { createBlockList } from './limits.ts'
import { splitMarkdown } from './markdown-parts.ts'
import type { Block, HeadingLevel, ParsedDocument } from './parsed.ts'
import type { DocumentSource } from './source.ts'
import { paragraphsOf } from './text.ts'

/**
 * Reads Markdown: paragraphs, lists and tables stay as they are written. The front matter gives title and language, else the first
 * heading of the first level is the title.
 * @throws ParseFault `too_large`
 */
export async function parseMarkdown(source: DocumentSource): Promise<ParsedDocument> {
  const list = createBlockList()
  const text = decodeDocument(source).replace(/\r\n?/g, '\n')
  // Most files have none, and need no YAML.
  const front = text.startsWith('---\n')
    ? (await import('./front-matter.ts')).takeFrontMatter(text)
    : undefined
  const { title = null, language = null } = front ?? {}
  for (const part of splitMarkdown(front?.body ?? text)) for (const block of readPart(part)) list.add(block)
  const heading = list.blocks.find(({ level }) => level === 1)
  return {
    kind: 'markdown',
    title: title ?? heading?.text ?? null,
    language,
    pages: null,
    blocks: list.blocks,
  }
}

function readPart(part: string): Block[] {
  try {
    // What is within paragraphs is not taken apart.
    return new Lexer().blockTokens(part, []).flatMap(toBlocks)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    // Quotes in quotes, thousands of them.
    return Array.from(paragraphsOf(part), (text) => ({ kind: 'text', text }))
  }
}

function toBlocks(token: Token): Block[] {
  switch (token.type) {
    case 'space':
    case 'def':
      return []
    case 'heading': {
      const { depth, text } = token as Tokens.Heading
      return [{ kind: 'heading', level: depth as HeadingLevel, text }]
    }
    case 'code':
      return [{ kind: 'code', text: (token as Tokens.Code).text }]
    case 'table':
      return [{ kind: 'table', text: token.raw }]
    case 'hr':
      return [{ kind: 'text', text: '---' }]
    case 'html':
      return scanHtml(token.raw).blocks.map(toBlock)
    case 'blockquote':
      return [{ kind: 'text', text: (token as Tokens.Blockquote).text }]
    default:
      return [{ kind: 'text', text: token.raw }]
  }
}
