import { readFileSync } from 'node:fs'
import { wrongUsage } from '@copydesk/terminal/failure'
import { otherVariables, type Setting, settings } from './settings.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** One value that the environment sets. */
export interface FromEnvironment {
  path: string
  value: unknown
  /** For messages: the variable, and the file that it names. */
  source: string
}

/**
 * Reads every setting from the environment. An empty variable counts as not set.
 * @throws Failure when a variable and its `_FILE` variant are both set, or the file cannot be read
 */
export function readEnvironment(env: Environment): FromEnvironment[] {
  return settings.flatMap((setting) => {
    for (const name of setting.env) {
      const found = readVariable(env, name, setting)
      if (!found) continue
      return [{ path: setting.path, value: parse(found.text, setting), source: found.source }]
    }
    return []
  })
}

/** One sentence for each `COPYDESK_…` variable that nothing reads: probably a typing error. */
export function unreadVariables(env: Environment): string[] {
  const known = new Set([
    ...otherVariables,
    ...settings.flatMap(({ env: names, secret }) =>
      secret ? names.flatMap((name) => [name, `${name}_FILE`]) : names,
    ),
  ])
  const unread = Object.keys(env).filter((name) => name.startsWith('COPYDESK_') && !known.has(name))
  return unread.map((name) => `The environment variable ${name} is unknown to Copydesk.`)
}

function readVariable(env: Environment, name: string, setting: Setting) {
  const text = env[name]
  const file = setting.secret ? env[`${name}_FILE`] : undefined
  if (text && file) throw wrongUsage(`Set either ${name} or ${name}_FILE, not both.`)
  if (text) return { text, source: `environment variable ${name}` }
  if (!file) return undefined
  try {
    return { text: readFileSync(file, 'utf8').trim(), source: `file ${file} (${name}_FILE)` }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw wrongUsage(`The file ${file}, named by ${name}_FILE, cannot be read (${code}).`)
  }
}

function parse(text: string, { kind }: Setting): unknown {
  switch (kind) {
    case 'number':
      return /^-?\d+$/.test(text) ? Number(text) : text
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text
    case 'list':
      return entries(text)
    case 'encryptionKeys':
      return entries(text).map((entry) => pair(entry, 'key'))
    case 'signingKeys':
      return entries(text).map((entry) => pair(entry, 'secret'))
    case 'rates':
      return rates(text)
    case 'prices':
      return entries(text).map(price)
    default:
      return text
  }
}

function entries(text: string): string[] {
  return text
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

/** `id:value`; a value without an id is the only key and is called `main`. */
function pair(entry: string, name: 'key' | 'secret'): Record<string, string> {
  const colon = entry.indexOf(':')
  return colon === -1
    ? { id: 'main', [name]: entry }
    : { id: entry.slice(0, colon), [name]: entry.slice(colon + 1) }
}

/** `IN=18`, in per cent by country; the schema rejects anything else. */
function rates(text: string): unknown {
  const pairs = entries(text).map((entry) => /^([A-Za-z]{2})=(\d+(?:\.\d+)?)$/.exec(entry))
  if (pairs.includes(null)) return text
  return Object.fromEntries(pairs.map((pair) => [pair?.[1], Number(pair?.[2])]))
}

/** `model=input/output`, in US dollars per million tokens; the schema rejects anything else. */
function price(entry: string): unknown {
  const [, model, input, output] = /^(.+)=([\d.]+)\/([\d.]+)$/.exec(entry) ?? []
  return model === undefined ? entry : { model, input: Number(input), output: Number(output) }
}
