import { type Block, isSectionMark } from '../../../platform/parsing/parsed.ts'
import type { ParseType } from '../datasets/schemas.ts'
import { piecesOf, tailOf } from './pieces.ts'

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
 * heading, except that sections below one stay with it while all of it fits. `MANUAL`: a chunk for each section between marks, which are a horizontal rule or
 * the comment `<!-- chunk -->`; without any mark, between headings of the highest level. Tables are cut between rows, with their header
 * repeated.
 */
export function chunk(blocks: readonly Block[], { size, overlap, parseType }: ChunkOptions): Chunk[] {
  const most = (parseType === 'MANUAL' ? mostManual : size) * charactersPerToken
  const repeated = parseType === 'MANUAL' ? 0 : overlap * charactersPerToken
  const chunks: Chunk[] = []
  for (const section of sectionsOf(blocks, parseType, most)) {
    const packer = createPacker(most, repeated)
    const [first] = section
    // Room for what is repeated, or for the heading that stays with the text below it.
    const above = first?.block.kind === 'heading' ? first.block.text.length + 9 : 0
    const room = most - Math.min(most / 2, Math.max(above, repeated === 0 ? 0 : repeated + 2))
    for (const { block, heading } of section)
      for (const text of piecesOf(block, room)) packer.add(text, heading, block.page ?? null)
    for (const made of packer.end()) chunks.push({ ordinal: chunks.length, ...made })
  }
  return chunks
}

/** A block with the headings above it. */
interface Placed {
  block: Block
  heading: string | null
  path: readonly string[]
}
type Section = readonly Placed[]

const isMark = ({ kind, text }: Block) => kind === 'text' && isSectionMark(text)

function sectionsOf(blocks: readonly Block[], parseType: ParseType, most: number): Section[] {
  const placed = place(blocks)
  if (parseType === 'NAIVE') return [placed.filter(({ block }) => !isMark(block))]
  if (parseType === 'MARKDOWN')
    return joinSmall(
      split(placed, ({ block }) => block.kind === 'heading').map((section) =>
        section.filter(({ block }) => !isMark(block)),
      ),
      most,
    )
  if (blocks.some(isMark))
    return split(placed, ({ block }) => isMark(block)).map((section) =>
      section.filter(({ block }) => !isMark(block)),
    )
  const top = Math.min(...blocks.flatMap(({ kind, level = 1 }) => (kind === 'heading' ? [level] : [])))
  return split(placed, ({ block }) => block.kind === 'heading' && (block.level ?? 1) === top)
}

/** Gives each block the headings that it stands under; a heading stands under itself. */
function place(blocks: readonly Block[]): Placed[] {
  const open: Array<{ level: number; text: string }> = []
  let heading: string | null = null
  let path: string[] = []
  return blocks.map((block) => {
    if (block.kind === 'heading') {
      const level = block.level ?? 1
      while (open.length > 0 && (open.at(-1)?.level ?? 0) >= level) open.pop()
      open.push({ level, text: block.text })
      path = open.map(({ text }) => text)
      heading = path.join(' › ').slice(0, longestHeading)
    }
    return { block, heading, path }
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
  return sections.filter((section) => section.length > 0)
}

const lengthOf = (section: Section) => section.reduce((sum, { block }) => sum + block.text.length + 2, 0)

/** Joins a section to the one before it where both fit into one chunk and it stands under the heading of that one. */
function joinSmall(sections: readonly Section[], most: number): Section[] {
  const joined: Array<{ section: Placed[]; length: number }> = []
  for (const section of sections) {
    if (section.length === 0) continue
    const length = lengthOf(section)
    const last = joined.at(-1)
    const isBelow = last && startsWith(section[0]?.path ?? [], last.section[0]?.path ?? [])
    if (last && isBelow && last.length + length <= most) {
      last.section.push(...section)
      last.length += length
    } else joined.push({ section: [...section], length })
  }
  return joined.map(({ section }) => section)
}

const startsWith = (path: readonly string[], start: readonly string[]) =>
  start.length > 0 && path.length > start.length && start.every((text, n) => path[n] === text)

type Made = Omit<Chunk, 'ordinal'>

/** Fills chunks with pieces of text, and begins each with the end of the one before. */
function createPacker(most: number, repeated: number) {
  const made: Made[] = []
  let current:
    | { parts: string[]; length: number; heading: string | null; page: number | null; fresh: boolean }
    | undefined
  const close = () => {
    if (current?.fresh) {
      const { parts, heading, page } = current
      made.push({ text: parts.join('\n\n'), heading, page })
    }
    current = undefined
  }
  return {
    add(text: string, heading: string | null, page: number | null): void {
      if (current && current.length + 2 + text.length > most) {
        const tail =
          repeated > 0 ? tailOf(current.parts.at(-1) ?? '', Math.min(repeated, most - text.length - 2)) : ''
        close()
        if (tail !== '') current = { parts: [tail], length: tail.length, heading, page, fresh: false }
      }
      current ??= { parts: [], length: 0, heading, page, fresh: false }
      current.parts.push(text)
      current.length += text.length + 2
      current.fresh = true
    },
    end(): Made[] {
      close()
      return made
    },
  }
}
