import type { EndpointInfo } from '@copydesk/core'
import type { z } from 'zod'

/** One value that an endpoint takes: a text, a number, a list. */
export interface InputField {
  where: 'query' | 'headers' | 'body'
  /** Names from the outside in; `*` represents each item of a list or a record. */
  path: readonly string[]
  schema: z.ZodType
}

interface Def {
  type: string
  shape: Record<string, z.ZodType>
  element: z.ZodType
  innerType: z.ZodType
  valueType: z.ZodType
  items: readonly z.ZodType[]
  options: readonly z.ZodType[]
  in: z.ZodType
  out: z.ZodType
}

const defOf = (schema: z.ZodType) => schema._zod.def as unknown as Def

/** Everything that an endpoint takes in its query, headers and body, lists and objects included. */
export function inputFields({ definition }: EndpointInfo): InputField[] {
  const { query, headers, body, json } = definition
  const roots = [
    ['query', query],
    ['headers', headers],
    ['body', body],
    ['body', json],
  ] as const
  return roots.flatMap(([where, schema]) =>
    schema ? fieldsOf(schema, []).map((field) => ({ where, ...field })) : [],
  )
}

/** Everything inside of a schema that is no object itself; `path` leads to it. */
export function fieldsOf(schema: z.ZodType, path: readonly string[]): Omit<InputField, 'where'>[] {
  const def = defOf(schema)
  switch (def.type) {
    case 'object':
      return Object.entries(def.shape).flatMap(([key, inner]) => fieldsOf(inner, [...path, key]))
    case 'array':
      return [{ path, schema }, ...fieldsOf(def.element, [...path, '*'])]
    case 'record':
      return fieldsOf(def.valueType, [...path, '*'])
    case 'tuple':
      return def.items.flatMap((item) => fieldsOf(item, [...path, '*']))
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'readonly':
    case 'catch':
    case 'nonoptional':
      return fieldsOf(def.innerType, path)
    case 'union':
      // A union of one kind of value is looked at as a whole as well: what one form refuses, another may take.
      return [{ path, schema }, ...def.options.flatMap((option) => fieldsOf(option, path))]
    case 'pipe':
      return [{ path, schema }, ...(defOf(def.in).type === 'transform' ? fieldsOf(def.out, path) : [])]
    default:
      return [{ path, schema }]
  }
}

/** The last instants and days before those that may be sent in, the first after them, and others far from both. */
export const datesOutside: readonly string[] = [
  '1969-12-31',
  '3000-01-01',
  '0000-01-01',
  '0001-01-01',
  '0099-12-31',
  '9999-12-31',
  '-000001-01-01',
  '+010000-01-01',
  '+275760-09-13',
].flatMap((day) => [day, day.slice(0, -3), `${day}T00:00:00Z`, `${day}T23:59:59.999Z`])

const takes = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success

const dates = ['2026-04-10', '2026-04-10T09:30:00Z', '2026-04']
const otherTexts = ['some text', 'Some-text-1', '+49 30 1234567', '000102030405', '2026-04-10:2026-04-10']

/** Whether a field is for dates, by what it takes: it takes one, and no other text of the same characters. */
export function isForDates({ schema }: Pick<InputField, 'schema'>): boolean {
  return dates.some((date) => takes(schema, date)) && !otherTexts.some((text) => takes(schema, text))
}

/** A copy of an input with one value in it replaced; `*` in the path is the first item of a list. */
export function withValueAt(input: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value
  if (name === '*') return [withValueAt((input as unknown[] | undefined)?.[0], rest, value)]
  const record = (input ?? {}) as Record<string, unknown>
  return { ...record, [name]: withValueAt(record[name], rest, value) }
}
