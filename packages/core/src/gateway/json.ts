import { DomainError, invalid } from '../kernel/errors.ts'

const maxDepth = 64

/**
 * Parses the JSON of a request body. Refuses what JSON.parse lets through and programs trip over: a key given twice,
 * `__proto__`, nesting deeper than 64, text with a NUL or half a surrogate pair.
 * @throws DomainError `VALIDATION_ERROR`, with the field where there is one
 */
export function parseJson(text: string): unknown {
  scan(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new DomainError('VALIDATION_ERROR', 'The body is not valid JSON')
  }
  if (/\\u(?:0000|[dD][89a-fA-F])/.test(text)) checkText(value, '')
  return value
}

interface Level {
  /** Keys seen so far; undefined in a list. */
  keys: Set<string> | undefined
  at: string | number
}

/** One pass over the text, before it is parsed, that looks at structure and keys only. */
function scan(text: string): void {
  const levels: Level[] = []
  let expectKey = false
  for (let i = 0; i < text.length; i += 1) {
    switch (text.charCodeAt(i)) {
      case 34: {
        const end = endOfString(text, i)
        if (end < 0) return
        if (expectKey) addKey(levels, text.slice(i + 1, end))
        expectKey = false
        i = end
        break
      }
      case 123:
      case 91: {
        if (levels.length === maxDepth) {
          throw new DomainError('VALIDATION_ERROR', `The body is nested deeper than ${maxDepth} levels`)
        }
        expectKey = text.charCodeAt(i) === 123
        levels.push(expectKey ? { keys: new Set(), at: '' } : { keys: undefined, at: 0 })
        break
      }
      case 125:
      case 93:
        levels.pop()
        expectKey = false
        break
      case 44: {
        const level = levels.at(-1)
        expectKey = level?.keys !== undefined
        if (level && typeof level.at === 'number') level.at += 1
        break
      }
    }
  }
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === 92) slashes += 1
    if (slashes % 2 === 0) return end
  }
  return -1
}

function addKey(levels: Level[], raw: string): void {
  const level = levels.at(-1)
  if (!level?.keys) return
  let key = raw
  if (raw.includes('\\')) {
    try {
      key = JSON.parse(`"${raw}"`)
    } catch {
      return
    }
  }
  level.at = key
  if (key === '__proto__') throw invalid(pathOf(levels), 'The field name "__proto__" is not allowed')
  if (level.keys.has(key)) throw invalid(pathOf(levels), `The field "${key}" is given twice`)
  level.keys.add(key)
}

const pathOf = (levels: Level[]) => levels.map((level) => level.at).join('.')

function checkText(value: unknown, path: string): void {
  if (typeof value === 'string') {
    if (!isCleanText(value)) throw invalid(path, 'The text holds a NUL or half of a surrogate pair')
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, inner] of Object.entries(value)) {
      const at = path === '' ? key : `${path}.${key}`
      if (!isCleanText(key)) throw invalid(path, 'A field name holds a NUL or half of a surrogate pair')
      checkText(inner, at)
    }
  }
}

/** False for text that a database cannot store as it is. */
export function isCleanText(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}
