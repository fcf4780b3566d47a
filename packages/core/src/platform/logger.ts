import { createConsola, LogLevels } from 'consola/core'
import type { Clock } from './clock.ts'
import { createSystemClock } from './clock.ts'
import type { LogFields, Logger } from './log.ts'
import { formatJson, formatPretty, type LogLevel } from './log-format.ts'
import { redact, redactText } from './redact.ts'

/** Where lines go: a terminal, a file or anything with `write`. */
export interface LogStream {
  write(text: string): unknown
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
  const stream = options.stream ?? process.stderr
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

/** Writes nothing; for embedding programs that want no log, and for tests. */
export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLogger,
}
