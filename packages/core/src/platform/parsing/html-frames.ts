import { type Block, type HeadingLevel, isSectionMark } from './parsed.ts'
import { markdownTable } from './tables.ts'

/** A block of a web page. */
export interface HtmlBlock extends Block {
  /** Whether it is in a menu, a footer, or beside the content. */
  boilerplate: boolean
}

/** A block without what is only of use within its page. */
export const toBlock = ({ kind, level, text }: HtmlBlock): Block =>
  level === undefined ? { kind, text } : { kind, level, text }

/** Text, or blocks where there are several. */
export type Cell = string | HtmlBlock[]

/** An open element that gathers blocks. */
export interface Frame {
  kind: 'page' | 'heading' | 'code' | 'list' | 'item' | 'table' | 'cell'
  depth: number
  blocks: HtmlBlock[]
  /** Of a heading. */
  level: HeadingLevel
  /** Of a list: the number of its first item, and its items. */
  first: number | undefined
  items: HtmlBlock[][]
  /** Of a table. */
  rows: Cell[][]
  /** Of a cell: how many columns it takes. */
  span: number
}

export const createFrame = (kind: Frame['kind'], depth: number, more: Partial<Frame> = {}): Frame => ({
  kind,
  depth,
  blocks: [],
  level: 1,
  first: undefined,
  items: [],
  rows: [],
  span: 1,
  ...more,
})

const isText = ({ kind, text }: Block) => kind === 'text' && !isSectionMark(text)

/** A list is one block of Markdown; one whose items have headings or tables only arranges them, and is left out. */
export function blocksOfList({ items, first }: Frame): HtmlBlock[] {
  const blocks = items.flat()
  if (!blocks.every(isText)) return blocks
  const lines = items.map((item, at) => {
    const mark = first === undefined ? '- ' : `${first + at}. `
    const text = item.map((block) => block.text).join('\n')
    return mark + text.replaceAll('\n', `\n${' '.repeat(mark.length)}`)
  })
  return blocks.slice(0, 1).map((block) => ({ ...block, text: lines.join('\n') }))
}

/** A table is one block of Markdown; one with a single column, or with headings or tables in it, only arranges its content. */
export function blocksOfTable({ rows }: Frame): Block[] {
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0)
  const isData =
    columns > 1 && rows.every((row) => row.every((cell) => typeof cell === 'string' || cell.every(isText)))
  if (!isData)
    return rows
      .flat()
      .flatMap((cell): Block[] => (typeof cell === 'string' ? [{ kind: 'text', text: cell }] : cell))
  const texts = rows.map((row) =>
    row.map((cell) => (typeof cell === 'string' ? cell : cell.map(({ text }) => text).join(' '))),
  )
  return [{ kind: 'table', text: markdownTable(texts.filter((row) => row.some((text) => text !== ''))) }]
}
