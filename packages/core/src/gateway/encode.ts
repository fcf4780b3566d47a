import { z } from 'zod'

type Encode = (value: unknown) => unknown

/**
 * A function that encodes values through a schema, for what is encoded on every request. Like `z.encode` it copies
 * declared fields only, turns dates into text and refuses values of another type; what zod would check beyond that
 * (the form of a text, the range of a number) was checked when it came in.
 * @throws z.core.$ZodError from the function, for a value that the schema does not describe
 */
export function encoderFor(schema: z.ZodType): Encode {
  let encode: Encode | undefined
  return (value) => {
    encode ??= build(schema)
    try {
      return encode(value)
    } catch (error) {
      // Zod says what is wrong with it, and where.
      if (error === mismatch) return z.encode(schema, value)
      throw error
    }
  }
}

const mismatch = Symbol('mismatch')

interface Def {
  type: string
  checks?: unknown[]
  format?: string
  shape: Record<string, z.ZodType>
  catchall?: z.ZodType
  element: z.ZodType
  innerType: z.ZodType
  entries: Record<string, string>
  values: unknown[]
  out: z.ZodType
  reverseTransform?: (value: unknown, payload: unknown) => unknown
}

function build(schema: z.ZodType): Encode {
  const def = schema._zod.def as unknown as Def
  switch (def.type) {
    case 'object':
      // A refinement may look at the whole.
      return def.catchall || def.checks ? whole(schema) : objectEncoder(def.shape)
    case 'array': {
      const item = build(def.element)
      return (value) => (Array.isArray(value) ? value.map((one) => item(one)) : fail())
    }
    case 'nullable': {
      const inner = build(def.innerType)
      return (value) => (value === null ? null : inner(value))
    }
    case 'optional': {
      const inner = build(def.innerType)
      return (value) => (value === undefined ? undefined : inner(value))
    }
    case 'string':
      return (value) => (typeof value === 'string' ? value : fail())
    case 'number':
      return def.format === undefined
        ? (value) => (Number.isFinite(value) ? value : fail())
        : (value) => (Number.isSafeInteger(value) ? value : fail())
    case 'boolean':
      return (value) => (typeof value === 'boolean' ? value : fail())
    case 'enum':
      return oneOf(Object.values(def.entries))
    case 'literal':
      return oneOf(def.values)
    case 'pipe':
      return isDate(def) ? (value) => (value instanceof Date ? isoText(value) : fail()) : whole(schema)
    default:
      return whole(schema)
  }
}

function fail(): never {
  throw mismatch
}

const whole =
  (schema: z.ZodType): Encode =>
  (value) =>
    z.encode(schema, value)

function oneOf(values: readonly unknown[]): Encode {
  const known = new Set(values)
  return (value) => (known.has(value) ? value : fail())
}

function objectEncoder(shape: Record<string, z.ZodType>): Encode {
  const fields = Object.entries(shape).map(([key, schema]) => [key, build(schema)] as const)
  return mayCompile ? compiledObject(fields) : loopedObject(fields)
}

type Fields = ReadonlyArray<readonly [key: string, encode: Encode]>

/**
 * A function that names each field, in a fifth of the time of a loop over them. What is made into code are the keys that an
 * endpoint declares, as JSON. A field that is absent is there as undefined, which JSON leaves out.
 */
function compiledObject(fields: Fields): Encode {
  const entries = fields.map(
    ([key], i) => `${JSON.stringify(key)}: encode${i}(value[${JSON.stringify(key)}])`,
  )
  const source = `return (value) =>
    typeof value === 'object' && value !== null ? { ${entries.join(', ')} } : fail()`
  const names = fields.map((_, i) => `encode${i}`)
  // oxlint-disable-next-line typescript/no-implied-eval
  return new Function('fail', ...names, source)(fail, ...fields.map(([, encode]) => encode)) as Encode
}

function loopedObject(fields: Fields): Encode {
  return (value) => {
    if (typeof value !== 'object' || value === null) return fail()
    const out: Record<string, unknown> = {}
    for (const [key, encode] of fields) {
      const encoded = encode((value as Record<string, unknown>)[key])
      if (encoded !== undefined) out[key] = encoded
    }
    return out
  }
}

/** Hosts at the edge, and Node with `--disallow-code-generation-from-strings`, make no code of text. */
const mayCompile = (() => {
  try {
    // oxlint-disable-next-line typescript/no-implied-eval
    return new Function('return true')() === true
  } catch {
    return false
  }
})()

/** The one codec of the wire: a `Date` inside, ISO 8601 outside. */
function isDate({ out, reverseTransform }: Def): boolean {
  return reverseTransform !== undefined && (out._zod.def as unknown as Def).type === 'date'
}

/** Lists show the same instants over and over, and making the text of one costs as much as encoding ten plain fields. */
const isoTexts = new Map<number, string>()
const maxIsoTexts = 5_000

function isoText(date: Date): string {
  const instant = date.getTime()
  let text = isoTexts.get(instant)
  if (text === undefined) {
    text = date.toISOString()
    if (isoTexts.size >= maxIsoTexts) isoTexts.clear()
    isoTexts.set(instant, text)
  }
  return text
}
