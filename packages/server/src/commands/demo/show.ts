import { diffWordsWithSpace } from 'diff'

/** Colours, or none where nobody would see them. */
export function createPaint(coloured: boolean) {
  const code = (open: number, close: number) => (text: string) =>
    coloured ? `\u001b[${open}m${text}\u001b[${close}m` : text
  return {
    bold: code(1, 22),
    dim: code(2, 22),
    green: code(32, 39),
    red: code(31, 39),
    cyan: code(36, 39),
    yellow: code(33, 39),
    struck: code(9, 29),
    coloured,
  }
}
export type Paint = ReturnType<typeof createPaint>

/** Breaks a line between words so that it fits; what follows a list mark stays under its text. */
export function wrap(line: string, width: number): string[] {
  const indent = ' '.repeat(/^(\s*(?:[-*]|\d+\.) )?/.exec(line)?.[0].length ?? 0)
  const lines: string[] = []
  let rest = line
  while (rest.length > width) {
    const cut = rest.lastIndexOf(' ', width)
    if (cut <= indent.length) break
    lines.push(rest.slice(0, cut))
    rest = indent + rest.slice(cut + 1)
  }
  return [...lines, rest]
}

/**
 * Markdown for a terminal: headings and bold stand out, long lines are broken between words.
 * @param width columns of the terminal; infinite off a terminal
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

/** What changed from one version to the next, word by word; without colours as [-gone-] and {+new+}. Unchanged lines are left out. */
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

/** Marks a changed line while the text is put together; it never reaches the screen. */
const changedMark = '\u0000'

export function usd(amount: number): string {
  return `$${amount.toFixed(amount > 0 && amount < 0.01 ? 6 : 2)}`
}
