import { contains, replaced, sentencesOf } from './wording.ts'

/**
 * A part of a text. `weight` determines the lengths that contain it: 0 all, 1 (the default) unless a shorter
 * text is requested, 2 longer texts only.
 */
export type Block = { weight?: 0 | 1 | 2 } & (
  | { heading: string; level: 1 | 2 | 3 }
  | { text: string }
  | { items: readonly string[]; marks?: 'bullets' | 'numbers' | 'boxes' }
  | { table: readonly (readonly string[])[] }
)

export const heading = (level: 1 | 2 | 3, text: string, weight: 0 | 1 | 2 = 0): Block => ({
  heading: text,
  level,
  weight,
})
export const para = (sentences: readonly (string | undefined | false)[], weight: 0 | 1 | 2 = 0): Block => ({
  text: sentences.filter(Boolean).join(' '),
  weight,
})
export const bullets = (items: readonly string[], weight: 0 | 1 | 2 = 0): Block => ({ items, weight })
export const boxes = (items: readonly string[], weight: 0 | 1 | 2 = 0): Block => ({
  items,
  marks: 'boxes',
  weight,
})

const SHORT_LIST = 3

/** The blocks that a length keeps, with lists cut for short texts; headings without content are removed. */
export function sized(blocks: readonly Block[], length: number): Block[] {
  const most = length < 0 ? 0 : length === 0 ? 1 : 2
  const kept = blocks.flatMap((block): Block[] => {
    if ((block.weight ?? 1) > most) return []
    if (length < 0 && 'items' in block && block.marks === undefined) {
      return [{ ...block, items: block.items.slice(0, SHORT_LIST + length) }]
    }
    if (length < -1 && 'text' in block) return [{ ...block, text: sentencesOf(block.text)[0] ?? '' }]
    return [block]
  })
  return withoutEmpty(kept)
}

/** Removes every sentence, list item and heading that uses one of the wordings. */
export function purged(blocks: readonly Block[], wordings: readonly string[]): Block[] {
  if (wordings.length === 0) return [...blocks]
  const fine = (text: string) => !wordings.some((wording) => contains(text, wording))
  return withoutEmpty(
    blocks.flatMap((block): Block[] => {
      if ('heading' in block) return fine(block.heading) ? [block] : []
      if ('text' in block) return [{ ...block, text: lines(block.text, fine) }]
      if ('items' in block) return [{ ...block, items: block.items.filter(fine) }]
      return [block]
    }),
  )
}

/** The acceptable sentences of a text; line breaks are kept, since they may be those of a list. */
function lines(text: string, fine: (sentence: string) => boolean): string {
  const kept = text.split('\n').map((line) => (fine(line) ? line : sentencesOf(line).filter(fine).join(' ')))
  return kept.filter((line, index) => line || !text.split('\n')[index]).join('\n')
}

export function rewritten(
  blocks: readonly Block[],
  changes: readonly { from: string; to: string }[],
): Block[] {
  const change = (text: string) => changes.reduce((told, { from, to }) => replaced(told, from, to), text)
  return blocks.map((block) => {
    if ('heading' in block) return { ...block, heading: change(block.heading) }
    if ('text' in block) return { ...block, text: change(block.text) }
    if ('items' in block) return { ...block, items: block.items.map(change) }
    return block
  })
}

export function markdownOf(blocks: readonly Block[]): string {
  return blocks
    .map((block) => {
      if ('heading' in block) return `${'#'.repeat(block.level)} ${block.heading}`
      if ('text' in block) return block.text
      if ('items' in block)
        return block.items.map((item, index) => `${mark(block.marks, index)} ${item}`).join('\n')
      const [head = [], ...rows] = block.table
      const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
      return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
    })
    .join('\n\n')
}

function mark(marks: 'bullets' | 'numbers' | 'boxes' | undefined, index: number): string {
  if (marks === 'numbers') return `${index + 1}.`
  return marks === 'boxes' ? '- [ ]' : '-'
}

function withoutEmpty(blocks: readonly Block[]): Block[] {
  const full = blocks.filter(
    (block) => !('text' in block && !block.text) && !('items' in block && block.items.length === 0),
  )
  return full.filter((block, index) => {
    if (!('heading' in block) || block.level === 1) return true
    const next = full[index + 1]
    return next !== undefined && !('heading' in next && next.level <= block.level)
  })
}
