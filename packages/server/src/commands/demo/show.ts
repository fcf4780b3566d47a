import { styleText } from 'node:util'
import { flowText } from '@copydesk/terminal/flow'
import { diffWordsWithSpace } from 'diff'

/** Colours, or none where they would not be visible. */
export function createPaint(coloured: boolean) {
  const style = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    coloured ? styleText(format, text, { validateStream: false }) : text
  return {
    bold: style('bold'),
    dim: style('dim'),
    green: style('green'),
    red: style('red'),
    cyan: style('cyan'),
    yellow: style('yellow'),
    struck: style('strikethrough'),
    coloured,
  }
}
export type Paint = ReturnType<typeof createPaint>

/** Wraps a line between words; text after a list marker is indented below it. */
function wrap(line: string, width: number): string[] {
  const mark = /^\s*(?:[-*]|\d+\.) /.exec(line)?.[0] ?? ''
  const lines = flowText(line.slice(mark.length), width - mark.length)
  return lines.map(
    (spans, at) => (at === 0 ? mark : ' '.repeat(mark.length)) + spans.map(({ text }) => text).join(''),
  )
}

/**
 * Markdown for a terminal: headings and bold are highlighted, long lines are wrapped between words.
 * @param width columns of the terminal; infinite when the output is not a terminal
 */
export function showMarkdown(markdown: string, paint: Paint, width: number): string {
  return markdown
    .split('\n')
    .flatMap((line) => wrap(line, width - 4))
    .map((line) => {
      const heading = /^(#{1,6}) (.*)$/.exec(line)
      const text = heading
        ? paint.bold(heading[2] ?? '')
        : line.replace(/\*\*([^*]+)\*\*/g, (_, bold: string) => paint.bold(bold))
      return text === '' ? '' : `  ${text}`
    })
    .join('\n')
}

/**
 * What changed from one version to the next, word by word; without colours as [-removed-] and {+added+}.
 * Unchanged lines are omitted.
 */
export function showWordDiff(before: string, after: string, paint: Paint): string {
  const gone = (text: string) => (paint.coloured ? paint.red(paint.struck(text)) : `[-${text}-]`)
  const added = (text: string) => (paint.coloured ? paint.green(text) : `{+${text}+}`)
  const mark = (text: string, wrap: (part: string) => string) =>
    text
      .split('\n')
      .map((line) => (line === '' ? '' : wrap(line) + changedMark))
      .join('\n')
  const merged = diffWordsWithSpace(before, after)
    .map(({ value, added: isNew, removed }) =>
      isNew ? mark(value, added) : removed ? mark(value, gone) : value,
    )
    .join('')
  const lines = merged.split('\n').filter((line) => line.includes(changedMark))
  if (lines.length === 0) return `  ${paint.dim('(no difference)')}`
  return lines.map((line) => `  ${line.replaceAll(changedMark, '')}`).join('\n')
}

/** Marks a changed line while the text is composed; it is removed before the output. */
const changedMark = '\u0000'

export function usd(amount: number): string {
  return `$${amount.toFixed(amount > 0 && amount < 0.01 ? 6 : 2)}`
}
