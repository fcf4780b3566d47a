import { readFile } from 'node:fs/promises'
import { parseMarkdown } from '../../../platform/parsing/markdown.ts'
import { orFault, type Parsed, type ParseInput, parseFile } from '../../../platform/parsing/parse-tasks.ts'
import type { ParsedDocument } from '../../../platform/parsing/parsed.ts'
import { parseText } from '../../../platform/parsing/text.ts'
import { detectLanguage } from '../stemming/detect-language.ts'
import { type ChunkOptions, chunk } from './chunks.ts'
import { type PackedChunks, packChunks } from './packed-chunks.ts'

/** A file of Markdown, or of plain text. */
interface PlainText {
  path: string
  markdown: boolean
}

function cut(
  { blocks, language }: Pick<ParsedDocument, 'blocks' | 'language'>,
  options: ChunkOptions,
): PackedChunks {
  const chunks = chunk(blocks, options)
  const texts = chunks.map(({ text }) => text)
  return packChunks(chunks, detectLanguage(texts, language))
}

/** What the threads of the parser do with documents of a knowledge base. */
export const documentTasks = {
  cut: ({ size, overlap, parseType, ...input }: ParseInput & ChunkOptions): Promise<Parsed<PackedChunks>> =>
    orFault(async () => cut(await parseFile(input), { size, overlap, parseType })),
}

/** What threads for long texts do with short ones, without a thread of their own. */
export const cutTasks = {
  cutText: async ({ path, markdown, ...options }: PlainText & ChunkOptions): Promise<PackedChunks> => {
    const bytes = await readFile(path)
    return cut(markdown ? await parseMarkdown(bytes) : parseText(bytes), options)
  },
}

type KnowledgeDocumentTasks = typeof documentTasks
type KnowledgeTextTasks = typeof cutTasks

declare module '../../../platform/parsing/parser.ts' {
  interface DocumentTasks extends KnowledgeDocumentTasks {}
}
declare module '../../../kernel/in-thread.ts' {
  interface TextTasks extends KnowledgeTextTasks {}
}
