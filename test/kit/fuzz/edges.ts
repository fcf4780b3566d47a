import fc from 'fast-check'
import type { z } from 'zod'
import { datesOutside, fieldsOf, isForDates } from '../input-fields.ts'
import { Written } from './hostile.ts'
import { hostileTexts } from './hostile-texts.ts'
import { boundsOf, type Known, valid } from './valid.ts'

/** Values at the ends of what a field takes and just beyond: dates, sizes and counts. */

const numbers = [
  0,
  1,
  -1,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53 - 1,
  2 ** 53,
  5e-324,
  0.1 + 0.2,
  1e308,
  -1e308,
]
const writtenNumbers = [
  '1e309',
  '-1e309',
  'NaN',
  'Infinity',
  '9007199254740993',
  '1E400',
  '-0',
  '00',
  '0x7fffffff',
]

const dates = [
  ...datesOutside,
  '1970-01-01',
  '2999-12-31',
  '1970-01-01T00:00:00Z',
  '2999-12-31T23:59:59.999Z',
  '1970-01-01T00:00:00+14:00',
  '2999-12-31T23:59:59.999-12:00',
  '2026-03-29T02:30:00+01:00',
  '2024-02-29',
  '2023-02-29',
  '2026-01-01T00:00:00.000000000000000000001Z',
  '2011-12-30',
]

const cursors = [
  '00000000000000000000000000',
  '7ZZZZZZZZZZZZZZZZZZZZZZZZZ',
  '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  '1.0.01ARZ3NDEKTSV4RRFFQ69G5FAV.0',
  '8.zzzzzzzzz.7ZZZZZZZZZZZZZZZZZZZZZZZZZ.zzzzzzzzz',
  '0.zzzzzzzzz.7ZZZZZZZZZZZZZZZZZZZZZZZZZ',
  '6.0.00000000000000000000000000',
  'x'.repeat(200),
  'x'.repeat(201),
]

/** The longest list or text that is made; more than a body may hold is refused for its length alone. */
const most = 12_000

function sizes(schema: z.ZodType): number[] {
  const [least, longest] = boundsOf(schema)
  return [...new Set([0, least, longest, longest + 1, 1_000])].filter((size) => size >= 0 && size <= most)
}

function textsOf(schema: z.ZodType): string[] {
  return sizes(schema).flatMap((size) =>
    ['x', '💥', 'é', ' ', '\n', 'a '].map((part) =>
      part.repeat(Math.ceil(size / part.length)).slice(0, size),
    ),
  )
}

/** @param name of the field. @returns undefined for what has no ends, such as a choice of words */
function edgesOf(schema: z.ZodType, name: string, known: Known): fc.Arbitrary<unknown> | undefined {
  if (name === 'cursor') return fc.constantFrom(...cursors)
  if (isForDates({ schema })) return fc.constantFrom(...dates)
  switch (schema._zod.def.type) {
    case 'number':
      return fc.constantFrom<unknown>(...numbers, ...writtenNumbers.map((text) => new Written(text)))
    case 'string':
      return fc.constantFrom(...textsOf(schema))
    case 'array': {
      const { element } = schema._zod.def as unknown as { element: z.ZodType }
      return fc
        .tuple(valid(element, known, name.replace(/s$/, '')), fc.constantFrom(...sizes(schema)))
        .map(([item, size]) => Array.from({ length: size }, () => item))
    }
    default:
      return undefined
  }
}

/** A value of a schema with one field, or two, at the limit of its range. */
export function edged(
  schema: z.ZodType,
  value: fc.Arbitrary<unknown>,
  known: Known,
): fc.Arbitrary<unknown> | undefined {
  const fields = fieldsOf(schema, []).flatMap(({ path, schema: own }) => {
    const edges = path.length > 0 ? edgesOf(own, path.at(-1) ?? '', known) : undefined
    return edges ? [edges.map((edge) => ({ path, edge }))] : []
  })
  if (fields.length === 0) return undefined
  return fc
    .tuple(value, fc.array(fc.oneof(...fields), { minLength: 1, maxLength: 2 }))
    .map(([whole, changes]) => changes.reduce((host, { path, edge }) => put(host, path, edge), whole))
}

/** A copy with another value at a place; `*` is the first item of a list, or a name that hurts in a record. */
function put(host: unknown, [name, ...rest]: readonly string[], edge: unknown): unknown {
  if (name === undefined) return edge
  if (Array.isArray(host) || (name === '*' && host === undefined)) {
    const [first, ...others] = (host as unknown[] | undefined) ?? []
    return [put(first, rest, edge), ...others]
  }
  const own = typeof host === 'object' && host !== null ? (host as Record<string, unknown>) : {}
  const key = name === '*' ? (Object.keys(own)[0] ?? hostileTexts[0] ?? '') : name
  return { ...own, [key]: put(own[key], rest, edge) }
}
