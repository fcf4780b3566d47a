import { styleText } from 'node:util'
import { cleanLines } from '../paper/clean.ts'
import { toJson } from '../paper/json.ts'
import { type Column, printed, tableOf, unlimited } from '../paper/row.ts'
import { fieldsIn, pickFields, type Strictness } from './json-fields.ts'

/** What a command says: data goes to stdout, talk to stderr, so that a pipe only ever gets data. */
export interface Talk {
  readonly json: boolean
  /**
   * What of a value is printed with `--json`: the fields that are named, or all of it.
   * @throws Failure for a field that it does not have
   */
  picked(value: unknown, strictness?: Strictness): unknown
  /** The result: one JSON document with `--json`, else what `text` returns. @throws Failure as `picked` does */
  data(value: unknown, text: () => string): void
  info(message: string): void
  done(message: string): void
  warn(message: string): void
  error(message: string): void
}

/**
 * @param json what `--json` says: whether it was given, or the fields that it names
 * @throws Failure when those are no names of fields
 */
export function createTalk(json: boolean | string): Talk {
  const fields = typeof json === 'string' && json !== '' ? fieldsIn(json) : undefined
  const picked: Talk['picked'] = (value, strictness) =>
    fields ? pickFields(value, fields, strictness) : value
  // What others wrote may stand in a message: it must not reach the terminal as it is.
  const say = (mark: string, text: string) =>
    void process.stderr.write(`${mark}${cleanLines(text).join('\n')}\n`)
  const isColoured = process.stderr.isTTY && (process.stderr.hasColors?.() ?? false)
  const paint = (colour: 'green' | 'yellow' | 'red', text: string) =>
    isColoured ? styleText(colour, text, { validateStream: false }) : text
  return {
    json: json !== false,
    picked,
    data: (value, text) =>
      void process.stdout.write(`${json === false ? text() : toJson(picked(value), 2)}\n`),
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

/** What `COLUMNS` may say; anything else is taken for a mistake, not for a width. */
const fewestColumns = 20
const mostColumns = 10_000

/** How wide what goes to a stream may be: what `COLUMNS` says, else what the terminal has; `unlimited` where there is none. */
export function paperWidth(
  { isTTY, columns }: { isTTY?: boolean; columns?: number } = process.stdout,
): number {
  const said = process.env['COLUMNS'] ?? ''
  const wanted = /^\d{2,5}$/.test(said) ? Number(said) : 0
  if (wanted >= fewestColumns && wanted <= mostColumns) return wanted
  return isTTY ? Math.max(narrowest, columns ?? 0) : unlimited
}

/**
 * Rows in columns as wide as their widest cell, under a line of titles; off a terminal whole, with tabs between the cells.
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
