import { readFileSync } from 'node:fs'
import { wrongUsage } from '@copydesk/terminal/failure'

/**
 * Reads a configuration file.
 * @returns its values with their dotted names; a list is one value
 * @throws Failure when it cannot be read or is not a JSON object
 */
export function readConfigFile(file: string): Array<[path: string, value: unknown]> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`
    throw wrongUsage(`The configuration file ${file} ${why}.`)
  }
  let content: unknown
  try {
    content = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (cause) {
    throw wrongUsage(`The configuration file ${file} is not valid JSON: ${whereOf(cause as Error, text)}.`)
  }
  if (!isObject(content)) throw wrongUsage(`The configuration file ${file} must contain one JSON object.`)
  return flatten(content, [])
}

/** Line and column of a syntax error. Does not quote the file: it may contain secrets. */
function whereOf(error: Error, text: string): string {
  const position = /at position (\d+)/.exec(error.message)?.[1]
  if (position === undefined) return 'unexpected end or stray character'
  const before = text.slice(0, Number(position)).split('\n')
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

function flatten(value: Record<string, unknown>, path: readonly string[]): Array<[string, unknown]> {
  return Object.entries(value).flatMap(([name, inner]): Array<[string, unknown]> => {
    const here = [...path, name]
    const isGroup = isObject(inner) && Object.keys(inner).length > 0
    return isGroup ? flatten(inner, here) : [[here.join('.'), inner]]
  })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
