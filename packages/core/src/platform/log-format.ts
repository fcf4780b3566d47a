import { colors } from 'consola/utils'
import type { LogFields } from './log.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** A line that is ready to be written; secrets are gone from it. */
export interface LogLine {
  time: Date
  level: LogLevel
  message: string
  fields: LogFields
}

const RESERVED = new Set(['time', 'level', 'msg'])

/** One JSON object; a field that would hide `time`, `level` or `msg` gets a leading underscore. */
export function formatJson({ time, level, message, fields }: LogLine): string {
  const head = { time: time.toISOString(), level, msg: message }
  if (!Object.keys(fields).some((name) => RESERVED.has(name))) return JSON.stringify({ ...head, ...fields })
  const line: LogFields = head
  for (const [name, value] of Object.entries(fields)) line[RESERVED.has(name) ? `_${name}` : name] = value
  return JSON.stringify(line)
}

/**
 * Formats lines for a terminal: `10:20:30.123 INFO  message key=value`, an error's stack below.
 * @param colored whether to colour the level and dim the rest; NO_COLOR still wins
 */
export function formatPretty(colored: boolean): (line: LogLine) => string {
  const plain = (text: string) => text
  const dim = colored ? colors.gray : plain
  const paint: Record<LogLevel, (text: string) => string> = colored
    ? { debug: colors.gray, info: colors.cyan, warn: colors.yellow, error: colors.red }
    : { debug: plain, info: plain, warn: plain, error: plain }

  return ({ time, level, message, fields }) => {
    const head = `${dim(time.toISOString().slice(11, 23))} ${paint[level](level.toUpperCase().padEnd(5))} ${printable(message)}`
    const pairs: string[] = []
    const stacks: string[] = []
    for (const [name, value] of Object.entries(fields)) {
      pairs.push(`${printable(name)}=${pairValue(value)}`)
      const stack = stackOf(value)
      if (stack) stacks.push(stack)
    }
    const tail = pairs.length > 0 ? ` ${dim(pairs.join(' '))}` : ''
    return [head + tail, ...stacks.map((stack) => dim(indent(stack)))].join('\n')
  }
}

function stackOf(value: unknown): string | undefined {
  const stack = (value as { stack?: unknown } | null)?.stack
  return typeof stack === 'string' && stack !== '' ? stack : undefined
}

function pairValue(value: unknown): string {
  if (typeof value === 'string' && /^[\w.:/@+-]+$/.test(value)) return value
  const shown = stackOf(value) ? { ...(value as object), stack: undefined } : value
  return printable(JSON.stringify(shown) ?? '')
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `    ${printable(line)}`)
    .join('\n')
}

/** Text from outside must not move the cursor or start a line that looks like ours. */
function printable(text: string): string {
  return text.replace(/\p{Cc}|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
