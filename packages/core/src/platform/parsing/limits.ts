import { tooLarge } from './faults.ts'
import type { Block } from './parsed.ts'

/** What one file may ask for. A file beyond them ends with a `ParseFault`, before it takes more memory or time. */
export const parsingLimits = {
  fileBytes: 50 * 2 ** 20,
  pages: 2_000,
  /** Of text in all blocks together. */
  characters: 20_000_000,
  blocks: 300_000,
  /** In all tables together. */
  tableCells: 2_000_000,
  /** Elements within elements. */
  nesting: 1_000,
  /** Pieces of text on one page of a PDF. */
  pagePieces: 200_000,
  zipEntries: 10_000,
  /** One inflated entry of a ZIP file. */
  entryBytes: 64 * 2 ** 20,
  /** All that is inflated of one ZIP file. */
  zipBytes: 256 * 2 ** 20,
} as const

/** Collects the blocks of a document within the limits. */
export interface BlockList {
  readonly blocks: Block[]
  /** Adds a block without what cannot be stored or seen; one without text is left out. @throws ParseFault `too_large` */
  add(block: Block): void
  /** Counts cells before they are put into a block. @throws ParseFault `too_large` */
  countCells(count: number): void
}

export function createBlockList(): BlockList {
  const blocks: Block[] = []
  let characters = 0
  let cells = 0
  return {
    blocks,
    add(block) {
      const text = toStorable(block.text)
      if (text === '') return
      characters += text.length
      checkLength(characters)
      if (blocks.length >= parsingLimits.blocks) throw tooLarge(parsingLimits.blocks, 'paragraphs')
      blocks.push({ ...block, text })
    },
    countCells(count) {
      cells += count
      if (cells > parsingLimits.tableCells) throw tooLarge(parsingLimits.tableCells, 'table cells')
    },
  }
}

/** @throws ParseFault `too_large` for more characters than a document may have */
export function checkLength(characters: number): void {
  if (characters > parsingLimits.characters) throw tooLarge(parsingLimits.characters, 'characters of text')
}

/** Databases do not store NUL or half of a surrogate pair; other control characters are never meant to be seen. */
function toStorable(text: string): string {
  // biome-ignore format: one class
  return text.replace(/\r\n?/g, '\n').replace(/[\0-\x08\x0b-\x1f\x7f]/g, '').toWellFormed().replace(/^\s*\n/, '').trimEnd()
}
