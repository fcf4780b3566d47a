import { styleText } from 'node:util'
import { cleanLines, toJson } from '../render/clean.ts'
import { unlimited } from '../render/unlimited.ts'
import { fieldsIn, pickFields, type Strictness } from './json-fields.ts'

/** The output of a command: data goes to stdout, messages to stderr, so that a pipe only gets data. */
export interface CliOutput {
  readonly json: boolean
  /**
   * The part of a value that `--json` prints: the named fields, or all of it.
   * @throws Failure for an unknown field
   */
  picked(value: unknown, strictness?: Strictness): unknown
  /**
   * The result: one JSON document with `--json`, otherwise what `text` returns. @throws Failure like `picked`
   */
  data(value: unknown, text: () => string): void
  info(message: string): void
  done(message: string): void
  warn(message: string): void
  error(message: string): void
}

/**
 * @param json the value of `--json`: whether it was given, or the fields that it names
 * @throws Failure when those are not names of fields
 */
export function createCliOutput(json: boolean | string): CliOutput {
  const fields = typeof json === 'string' && json !== '' ? fieldsIn(json) : undefined
  const picked: CliOutput['picked'] = (value, strictness) =>
    fields ? pickFields(value, fields, strictness) : value
  // A message may contain text of others, which must not reach the terminal unchanged.
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

/** A closed output (`copydesk routes | head`, a closed terminal) is not an error of the program. */
export function surviveClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
    })
  }
}

/** Minimum width of tables, in columns. */
const narrowest = 80

/** Valid values of `COLUMNS`; anything else is ignored. */
const fewestColumns = 20
const mostColumns = 10_000

/**
 * The width of an output: the value of `COLUMNS`, otherwise that of the terminal; `unlimited` when it is not
 * a terminal.
 */
export function outputWidth(
  { isTTY, columns }: { isTTY?: boolean; columns?: number } = process.stdout,
): number {
  const said = process.env['COLUMNS'] ?? ''
  const wanted = /^\d{2,5}$/.test(said) ? Number(said) : 0
  if (wanted >= fewestColumns && wanted <= mostColumns) return wanted
  return isTTY ? Math.max(narrowest, columns ?? 0) : unlimited
}
