import { colors } from 'consola/utils'

/** What a command says: data goes to stdout, talk to stderr, so that a pipe only ever gets data. */
export interface Talk {
  readonly json: boolean
  /** The result: one JSON document with `--json`, else what `text` returns. */
  data(value: unknown, text: () => string): void
  info(message: string): void
  done(message: string): void
  warn(message: string): void
  error(message: string): void
}

export function createTalk(json: boolean): Talk {
  const say = (text: string) => void process.stderr.write(`${text}\n`)
  const paint = process.stderr.isTTY ? colors : undefined
  return {
    json,
    data: (value, text) => void process.stdout.write(`${json ? JSON.stringify(value, null, 2) : text()}\n`),
    info: say,
    done: (message) => say(`${paint?.green('✔') ?? '✔'} ${message}`),
    warn: (message) => say(`${paint?.yellow('warning:') ?? 'warning:'} ${message}`),
    error: (message) => say(`${paint?.red('error:') ?? 'error:'} ${message}`),
  }
}

/** A reader that goes away (`copydesk routes | head`, a closed terminal) is no fault of the program. */
export function surviveClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
    })
  }
}

/** The narrowest terminal that tables are made for, in columns. */
const narrowest = 80
/** A column that is cut keeps this many characters. */
const shortest = 8

/**
 * Rows in columns as wide as their widest cell, under a line of titles.
 * @param cut columns, by their number, that are shortened until the table fits the terminal; ids are not among them
 */
export function table(
  titles: readonly string[],
  rows: ReadonlyArray<readonly string[]>,
  cut: readonly number[] = [],
): string {
  const all = [titles, ...rows]
  const widths = titles.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)))
  const room = Math.max(narrowest, process.stdout.columns ?? 0) - 2 * (titles.length - 1)
  for (let over = widths.reduce((sum, width) => sum + width, -room); over > 0; over -= 1) {
    const widest = cut.reduce(
      (best, column) => ((widths[column] ?? 0) > (widths[best] ?? 0) ? column : best),
      cut[0] ?? 0,
    )
    if (cut.length === 0 || (widths[widest] ?? 0) <= shortest) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return all
    .map((row) =>
      row
        .map((cell, column) => shortened(cell, widths[column] ?? 0).padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function shortened(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`
}
