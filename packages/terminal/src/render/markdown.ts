import { lexer, type Token, type Tokens } from 'marked'
import { cleanLines } from './clean.ts'
import { flow, type Margin, measured } from './flow.ts'
import {
  type Column,
  emptyRow,
  row,
  type StyledLine,
  span,
  type TextSpan,
  type Tone,
  tableOf,
} from './row.ts'

/**
 * A Markdown text as lines of at most `width` columns; tables may use the full width, running text at most
 * its maximum width. HTML in it is shown as text; nothing in it is interpreted by a terminal.
 */
export function markdownRows(text: string, width: number): StyledLine[] {
  return trimmedRows(blocks(lexer(text), width))
}

function blocks(tokens: readonly Token[], width: number): StyledLine[] {
  return tokens.flatMap((token) => block(token as Tokens.Generic, width))
}

function block(token: Tokens.Generic, width: number): StyledLine[] {
  switch (token.type) {
    case 'space':
    case 'def':
      return []
    case 'heading': {
      const mark = span(`${'#'.repeat((token as Tokens.Heading).depth)} `, 'dim')
      return [...flow([mark, ...inline(token.tokens ?? [], 'strong')], measured(width)), emptyRow]
    }
    case 'code':
      return [
        ...cleanLines((token as Tokens.Code).text).map((line) => row(span('  │ ', 'dim'), span(line))),
        emptyRow,
      ]
    case 'blockquote':
      return [
        ...trimmedRows(blocks(token.tokens ?? [], Math.max(10, width - 2))).map((line) => [
          span('▎ ', 'dim'),
          ...line,
        ]),
        emptyRow,
      ]
    case 'list':
      return [...list(token as Tokens.List, width), emptyRow]
    case 'hr':
      return [row(span('─'.repeat(Math.min(width, 20)), 'dim')), emptyRow]
    case 'table':
      return [...table(token as Tokens.Table, width), emptyRow]
    case 'html':
      return [...cleanLines(token.raw.trimEnd()).map((line) => row(span(line, 'dim'))), emptyRow]
    case 'text':
      return flow(inline(token.tokens ?? [token], 'plain'), measured(width))
    default:
      return [...flow(inline(token.tokens ?? [token], 'plain'), measured(width)), emptyRow]
  }
}

function list({ items, ordered, start, loose }: Tokens.List, width: number): StyledLine[] {
  return items.flatMap((item, index) => {
    const number = ordered ? `${(start || 1) + index}. ` : '• '
    const box = item.task ? (item.checked ? '[x] ' : '[ ] ') : ''
    const mark = `${number}${box}`
    const inner = trimmedRows(
      blocks(
        item.tokens.filter(({ type }) => type !== 'checkbox'),
        Math.max(10, width - mark.length),
      ),
    )
    const margin: Margin = { first: [span(mark, 'dim')], rest: [span(' '.repeat(mark.length))] }
    const lines = inner.length > 0 ? inner : [emptyRow]
    const rows = lines.map((line, at) => [...(at === 0 ? margin.first : margin.rest), ...line])
    return loose && index < items.length - 1 ? [...rows, emptyRow] : rows
  })
}

function table({ header, rows }: Tokens.Table, width: number): StyledLine[] {
  const columns: Array<Column<Tokens.TableCell[]>> = header.map(({ tokens }, index) => ({
    title: textOf(inline(tokens, 'plain')),
    cell: (cells) => textOf(inline(cells[index]?.tokens ?? [], 'plain')),
    least: 6,
  }))
  return tableOf(columns, rows, width)
}

const tones: Readonly<Record<string, Tone>> = {
  strong: 'strong',
  em: 'accent',
  codespan: 'accent',
  del: 'removed',
}

function inline(tokens: readonly Token[], tone: Tone): TextSpan[] {
  return tokens.flatMap((each): TextSpan[] => {
    const token = each as Tokens.Generic
    const own = tones[token.type] ?? tone
    switch (token.type) {
      case 'link': {
        const { href, text } = token as Tokens.Link
        const label = inline(token.tokens ?? [], 'accent')
        return href === text ? label : [...label, span(` <${href}>`, 'dim')]
      }
      case 'image': {
        const { href, text } = token as Tokens.Image
        return [span(`[${text || 'image'}] <${href}>`, 'dim')]
      }
      case 'br':
        return [span(' ')]
      default:
        return token.tokens ? inline(token.tokens, own) : [span((token['text'] as string) ?? token.raw, own)]
    }
  })
}

const textOf = (parts: readonly TextSpan[]) => parts.map(({ text }) => text).join('')

function trimmedRows(lines: StyledLine[]): StyledLine[] {
  let end = lines.length
  while (end > 0 && lines[end - 1]?.length === 0) end -= 1
  return lines.slice(0, end)
}
