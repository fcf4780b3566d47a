import { type Block, isSectionMark } from '../../../platform/parsing/parsed.ts'
import type { ParseType } from '../datasets/schemas.ts'
import { createPacker, type Placed } from './packer.ts'
import { headOf } from './pieces.ts'

/** A piece of a document that is found as one. */
export interface Chunk {
  /** Its place in the document, from 0. */
  ordinal: number
  /** Text of the document as it is; Markdown for tables and lists. */
  text: string
  /** The headings above it, from the outermost: `Products › Morning Oats`. */
  heading: string | null
  page: number | null
}

export interface ChunkOptions {
  /** The most tokens of a chunk; a token is four characters. */
  size: number
  /** How many tokens of the chunk before are repeated, less than `size`. */
  overlap: number
  parseType: ParseType
}

const charactersPerToken = 4

/** The most tokens of a section that its author has marked. */
const mostManual = 2_048

/**
 * Cuts a document into chunks. `NAIVE`: running text, cut where it is full. `MARKDOWN`: by structure: a chunk begins at each
 * heading, except that sections below one stay with it while all of it fits, and a heading without text goes with the section that follows. `MANUAL`: a
 * chunk for each section between marks, which are a horizontal rule or the comment `<!-- chunk -->`; without any mark, between headings of the
 * highest level. Tables are cut between rows, with their header repeated.
 */
export function chunk(blocks: readonly Block[], { size, overlap, parseType }: ChunkOptions): Chunk[] {
  const most = (parseType === 'MANUAL' ? mostManual : size) * charactersPerToken
  const repeated = parseType === 'MANUAL' ? 0 : overlap * charactersPerToken
  const chunks: Chunk[] = []
  for (const section of sectionsOf(blocks, parseType, most)) {
    const packer = createPacker(most, repeated)
    for (const each of section) packer.add(each)
    for (const { path, text, page } of packer.end())
      chunks.push({ ordinal: chunks.length, text, heading: headingOf(path), page })
  }
  return chunks
}

const headingOf = (path: readonly string[]) =>
  path.length === 0 ? null : headOf(path.join(' › '), longestHeading)

type Section = readonly Placed[]

const isMark = ({ kind, text }: Block) => kind === 'text' && isSectionMark(text)
const isHeading = ({ block }: Placed) => block.kind === 'heading'

function sectionsOf(blocks: readonly Block[], parseType: ParseType, most: number): Section[] {
  const placed = place(blocks)
  if (parseType === 'NAIVE') return [placed.filter(({ block }) => !isMark(block))]
  if (parseType === 'MARKDOWN')
    return joinSmall(
      split(
        placed.filter(({ block }) => !isMark(block)),
        isHeading,
      ),
      most,
    )
  if (blocks.some(isMark))
    return split(placed, ({ block }) => isMark(block)).map((section) =>
      section.filter(({ block }) => !isMark(block)),
    )
  const top = blocks.reduce(
    (top, { kind, level = 1 }) => (kind === 'heading' ? Math.min(top, level) : top),
    6,
  )
  return split(placed, (each) => isHeading(each) && (each.block.level ?? 1) === top)
}

/** Gives each block the headings that it stands under; a heading stands under itself. */
function place(blocks: readonly Block[]): Placed[] {
  const open: Array<{ level: number; text: string }> = []
  let path: string[] = []
  return blocks.map((block) => {
    if (block.kind === 'heading') {
      const level = block.level ?? 1
      while (open.length > 0 && (open.at(-1)?.level ?? 0) >= level) open.pop()
      open.push({ level, text: headOf(block.text, longestHeading) })
      path = open.map(({ text }) => text)
    }
    return { block, path }
  })
}

const longestHeading = 500

/** Begins a section at each block that says so. */
function split(placed: readonly Placed[], begins: (each: Placed) => boolean): Section[] {
  const sections: Placed[][] = []
  for (const each of placed) {
    const last = sections.at(-1)
    if (!last || begins(each)) sections.push([each])
    else last.push(each)
  }
  return sections
}

/** As much as it takes in a chunk, with the signs of headings. */
const lengthOf = (section: Section) =>
  section.reduce((sum, { block }) => sum + block.text.length + (isHeadingKind(block) ? 9 : 2), 0)
const isHeadingKind = ({ kind }: Block) => kind === 'heading'

/**
 * Joins a section to the one before it where both fit into one chunk and it stands under the heading of that one, and also where that one, or the last of
 * all, has nothing but headings.
 */
function joinSmall(sections: readonly Section[], most: number): Section[] {
  const joined: Array<{ section: Placed[]; length: number; hasText: boolean }> = []
  for (const [n, section] of sections.entries()) {
    const length = lengthOf(section)
    const hasText = !section.every(isHeading)
    const last = joined.at(-1)
    const isBelow = last && startsWith(section[0]?.path ?? [], last.section[0]?.path ?? [])
    const isAlone = last && (!last.hasText || (!hasText && n === sections.length - 1))
    if (last && (isAlone || (isBelow && last.length + length <= most))) {
      for (const each of section) last.section.push(each)
      last.length += length
      last.hasText ||= hasText
    } else joined.push({ section: [...section], length, hasText })
  }
  return joined.map(({ section }) => section)
}

const startsWith = (path: readonly string[], start: readonly string[]) =>
  start.length > 0 && path.length > start.length && start.every((text, n) => path[n] === text)
