import { styleText } from 'node:util'
import { cleanLines } from '../paper/clean.ts'
import { toJson } from '../paper/json.ts'
import { type Column, printed, tableOf } from '../paper/row.ts'

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
  // What others wrote may stand in a message: it must not reach the terminal as it is.
  const say = (mark: string, text: string) =>
    void process.stderr.write(`${mark}${cleanLines(text).join('\n')}\n`)
  const isColoured = process.stderr.isTTY && (process.stderr.hasColors?.() ?? false)
  const paint = (colour: 'green' | 'yellow' | 'red', text: string) =>
    isColoured ? styleText(colour, text, { validateStream: false }) : text
  return {
    json,
    data: (value, text) => void process.stdout.write(`${json ? toJson(value, 2) : text()}\n`),
    info: (message) => say('', message),
    done: (message) => say(`${paint('green', '✔')} `, message),
    warn: (message) => say(`${paint('yellow', 'warning:')} `, message),
    error: (message) => say(`${paint('red', 'error:')} `, message),
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
/** A column that is cut keeps this many columns of the terminal. */
const shortest = 8

/** How wide what goes to stdout may be, in columns. */
export function paperWidth(): number {
  return Math.max(narrowest, process.stdout.columns ?? 0)
}

/**
 * Rows in columns as wide as their widest cell, under a line of titles.
 * @param cut columns, by their number, that are shortened until the table fits the terminal; ids are not among them
 */
export function table(
  titles: readonly string[],
  rows: ReadonlyArray<readonly string[]>,
  cut: readonly number[] = [],
): string {
  const columns = titles.map(
    (title, index): Column<readonly string[]> => ({
      title,
      cell: (row) => row[index] ?? '',
      ...(cut.includes(index) && { least: shortest }),
    }),
  )
  return printed(tableOf(columns, rows, paperWidth()), false)
}
