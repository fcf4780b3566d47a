import { decodeDocument } from './decode.ts'
import { createBlockList } from './limits.ts'
import type { ParsedDocument } from './parsed.ts'
import type { DocumentSource } from './source.ts'

/** Reads plain text in any encoding: empty lines and page breaks part its paragraphs. @throws ParseFault `too_large` */
export function parseText(source: DocumentSource): ParsedDocument {
  const list = createBlockList()
  for (const text of paragraphsOf(decodeDocument(source))) list.add({ kind: 'text', text })
  return { kind: 'text', title: null, language: null, pages: null, blocks: list.blocks }
}

/** The paragraphs of a text, without the empty lines between them; there may be millions, so they come one after the other. */
export function* paragraphsOf(text: string): Generator<string> {
  let start = 0
  for (const { 0: gap, index } of text.matchAll(/\r?\n[^\S\n]*\n\s*|\f/g)) {
    yield text.slice(start, index)
    start = index + gap.length
  }
  yield text.slice(start)
}
