import fc from 'fast-check'
import type { z } from 'zod'

/** Values that a field of some name can have beyond what its schema says: ids that exist, codes, names. */
export type Known = (field: string) => readonly unknown[] | undefined

interface Def {
  type: string
  format?: string
  checks?: Array<{ _zod: { def: Check } }>
  shape: Record<string, z.ZodType>
  element: z.ZodType
  innerType: z.ZodType
  keyType: z.ZodType
  valueType: z.ZodType
  in: z.ZodType
  out: z.ZodType
  options: z.ZodType[]
  items: z.ZodType[]
  entries: Record<string, unknown>
  values: unknown[]
}

interface Check {
  check: string
  minimum?: number
  maximum?: number
  value?: number
  inclusive?: boolean
  pattern?: RegExp
}

const defOf = (schema: z.ZodType) => schema._zod.def as unknown as Def
const checksOf = (schema: z.ZodType) => (defOf(schema).checks ?? []).map((check) => check._zod.def)

/**
 * Values for a schema as a caller would send them: most of them are valid. Refinements beyond the types are
 * only met by chance.
 * @param field the name of the field with the value
 */
export function valid(schema: z.ZodType, known: Known, field = ''): fc.Arbitrary<unknown> {
  const def = defOf(schema)
  const inner = (part: z.ZodType, name = field) => valid(part, known, name)
  switch (def.type) {
    case 'object': {
      const fields = Object.entries(def.shape)
      const model = Object.fromEntries(fields.map(([key, part]) => [key, inner(part, key)]))
      const requiredKeys = fields.filter(([, part]) => !isOptional(part)).map(([key]) => key)
      return fc.record(model, { requiredKeys, noNullPrototype: true })
    }
    case 'array': {
      const [least, most] = bounds(schema, 0, 6)
      return fc.array(inner(def.element, field.replace(/s$/, '')), { minLength: least, maxLength: most })
    }
    case 'tuple':
      return fc.tuple(...def.items.map((item) => inner(item)))
    case 'optional':
    case 'default':
    case 'prefault':
    case 'catch':
    case 'readonly':
    case 'nonoptional':
      return inner(def.innerType)
    case 'nullable':
      return fc.option(inner(def.innerType), { nil: null, freq: 4 })
    case 'union':
      return fc.oneof(...def.options.map((option) => inner(option)))
    case 'record':
      return fc.dictionary(text(def.keyType, known, 'key') as fc.Arbitrary<string>, inner(def.valueType), {
        maxKeys: 5,
        noNullPrototype: true,
      })
    case 'pipe':
      return pipe(schema, known, field)
    case 'number':
      return number(schema)
    case 'boolean':
      return fc.boolean()
    case 'enum':
      return fc.constantFrom(...Object.values(def.entries))
    case 'literal':
      return fc.constantFrom(...def.values)
    case 'null':
      return fc.constant(null)
    case 'unknown':
    case 'any':
      return fc.jsonValue({ maxDepth: 3 })
    case 'string':
      return text(schema, known, field)
    default:
      throw new Error(
        `Schemas of the type "${def.type}" are new here: teach test/kit/fuzz/valid.ts to make values of them`,
      )
  }
}

/** True when an object may do without the field. */
const isOptional = (schema: z.ZodType): boolean => schema.safeParse(undefined).success

/** A preprocess passes everything on; a codec or a transform validates its input schema. */
function pipe(schema: z.ZodType, known: Known, field: string): fc.Arbitrary<unknown> {
  const def = defOf(schema)
  if (defOf(def.in).type === 'transform') return valid(def.out, known, field)
  if (defOf(def.in).type !== 'string') return valid(def.in, known, field)
  return text(schema, known, field)
}

/** The least and the greatest length that a schema takes; 0 and 1,000 where it names none. */
export function boundsOf(schema: z.ZodType): [number, number] {
  const named = checksOf(schema).some(({ maximum }) => maximum !== undefined)
  return named ? bounds(schema, 0, Number.MAX_SAFE_INTEGER) : [bounds(schema, 0, 0)[0], 1_000]
}

function bounds(schema: z.ZodType, min: number, max: number): [number, number] {
  const checks = checksOf(schema)
  const least = Math.max(min, ...checks.map(({ minimum }) => minimum ?? min))
  const most = Math.min(...checks.map(({ maximum }) => maximum ?? Number.POSITIVE_INFINITY))
  return [least, Math.max(least, Math.min(most, least + max))]
}

function number(schema: z.ZodType): fc.Arbitrary<unknown> {
  const limits = checksOf(schema).filter(({ check }) => check === 'greater_than' || check === 'less_than')
  const edge = (check: string, otherwise: number, step: number) =>
    limits
      .filter((limit) => limit.check === check)
      .map(({ value = otherwise, inclusive }) => (inclusive ? value : value + step))
  const min = Math.max(-1e9, ...edge('greater_than', -1e9, 1))
  const max = Math.min(...edge('less_than', 2 ** 31, -1), Math.max(min, 2 ** 31))
  const whole = fc.integer({ min: Math.ceil(min), max: Math.floor(max) })
  const near = fc.integer({ min: Math.ceil(min), max: Math.floor(Math.min(max, Math.max(min, 0) + 30)) })
  const edges = fc.constantFrom(Math.ceil(min), Math.floor(max))
  if (defOf(schema).format !== undefined) return fc.oneof(near, whole, edges)
  // Money has six decimals at the most.
  return fc.oneof(
    near,
    edges,
    whole.map((value) => Math.min(max, Math.max(min, value / 1_000))),
  )
}

const words = fc.constantFrom(
  'Morning Oats',
  'Größe',
  'naïve',
  '東京',
  'мир',
  "O'Neill",
  '100 %',
  '👩‍🚀',
  'a',
  'blog_post',
)

/** A form of texts with some of them, by which it is known whether a schema takes it. */
interface Candidate {
  texts: fc.Arbitrary<string>
  samples: readonly string[]
}

const candidate = (texts: fc.Arbitrary<string>): Candidate => ({
  texts,
  samples: fc.sample(texts, { numRuns: 8, seed: 1 }),
})

const dates = fc
  .date({ min: new Date(0), max: new Date('2999-12-31T23:59:59.999Z'), noInvalidDate: true })
  .map((date) => date.toISOString())

/** Making texts of a pattern is slow to set up: each is set up once. */
const fixed = [
  fc.stringMatching(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/),
  fc.stringMatching(/^[a-z][a-z0-9]{0,9}(\.[a-z0-9]{1,5})?@[a-z]{1,9}\.example$/),
  dates,
  dates.map((date) => date.slice(0, 10)),
  fc.stringMatching(/^[0-9a-f]{64}$/),
  fc.constantFrom('DE', 'IN', 'US', 'GB'),
  fc.constantFrom('KA', 'CA', 'BY'),
  fc.constantFrom('+49 30 1234567', '5551234567'),
  fc.constantFrom('https://shop.example.com/a?b=c', 'http://example.org'),
  fc.constantFrom('https://shop.example.com', 'http://example.org:8080'),
  fc.constantFrom('Europe/Berlin', 'Asia/Kolkata', 'UTC'),
  fc.constantFrom('EUR', 'USD', 'INR'),
  fc.constantFrom('shop.example.com', 'example.org'),
  fc.stringMatching(/^[a-z][a-z0-9_]{2,20}$/),
  fc.stringMatching(/^[A-Z][A-Z0-9]{3,12}$/),
  fc.stringMatching(/^[0-9]{1,6}$/),
  fc.uuid(),
].map(candidate)

const lowerNames = fc.stringMatching(/^[a-z]{3,8}$/)
const ofPatterns = new Map<string, Candidate | undefined>()

function ofPattern(pattern: RegExp): Candidate | undefined {
  const key = String(pattern)
  if (!ofPatterns.has(key)) {
    try {
      ofPatterns.set(key, candidate(fc.stringMatching(pattern, { size: 'small' })))
    } catch {
      // It holds something that cannot be turned round; another candidate has to do.
      ofPatterns.set(key, undefined)
    }
  }
  return ofPatterns.get(key)
}

/** What texts look like that a schema may ask for: the first that it takes. */
function fittingText(schema: z.ZodType): fc.Arbitrary<string> | undefined {
  const passes = ({ samples }: Candidate) => samples.every((text) => schema.safeParse(text).success)
  const [least, most] = bounds(schema, 0, 40)
  const free = [
    fc
      .array(words, { minLength: 1, maxLength: 6 })
      .map((all) => all.join(' ').padEnd(least, 'x').slice(0, most)),
    lowerNames.map((name) => `Aa1 ${name}`.padEnd(least, '9')),
  ].map(candidate)
  const known = [...free, ...fixed].find(passes)
  if (known) return known.texts
  const patterns = checksOf(schema).flatMap(({ pattern }) => (pattern ? [pattern] : []))
  return patterns.flatMap((pattern) => ofPattern(pattern) ?? []).find(passes)?.texts
}

const found = new WeakMap<z.ZodType, fc.Arbitrary<unknown>>()

function text(schema: z.ZodType, known: Known, field: string): fc.Arbitrary<unknown> {
  const values = known(field)
  const made = plainText(schema, field)
  return values
    ? fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...values) }, { weight: 1, arbitrary: made })
    : made
}

function plainText(schema: z.ZodType, field: string): fc.Arbitrary<unknown> {
  const earlier = found.get(schema)
  if (earlier) return earlier
  const passes = (value: unknown) => schema.safeParse(value).success
  const fitting = fittingText(schema)
  if (!fitting) {
    throw new Error(
      `No text was found that "${field}" takes: add one to the candidates in test/kit/fuzz/valid.ts`,
    )
  }
  const [least, most] = [bounds(schema, 0, 0)[0], bounds(schema, 0, 120_000)[1]]
  const edges = ['x'.repeat(least), 'x'.repeat(most), 'é'.repeat(most)].filter(passes)
  const all =
    edges.length === 0
      ? fitting
      : fc.oneof({ weight: 12, arbitrary: fitting }, { weight: 1, arbitrary: fc.constantFrom(...edges) })
  found.set(schema, all)
  return all
}
