import { z } from 'zod'

/**
 * The same schema refusing fields that it does not declare, at every depth. Objects that say what to do with unknown
 * fields (`looseObject`, `catchall`) keep their word.
 */
export function strictly<S extends z.ZodType>(schema: S): S {
  return tighten(schema, new Map()) as S
}

function tighten(schema: z.ZodType, seen: Map<z.ZodType, z.ZodType>): z.ZodType {
  const known = seen.get(schema)
  if (known) return known
  seen.set(schema, schema)
  const built = rebuild(schema, (inner) => tighten(inner as z.ZodType, seen))
  seen.set(schema, built)
  return built
}

function rebuild(schema: z.ZodType, go: (inner: unknown) => z.ZodType): z.ZodType {
  const def = schema._zod.def as unknown as Record<string, unknown> & { type: string }
  switch (def.type) {
    case 'object': {
      const shape = def.shape as Record<string, z.ZodType>
      const strict = Object.fromEntries(Object.entries(shape).map(([key, value]) => [key, go(value)]))
      return copy(schema, { shape: strict, catchall: def.catchall ?? z.never() })
    }
    case 'array':
      return copy(schema, { element: go(def.element) })
    case 'optional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'readonly':
      return copy(schema, { innerType: go(def.innerType) })
    case 'union':
      return copy(schema, { options: (def.options as unknown[]).map(go) })
    case 'record':
      return copy(schema, { valueType: go(def.valueType) })
    default:
      return schema
  }
}

/** A copy that differs in some inner parts; checks and refinements come along. */
function copy(schema: z.ZodType, parts: Record<string, unknown>): z.ZodType {
  return schema.clone({ ...schema._zod.def, ...parts })
}
