import { isRaw, raw, Utils } from '@mikro-orm/core'
import { type AbstractSqlConnection, type AbstractSqlPlatform, NativeQueryBuilder } from '@mikro-orm/sql'
import { CompiledQuery } from 'kysely'

/** How a database takes values apart from the text of a statement. */
export interface ValueBinding {
  /** The mark of the value at a position, counted from 1. */
  mark(position: number): string
  /** A value as its driver takes it. */
  bind(value: unknown): unknown
}

/** A connection of one database: unlike its base it has a dialect. */
interface Connection extends AbstractSqlConnection {
  createKyselyDialect: AbstractSqlConnection['createKyselyDialect']
}

// biome-ignore lint/suspicious/noExplicitAny: TypeScript wants it of a class that is extended
type ConnectionClass = new (...args: any[]) => Connection

/**
 * The ORM's connection, which writes values into the text of each statement, made to hand text and values over apart: the
 * text repeats, so that the database prepares it once.
 */
export function withBoundValues<C extends ConnectionClass>(Base: C, binding: ValueBinding): C {
  return class extends Base {
    override async execute(...args: Parameters<AbstractSqlConnection['execute']>): Promise<never> {
      const [query, given = [], method = 'all', transaction, context] = args
      await this.ensureConnection()
      const written = query instanceof NativeQueryBuilder ? query.toRaw() : query
      const named = typeof written === 'string' && !Array.isArray(given)
      const fragment = named ? raw(written, given as Record<string, unknown>) : written
      const [text, params] = isRaw(fragment)
        ? [fragment.sql, fragment.params]
        : [fragment as string, given as readonly unknown[]]
      const platform = this.platform as AbstractSqlPlatform
      return this.executeQuery(
        text,
        async () => {
          const compiled = bindValues(platform, text, params, binding)
          const result = await (transaction ?? this.getClient()).executeQuery(compiled)
          return this.transformRawResult(result, method) as never
        },
        { query: text, params: [...params], ...context },
      )
    }
  }
}

/** Replaces the marks of the ORM as it would itself, except for values: `\?` is a question mark, `??` a name. */
function bindValues(
  platform: AbstractSqlPlatform,
  text: string,
  params: readonly unknown[],
  { mark, bind }: ValueBinding,
): CompiledQuery {
  const values: unknown[] = []
  const place = (value: unknown): string => {
    if (isRaw(value)) return write(value.sql, value.params)
    if (Array.isArray(value)) return value.map(place).join(', ')
    values.push(bind(Utils.isPlainObject(value) ? JSON.stringify(value) : (value ?? null)))
    return mark(values.length)
  }
  const write = (part: string, given: readonly unknown[]): string => {
    if (given.length === 0) return part
    let next = 0
    return part.replace(/\\\?|\?\?|\?/g, (found) => {
      if (found === '\\?') return '?'
      const value = given[next++]
      return found === '??' ? platform.quoteIdentifier(value as string) : place(value)
    })
  }
  return CompiledQuery.raw(write(text, params), values)
}
