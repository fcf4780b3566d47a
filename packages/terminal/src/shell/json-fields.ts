import { wrongUsage } from './failure.ts'

/** Field names in the given order, each with the fields picked below it; undefined: all of it. */
export type Fields = ReadonlyMap<string, Fields | undefined>

/**
 * Where an unknown field is rejected: everywhere, or only at the top, when the rows below have different
 * fields.
 */
export type Strictness = 'everywhere' | 'top'

type Entry = Readonly<Record<string, unknown>>

const most = 100
const path = /^[A-Za-z_][\w-]*(?:\.[\w-]+)*$/

/** Whether a word can be a list of fields; ids cannot, as they begin with a digit. */
export function areFields(word: string): boolean {
  const names = word.split(',', most + 1)
  return names.length <= most && names.every((name) => path.test(name))
}

/** The fields of `--json=title,campaign.name`. @throws Failure when they are invalid */
export function fieldsIn(text: string): Fields {
  if (!areFields(text))
    throw wrongUsage(
      `--json takes up to ${most} names of fields separated by commas, such as --json=id,title.`,
    )
  const fields = new Map<string, Fields | undefined>()
  for (const name of text.split(',')) {
    const names = name.split('.')
    const last = names.pop() ?? ''
    let level: Map<string, Fields | undefined> | undefined = fields
    for (const each of names) {
      if (level.has(each) && level.get(each) === undefined) {
        // All of it is picked already.
        level = undefined
        break
      }
      const below: Map<string, Fields | undefined> = new Map(level.get(each))
      level.set(each, below)
      level = below
    }
    level?.set(last, undefined)
  }
  return fields
}

/**
 * The picked fields of a reply, in the same shape: of each row of a list, of an object, and of the rows of
 * its lists for fields that the object does not have.
 * @throws Failure for an unknown field; when there are no rows, any field is accepted
 */
export function pickFields(answer: unknown, fields: Fields, strictness: Strictness = 'everywhere'): unknown {
  const value: unknown = JSON.parse(JSON.stringify(answer))
  if (!isEntry(value)) {
    check([value], fields, strictness)
    return picked(value, fields)
  }
  const own = new Map([...fields].filter(([name]) => Object.hasOwn(value, name)))
  const ofRows = new Map([...fields].filter(([name]) => !own.has(name)))
  const lists = Object.entries(value).filter(
    (entry): entry is [string, Entry[]] => !own.has(entry[0]) && isList(entry[1]),
  )
  if (ofRows.size === 0 || lists.length === 0) {
    check([value], fields, strictness)
    return picked(value, fields)
  }
  check([value], own, strictness)
  const rows = lists.flatMap(([, list]) => list)
  check(rows, ofRows, strictness, [], Object.keys(value))
  const shown = lists.filter(
    ([, list]) =>
      list.length === 0 || list.some((row) => [...ofRows.keys()].some((name) => Object.hasOwn(row, name))),
  )
  const parts = shown.map(([name, list]) => [name, picked(list, ofRows)] as const)
  return { ...(picked(value, own) as Entry), ...Object.fromEntries(parts) }
}

/** @param above names of fields of the parent that would have been valid as well */
function check(
  values: readonly unknown[],
  fields: Fields,
  strictness: Strictness,
  before: readonly string[] = [],
  above: readonly string[] = [],
): void {
  const all = values.flat(Number.POSITIVE_INFINITY)
  const entries = all.filter(isEntry)
  if (entries.length === 0 && all.every((value) => value === null || value === undefined)) return
  for (const [name, below] of fields) {
    const here = [...before, name]
    if (!entries.some((entry) => Object.hasOwn(entry, name))) {
      const known = new Set([...above, ...entries.flatMap((entry) => Object.keys(entry))])
      throw unknownField(here.join('.'), [...known])
    }
    if (below && strictness === 'everywhere')
      check(
        entries.map((entry) => entry[name]),
        below,
        strictness,
        here,
      )
  }
}

function unknownField(name: string, known: readonly string[]): Error {
  const those = known.length > 0 ? `Fields: ${known.join(', ')}.` : 'There are none.'
  return wrongUsage(
    `The reply has no field ${name}. ${those} The command was executed; only its output is missing.`,
  )
}

function picked(value: unknown, fields: Fields): unknown {
  if (Array.isArray(value)) return value.map((each) => picked(each, fields))
  if (!isEntry(value)) return null
  return Object.fromEntries(
    [...fields].map(([name, below]) => {
      const found = Object.hasOwn(value, name) ? (value[name] ?? null) : null
      return [name, below ? picked(found, below) : found]
    }),
  )
}

function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const isList = (value: unknown) => Array.isArray(value) && value.every(isEntry)
