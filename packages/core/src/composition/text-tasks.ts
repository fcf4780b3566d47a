import { readFile } from 'node:fs/promises'
import { compose, type StructuredBrief } from '@copydesk/writer'
import { leadTasks } from '../domain/delivery/leads/import/tasks.ts'
import { toArticle } from '../domain/delivery/publishing/article.ts'
import { findContradictions } from '../domain/knowledge/facts/contradictions.ts'
import { statementsOf } from '../domain/knowledge/facts/statements.ts'
import { type Chunk, type ChunkOptions, chunk } from '../domain/knowledge/ingestion/chunks.ts'
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

/** What the threads for long texts can do. */
export const textTasks = {
  article: (markdown: string) => toArticle(markdown),
  compare: (pairs: readonly TextPair[]) => outlinesOf(pairs),
  checks: ({ text, brand }: { text: string; brand: CheckedBrand }) => checkContent(text, brand),
  chunk: ({ blocks, ...options }: { blocks: readonly Block[] } & ChunkOptions) => chunk(blocks, options),
  chunkText: async ({ path, markdown, ...options }: PlainText & ChunkOptions) => {
    const bytes = await readFile(path)
    return chunk((markdown ? await parseMarkdown(bytes) : parseText(bytes)).blocks, options)
  },
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
    chunk(input: { blocks: readonly Block[] } & ChunkOptions): Chunk[]
    /** What the parser would do with a short text, without a thread of its own. */
    chunkText(input: PlainText & ChunkOptions): Promise<Chunk[]>
    compose(brief: StructuredBrief): string
  }
}
