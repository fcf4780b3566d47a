import { readFile } from 'node:fs/promises'
import { compose, type StructuredBrief } from '@copydesk/writer'
import { leadTasks } from '../domain/delivery/leads/import/tasks.ts'
import { toArticle } from '../domain/delivery/publishing/article.ts'
import { findContradictions } from '../domain/knowledge/facts/contradictions.ts'
import { statementsOf } from '../domain/knowledge/facts/statements.ts'
import { type Chunk, type ChunkOptions, chunk } from '../domain/knowledge/ingestion/chunks.ts'
import { detectLanguage } from '../domain/knowledge/stemming/detect-language.ts'
import type { StemmedLanguage } from '../domain/knowledge/stemming/function-words.ts'
import { stemsIn } from '../domain/knowledge/stemming/stems.ts'
import { mediaTasks } from '../domain/media/tasks.ts'
import { type CheckedBrand, checkContent } from '../domain/work/brand/checks.ts'
import { describeEdit } from '../domain/work/content/edits.ts'
import type { TextTasks } from '../kernel/in-thread.ts'
import { outlinesOf, type TextPair } from '../kernel/versions/compare.ts'
import { parseMarkdown } from '../platform/parsing/markdown.ts'
import type { Block } from '../platform/parsing/parsed.ts'
import { parseText } from '../platform/parsing/text.ts'

/** A file of Markdown, or of plain text. */
interface PlainText {
  path: string
  markdown: boolean
}

/** A document in chunks, with its language. */
interface CutText {
  chunks: Chunk[]
  language: StemmedLanguage
}

function cut(
  { blocks, language }: { blocks: readonly Block[]; language: string | null },
  options: ChunkOptions,
): CutText {
  const chunks = chunk(blocks, options)
  const texts = chunks.map(({ text }) => text)
  return { chunks, language: detectLanguage(texts, language) }
}

/** What the threads for long texts can do. */
export const textTasks = {
  article: (markdown: string) => toArticle(markdown),
  compare: (pairs: readonly TextPair[]) => outlinesOf(pairs),
  checks: ({ text, brand }: { text: string; brand: CheckedBrand }) => checkContent(text, brand),
  chunk: ({ blocks, language, ...options }: Parameters<TextTasks['chunk']>[0]) =>
    cut({ blocks, language }, options),
  chunkText: async ({ path, markdown, ...options }: PlainText & ChunkOptions) => {
    const bytes = await readFile(path)
    return cut(markdown ? await parseMarkdown(bytes) : parseText(bytes), options)
  },
  stems: async ({ language, texts }: Parameters<TextTasks['stems']>[0]) => texts.map(await stemsIn(language)),
  statements: (text: string) => statementsOf(text),
  contradictions: ({ found, passages }: Parameters<TextTasks['contradictions']>[0]) =>
    findContradictions(found, passages),
  compose: (brief: StructuredBrief) => compose(brief),
  ...leadTasks,
  ...mediaTasks,
  edit: ([before, after]: TextPair) => describeEdit(before, after),
} satisfies TextTasks

declare module '../kernel/in-thread.ts' {
  interface TextTasks {
    /** Its `language` is the one that the document itself names. */
    chunk(input: { blocks: readonly Block[]; language: string | null } & ChunkOptions): CutText
    /** What the parser would do with a short text, without a thread of its own. */
    chunkText(input: PlainText & ChunkOptions): Promise<CutText>
    stems(input: { language: StemmedLanguage; texts: readonly string[] }): Promise<string[]>
    compose(brief: StructuredBrief): string
  }
}
