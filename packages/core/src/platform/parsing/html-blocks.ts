import { tooDeep, tooLarge } from './faults.ts'
import {
  blocksOfList,
  blocksOfTable,
  type Cell,
  createFrame,
  type Frame,
  type HtmlBlock,
} from './html-frames.ts'
import { isBlockTag, isBoilerplate, isHidden } from './html-tags.ts'
import { type BlockList, parsingLimits } from './limits.ts'
import type { Block, HeadingLevel } from './parsed.ts'

/** Turns the tags and texts of HTML, as they come, into blocks. */
export interface HtmlBlocks {
  /** @throws ParseFault `too_deep` or `too_large` */
  open(tag: string, attributes: Record<string, string>): void
  text(text: string): void
  comment(text: string): void
  close(tag: string): void
  /** The blocks, once all tags are closed. */
  end(): HtmlBlock[]
}

/** Lists in lists beyond this are written without a further indent. */
const deepestList = 8

export function createHtmlBlocks({ countCells }: Pick<BlockList, 'countCells'>): HtmlBlocks {
  const page = createFrame('page', 0)
  const frames: Frame[] = [page]
  const inline = createInlineText()
  let depth = 0
  let count = 0
  let lists = 0
  /** The depth of the outermost element that is hidden, or boilerplate. */
  let hidden: number | undefined
  let boilerplate: number | undefined

  const current = () => frames.at(-1) ?? page

  const push = (block: Block) => {
    count += 1
    if (count > parsingLimits.blocks) throw tooLarge(parsingLimits.blocks, 'paragraphs')
    current().blocks.push({ ...block, boilerplate: boilerplate !== undefined })
  }

  const flush = () => {
    if (current().kind === 'code') return
    const text = inline
      .take()
      .replace(/ {2,}/g, ' ')
      .replace(/ ?\n ?/g, '\n')
      .trim()
    if (text !== '') push({ kind: 'text', text })
  }

  const enter = (kind: Frame['kind'], more?: Partial<Frame>) =>
    void frames.push(createFrame(kind, depth, more))

  const begin = (tag: string, { start, colspan }: Record<string, string>) => {
    const { kind, rows } = current()
    const level = /^h([1-6])$/.exec(tag)?.[1]
    if (level) return enter('heading', { level: Number(level) as HeadingLevel })
    if (tag === 'pre') return enter('code')
    if ((tag === 'ul' || tag === 'ol') && lists < deepestList) {
      lists += 1
      return enter('list', { first: tag === 'ol' ? Math.trunc(Number(start ?? 1)) || 1 : undefined })
    }
    if (tag === 'li' && kind === 'list') return enter('item')
    if (tag === 'table') return enter('table')
    if (tag === 'tr' && kind === 'table') rows.push([])
    if ((tag === 'td' || tag === 'th') && kind === 'table')
      enter('cell', { span: Math.max(1, Math.min(100, Math.trunc(Number(colspan)) || 1)) })
  }

  const closeCell = ({ blocks, span }: Frame, { rows }: Frame) => {
    countCells(span)
    const [only, more] = blocks
    const isPlain = more === undefined && (only === undefined || only.kind === 'text')
    if (isPlain && only) count -= 1
    if (rows.length === 0) rows.push([])
    rows.at(-1)?.push(isPlain ? (only?.text ?? '') : blocks, ...Array<Cell>(span - 1).fill(''))
  }

  const finish = (done: Frame) => {
    const to = current()
    if (done.kind === 'heading') {
      const text = done.blocks.map((block) => block.text.replace(/\s+/g, ' ')).join(' ')
      if (text !== '') push({ kind: 'heading', level: done.level, text })
    }
    if (done.kind === 'code') push({ kind: 'code', text: inline.take().replace(/^\n/, '').trimEnd() })
    if (done.kind === 'item' && done.blocks.length > 0) to.items.push(done.blocks)
    if (done.kind === 'cell') closeCell(done, to)
    if (done.kind === 'list') {
      lists -= 1
      if (done.blocks.length > 0) done.items.push(done.blocks)
      for (const block of blocksOfList(done)) to.blocks.push(block)
    }
    if (done.kind === 'table') for (const block of [...done.blocks, ...blocksOfTable(done)]) push(block)
  }

  return {
    open(tag, attributes) {
      depth += 1
      if (depth > parsingLimits.nesting) throw tooDeep(parsingLimits.nesting)
      if (hidden !== undefined) return
      if (isHidden(tag, attributes)) {
        hidden = depth
        return
      }
      if (tag === 'br') inline.add('\n')
      if (isBlockTag(tag)) flush()
      if (boilerplate === undefined && isBoilerplate(tag, attributes)) boilerplate = depth
      if (current().kind === 'code') return
      if (tag === 'hr') push({ kind: 'text', text: '---' })
      begin(tag, attributes)
    },
    text(text) {
      if (hidden === undefined) inline.add(current().kind === 'code' ? text : text.replace(/\s+/g, ' '))
    },
    comment(text) {
      if (text.trim() !== 'chunk' || hidden !== undefined || current().kind === 'code') return
      flush()
      push({ kind: 'text', text: '<!-- chunk -->' })
    },
    close(tag) {
      const top = current()
      if (hidden === undefined && (top.depth === depth || isBlockTag(tag))) flush()
      if (hidden === undefined && top.depth === depth) {
        frames.pop()
        finish(top)
      }
      if (hidden === depth) hidden = undefined
      if (boilerplate === depth) boilerplate = undefined
      depth -= 1
    },
    end() {
      flush()
      return page.blocks
    },
  }
}

/** Text that comes in many small pieces. */
function createInlineText() {
  const long: string[] = []
  let short: string[] = []
  return {
    add(text: string) {
      short.push(text)
      if (short.length < 10_000) return
      long.push(short.join(''))
      short = []
    },
    take(): string {
      if (long.length === 0 && short.length === 0) return ''
      const text = [...long.splice(0), ...short].join('')
      short = []
      return text
    },
  }
}
