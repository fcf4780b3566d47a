/** What stands where a secret stood. */
export const REDACTED = '[redacted]'

const MAX_DEPTH = 12

/** Endings of key names that hold secrets, after case, dashes, underscores and dots are taken away. */
const SECRET_KEY =
  /(?:password|passwd|passphrase|secret|tokens?|verifier|apikeys?|privatekey|secretkey|accesskey|signingkey|encryptionkey|masterkey|authvalue|authheader|authorization|credentials?|cookies?|otp|jwt)(?:hash|value)?$/

/** Numbers under such keys are counts (`inputTokens`), not secrets. */
const COUNT_KEY = /tokens?$/

/** What a JSON web token begins with, and how long its first part is, that included. */
const TOKEN_START = 'eyJ'
const SHORTEST_HEADER = 9
const LONGEST_HEADER = 1_027
const NO_WORD = /[^\w-]/g
const TOKEN_REST = /(?:\.[\w-]*){1,4}/y

/** Shapes of secrets inside running text; each keeps what stands before the secret as `$1`. */
const SECRET_TEXT: ReadonlyArray<[RegExp, string] | ((text: string) => string)> = [
  [/(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)[\s\S]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/g, '$1'],
  [/(authorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?)(?:[a-z][\w-]*[ \t]+)?[^\s"',;\\]+/gi, '$1'],
  [/(cookie\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?)[^\r\n"'\\]+/gi, '$1'],
  [
    /((?:password|passwd|passphrase|secret|token|api[_-]?key|private[_-]?key|secret[_-]?key|access[_-]?key|auth[_-]?value|sig|signature)\\?["']?\s{0,4}[:=]\s{0,4})(?:\\?"(?:[^"\\]|\\[^"])*\\?"|'[^']*'|[^\s"'&,;}\])]+)/gi,
    '$1',
  ],
  [/(\bbearer\s{1,4})(?!tokens?\b|auth|scheme|header|is\b|was\b)[\w.~+/=-]+/gi, '$1'],
  [/(\b[Bb]asic\s{1,4})(?=\S{0,400}[0-9=+/A-Z])[\w+/-]{8,}={0,2}/g, '$1'],
  // What comes back from an OAuth provider, wherever its URL is repeated.
  [/([?&](?:code|state|code_verifier)=)[^\s"'&#<>\\]+/gi, '$1'],
  withoutTokens,
  [/cdk_(?:live|test|invite)_[\w-]+/g, ''],
  [/(?<![A-Za-z0-9])(?:sk-|sk_live_|sk_test_|rk_live_|gh[opsu]_|xox[abprs]-|AIza|whsec_)[\w-]{12,}/g, ''],
  [/(:\/\/[^\s/?#:@]*:)[^\s/?#]*(?=@)/g, '$1'],
]

/** Every shape above holds one of these, and most text none of them. */
const HINT = /[:=]|bearer|basic|eyJ|cdk_|sk[-_]|rk_|gh[opsu]_|xox|AIza|whsec_|-----/i

/**
 * Cuts secrets out of a string: Authorization and Cookie values, bearer tokens, JWT-shaped text, API keys,
 * `password=…` pairs, private keys and the password of a URL.
 * @returns the text with `[redacted]` in their place
 */
export function redactText(text: string): string {
  if (!HINT.test(text)) return text
  let clean = text
  for (const shape of SECRET_TEXT)
    clean = typeof shape === 'function' ? shape(clean) : clean.replace(shape[0], `${shape[1]}${REDACTED}`)
  return clean
}

/**
 * Cuts out what has the shape of a JSON web token: `eyJ`, the rest of its first part, a dot, and what belongs to it. By hand, since a
 * pattern tries the whole first part again for each `eyJ` in it.
 */
function withoutTokens(text: string): string {
  let clean = ''
  let copied = 0
  for (let at = text.indexOf(TOKEN_START); at >= 0; ) {
    NO_WORD.lastIndex = at
    const end = NO_WORD.exec(text)?.index ?? text.length
    const start = text[end] === '.' ? text.indexOf(TOKEN_START, Math.max(at, end - LONGEST_HEADER)) : -1
    TOKEN_REST.lastIndex = end
    const rest = start >= 0 && end - start >= SHORTEST_HEADER ? TOKEN_REST.exec(text) : null
    if (rest) {
      clean += `${text.slice(copied, start)}${REDACTED}`
      copied = TOKEN_REST.lastIndex
    }
    at = text.indexOf(TOKEN_START, rest ? copied : end)
  }
  return clean + text.slice(copied)
}

/** True where a value under this name has to be cut, e.g. `x-api-key`, `Set-Cookie`, `refresh_token`. */
export function isSecretKey(name: string): boolean {
  let found = judged.get(name)
  if (found === undefined) {
    found = SECRET_KEY.test(plainName(name))
    if (judged.size < MAX_JUDGED) judged.set(name, found)
  }
  return found
}

/** Log lines have the same few field names over and over. */
const judged = new Map<string, boolean>()
const MAX_JUDGED = 1_000

/**
 * A deep copy of `value` that is safe to write to a log: secrets cut by key and by shape, cycles named, errors as
 * `{ name, message, stack, cause }` with their own fields, bytes as their length. Never throws and never changes
 * its argument; the copy holds only what JSON can carry.
 */
export function redact(value: unknown): unknown {
  return copy(value, [])
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[-_.\s]/g, '')
}

function copy(value: unknown, path: object[]): unknown {
  switch (typeof value) {
    case 'string':
      return redactText(value)
    case 'bigint':
      return value.toString()
    case 'number':
      return Number.isFinite(value) ? value : String(value)
    case 'symbol':
    case 'function':
      return `[${typeof value}]`
    case 'object':
      break
    default:
      return value
  }
  if (value === null) return null
  if (path.includes(value)) return '[circular]'
  if (path.length >= MAX_DEPTH) return '[too deep]'
  try {
    return copyObject(value, [...path, value])
  } catch {
    return '[unreadable]'
  }
}

function copyObject(value: object, path: object[]): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
  if (value instanceof URL) return redactText(value.href)
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`
  if (value instanceof Error) return copyError(value, path)
  if (Array.isArray(value)) return copyArray(value, path)
  if (value instanceof Set) return [...value].map((item) => copy(item, path))
  if (value instanceof Map || isHeaders(value) || value instanceof URLSearchParams) {
    return copyEntries([...value.entries()], path)
  }
  if (isNamedSecret(value)) return { ...copyEntries(Object.entries(value), path), value: REDACTED }
  return copyEntries(Object.entries(value), path)
}

/** Told by its name: to ask for the class itself has node load its client for requests, for the first line that is logged. */
function isHeaders(value: object): value is Headers {
  return Object.prototype.toString.call(value) === '[object Headers]'
}

/** A pair such as `['authorization', 'x']` is a header: its second half goes by the name in the first. */
function copyArray(items: unknown[], path: object[]): unknown[] {
  const [name, secret] = items
  if (items.length === 2 && typeof name === 'string' && typeof secret === 'string' && isSecretKey(name)) {
    return [name, REDACTED]
  }
  return items.map((item) => copy(item, path))
}

/** `{ name: 'Authorization', value: '…' }`, the form in which header lists are kept. */
function isNamedSecret(value: object): boolean {
  const { name, key, header } = value as Record<string, unknown>
  return 'value' in value && [name, key, header].some((text) => typeof text === 'string' && isSecretKey(text))
}

function copyError(error: Error, path: object[]): Record<string, unknown> {
  const out: Record<string, unknown> = {
    name: error.name,
    message: redactText(error.message),
    stack: redactText(error.stack ?? ''),
  }
  if (error.cause !== undefined) out.cause = copy(error.cause, path)
  if (error instanceof AggregateError) out.errors = error.errors.map((one) => copy(one, path))
  return { ...copyEntries(Object.entries(error), path), ...out }
}

function copyEntries(entries: Array<[unknown, unknown]>, path: object[]): Record<string, unknown> {
  const out: Record<string, unknown> = {}
  for (const [key, value] of entries) {
    const name = String(key)
    if (value === undefined) continue
    const shown = redactText(name)
    const kept = isCut(name, value) ? REDACTED : copy(value, path)
    // Said as a name it would be the prototype.
    if (shown === '__proto__')
      Object.defineProperty(out, shown, { value: kept, enumerable: true, configurable: true, writable: true })
    else out[shown] = kept
  }
  return out
}

function isCut(name: string, value: unknown): boolean {
  if (value === null || typeof value === 'boolean' || !isSecretKey(name)) return false
  return !(typeof value === 'number' && COUNT_KEY.test(plainName(name)))
}
