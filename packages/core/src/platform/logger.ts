import { createConsola, LogLevels } from 'consola/core'
import type { Clock } from './clock.ts'
import { createSystemClock } from './clock.ts'
import type { LogFields, Logger } from './log.ts'
import { formatJson, formatPretty, type LogLevel } from './log-format.ts'
import { redact, redactText } from './redact.ts'

/** Where lines go: a terminal, a file or anything with `write`. */
export interface LogStream {
  write(text: string): unknown
  /** Writes at once what was held back. */
  flush?(): void
  readonly isTTY?: boolean | undefined
}

export interface LoggerOptions {
  /** The least serious level that is written; default `info`. */
  level?: LogLevel | 'silent'
  /** Default: `pretty` on a terminal, `json` otherwise. */
  format?: 'pretty' | 'json'
  /** Default: standard error, so that a command's own output stays clean. */
  stream?: LogStream
  clock?: Clock
}

/**
 * The product's logger. `json` writes one object a line: `time` (ISO 8601, UTC), `level`, `msg` and the fields;
 * `pretty` writes for people. Secrets are cut from message and fields, and control characters are escaped, before
 * anything is written.
 */
export function createLogger(options: LoggerOptions = {}): Logger {
  const stream = options.stream ?? standardError()
  const clock = options.clock ?? createSystemClock()
  const format = options.format ?? (stream.isTTY ? 'pretty' : 'json')
  const write = format === 'json' ? formatJson : formatPretty(Boolean(stream.isTTY))
  const output = createConsola({
    level: LogLevels[options.level ?? 'info'],
    // consola holds back a line that repeats; an operator has to see each one.
    throttle: Number.NEGATIVE_INFINITY,
    reporters: [
      {
        log: ({ type, args: [message, fields] }) => {
          const line = write({
            time: clock.date(),
            level: type as LogLevel,
            message: redactText(String(message)),
            fields: redact(fields) as LogFields,
          })
          stream.write(`${line}\n`)
          if (type === 'error') stream.flush?.()
        },
      },
    ],
  })

  const bind = (own: LogFields): Logger => ({
    debug: (message, fields) => output.debug(message, { ...own, ...fields }),
    info: (message, fields) => output.info(message, { ...own, ...fields }),
    warn: (message, fields) => output.warn(message, { ...own, ...fields }),
    error: (message, fields) => output.error(message, { ...own, ...fields }),
    child: (fields) => bind({ ...own, ...fields }),
  })
  return bind({})
}

let shared: LogStream | undefined

/**
 * Standard error. On a terminal each line is written at once; into a file or a pipe, where a write stops the loop, the
 * lines of one turn of the loop go together. They belong to the process, as the stream does, and leave before it ends.
 */
function standardError(): LogStream {
  if (process.stderr.isTTY) return process.stderr
  if (shared) return shared
  let waiting = ''
  const flush = () => {
    if (waiting === '') return
    const text = waiting
    waiting = ''
    process.stderr.write(text)
  }
  process.on('exit', flush)
  shared = {
    write(text) {
      if (waiting === '') setImmediate(flush)
      waiting += text
    },
    flush,
  }
  return shared
}

/** Writes nothing; for embedding programs that want no log, and for tests. */
export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLogger,
}
