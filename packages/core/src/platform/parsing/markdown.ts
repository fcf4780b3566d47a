import { Lexer, type Token, type Tokens } from 'marked'
import { parse as parseYaml } from 'yaml'
import { decodeDocument } from './decode.ts'
import { toBlock } from './html.ts'
import { scanHtml } from './html-scan.ts'
import { createBlockList } from './limits.ts'
import { splitMarkdown } from './markdown-parts.ts'
import type { Block, HeadingLevel, ParsedDocument } from './parsed.ts'
import { paragraphsOf } from './text.ts'

/**
 * Reads Markdown: paragraphs, lists and tables stay as they are written. The front matter gives title and language, else the first
 * heading of the first level is the title.
 * @throws ParseFault `too_large`
 */
export function parseMarkdown(bytes: Uint8Array): ParsedDocument {
  const list = createBlockList()
  const text = decodeDocument(bytes).replace(/\r\n?/g, '\n')
  const { title, language, body } = takeFrontMatter(text)
  for (const part of splitMarkdown(body)) for (const block of readPart(part)) list.add(block)
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

const longestFrontMatter = 65_536

/** The block of YAML at the beginning of a file, if there is one, and what follows it. */
function takeFrontMatter(text: string): { title: string | null; language: string | null; body: string } {
  const none = { title: null, language: null, body: text }
  const end = text.startsWith('---\n')
    ? text.slice(0, longestFrontMatter).search(/\n---[^\S\n]*(?:\n|$)/)
    : -1
  if (end < 0) return none
  const values = readYaml(text.slice(4, end + 1))
  if (values === undefined) return none
  const [title, lang, language] = ['title', 'lang', 'language'].map((name) => {
    const value = values.get(name)
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
  })
  return {
    title: title ?? null,
    language: lang ?? language ?? null,
    body: text.slice(text.indexOf('\n', end + 1) + 1),
  }
}

function readYaml(text: string): Map<unknown, unknown> | undefined {
  try {
    const values: unknown = parseYaml(text, { mapAsMap: true, logLevel: 'silent' })
    return values instanceof Map ? values : undefined
  } catch {
    // A rule, and a text that has another one.
    return undefined
  }
}
