import type { Block } from '../../../platform/parsing/parsed.ts'
import { type BlockPiece, lastLinesOf, piecesOf, tailOf } from './pieces.ts'

/** A block with the headings above it, itself among them where it is one. */
export interface Placed {
  block: Block
  path: readonly string[]
}

/** A chunk without its place in the document. */
export interface Packed {
  text: string
  path: readonly string[]
  page: number | null
}

interface Part extends Pick<Placed, 'path'> {
  text: string
  kind: Block['kind']
  page: number | null
}

interface Open {
  /** What is repeated of the chunk before. */
  tail: string
  parts: Part[]
  length: number
}

const gap = '\n\n'

/**
 * Fills chunks of at most so many characters with blocks, and begins each with up to `repeated` characters from the end of the one before. A
 * heading goes into the chunk of what stands below it, unless headings alone fill half a chunk.
 */
export function createPacker(most: number, repeated: number) {
  const made: Packed[] = []
  let open: Open | undefined
  /** Headings whose text is still to come. */
  let headings: Part[] = []

  const close = () => {
    if (open && open.parts.length > 0) made.push(toPacked(open))
    open = undefined
  }
  const put = (parts: readonly Part[]) => {
    const length = lengthOf(parts)
    if (open && open.length + gap.length + length > most) {
      const last = open.parts.at(-1)
      close()
      const tail = last ? endOf(last, Math.min(repeated, most - length - gap.length)) : ''
      if (tail !== '') open = { tail, parts: [], length: tail.length }
    }
    open ??= { tail: '', parts: [], length: -gap.length }
    open.parts.push(...parts)
    open.length += gap.length + length
  }
  const putHeadings = () => {
    if (headings.length > 0) put(headings)
    headings = []
  }
  /** @returns whether there was room beside the piece of the same block that is there already */
  const putBeside = ({ text, joint = '' }: BlockPiece): boolean => {
    const last = open?.parts.at(-1)
    if (!open || !last || open.length + joint.length + text.length > most) return false
    last.text += joint + text
    open.length += joint.length + text.length
    return true
  }
  const addHeading = (part: Part) => {
    if (headings.length > 0 && lengthOf(headings) + gap.length + part.text.length > most / 2) putHeadings()
    headings.push(part)
  }

  return {
    add({ block, path }: Placed): void {
      const { kind, page = null } = block
      if (kind === 'heading') {
        for (const { text } of piecesOf(block, most / 2)) addHeading({ text, kind, path, page })
        return
      }
      const above = headings.length === 0 ? 0 : lengthOf(headings) + gap.length
      const below = repeated === 0 ? 0 : repeated + gap.length
      const room = most - Math.max(above, Math.min(most / 2, below))
      for (const piece of piecesOf(block, room)) {
        if (piece.joint !== undefined && putBeside(piece)) continue
        put([...headings, { text: piece.header + piece.text, kind, path, page }])
        headings = []
      }
    },
    end(): Packed[] {
      putHeadings()
      close()
      return made
    },
  }
}

const lengthOf = (parts: readonly Part[]) =>
  parts.reduce((sum, { text }) => sum + text.length + gap.length, -gap.length)

const endOf = ({ kind, text }: Part, most: number) =>
  kind === 'table' || kind === 'code' ? lastLinesOf(text, most) : tailOf(text.trimEnd(), most)

/** Its headings are those above all of its text, or else those above the first of it. */
function toPacked({ tail, parts }: Open): Packed {
  const texts = parts.filter(({ kind }) => kind !== 'heading')
  const first = texts[0] ?? parts[0]
  const whole = commonStart((texts.length > 0 ? texts : parts).map(({ path }) => path))
  const text = [...(tail === '' ? [] : [tail]), ...parts.map((part) => part.text)].join(gap)
  return {
    text: text.replace(/^(?:[^\S\n]*\n)+/, '').trimEnd(),
    path: whole.length > 0 ? whole : (first?.path ?? []),
    page: first?.page ?? null,
  }
}

function commonStart(paths: ReadonlyArray<readonly string[]>): readonly string[] {
  const [first = [], ...others] = paths
  const end = first.findIndex((text, n) => others.some((path) => path[n] !== text))
  return end < 0 ? first : first.slice(0, end)
}
