import {
  BigIntType,
  BooleanType,
  DateTimeType,
  type EntityProperty,
  type EntitySchema,
  type InferEntity,
  JsonType,
  type Opt,
  UnderscoreNamingStrategy,
} from '@mikro-orm/core'
import type { Row, Sql, SqlValue } from './database.ts'

/**
 * Reads whose columns, decoders and row types come from the entities; what comes after `from` stays SQL:
 *
 *     const a = table(Approval, 'a')
 *     const waiting = select({ id: a.id, dueAt: a.dueAt, links: count('(select count(*) from approval_links l where l.approval_id = a.id)') })
 *     const rows = await waiting.all(sql, `from ${a} where a.status = 'pending' and a.tenant_id = ?`, [tenantId])
 *     rows[0]?.dueAt // Date | null, on both databases
 */

/** Something that can be selected, and the value that becomes of it. As text it is its SQL, so that it can stand in a statement. */
export interface Column<T> {
  readonly sql: string
  readonly decode: (value: unknown) => T
  toString(): string
}

function column<T>(sql: string, decode: (value: unknown) => T): Column<T> {
  return { sql, decode, toString: () => sql }
}

/** A column's value as people work with it; `Opt` only says that a new entity may go without. */
type Plain<T> = T extends Opt<infer V> ? V : T

/** The columns of an entity under an alias; as text `approvals a`. */
export type Table<E> = { readonly [K in keyof E & string]: Column<Plain<E[K]>> } & { toString(): string }

/** The same where the row may be missing. */
export type LeftTable<E> = { readonly [K in keyof E & string]: Column<Plain<E[K]> | null> } & {
  toString(): string
}

const naming = new UnderscoreNamingStrategy()

/** The columns of a table, by the names of the entity's properties. @param alias stands for the table in the statement */
export function table<S extends EntitySchema>(entity: S, alias: string): Table<InferEntity<S>> {
  return columnsOf(entity, alias, false) as Table<InferEntity<S>>
}

/** The columns of a table that is joined by `left join`, so that each may be null. */
export function leftTable<S extends EntitySchema>(entity: S, alias: string): LeftTable<InferEntity<S>> {
  return columnsOf(entity, alias, true) as LeftTable<InferEntity<S>>
}

function columnsOf(entity: EntitySchema, alias: string, optional: boolean): object {
  const { properties, tableName } = entity.meta
  const columns = Object.entries(properties as Record<string, EntityProperty>).map(([name, property]) => [
    name,
    column(
      `${alias}.${naming.propertyToColumnName(name)}`,
      decoderOf(property, optional || property.nullable === true),
    ),
  ])
  return Object.assign(Object.fromEntries(columns), { toString: () => `${tableName} ${alias}` })
}

/** The decoder of what both databases give alike. */
const same = (value: unknown) => value

const decoders = new Map<unknown, (value: unknown) => unknown>([
  [DateTimeType, toDate],
  [JsonType, toJson],
  [BooleanType, Boolean],
  [BigIntType, Number],
])

function decoderOf(property: EntityProperty, nullable: boolean): (value: unknown) => unknown {
  const { type } = property as { type: unknown }
  const kind = typeof type === 'function' ? type : (type as object).constructor
  const decode = decoders.get(kind) ?? same
  return nullable && decode !== same ? (value) => (value === null ? null : decode(value)) : decode
}

/** A timestamp: milliseconds on SQLite, `Date` or text on PostgreSQL. */
function toDate(value: unknown): Date {
  return value instanceof Date ? value : new Date(value as number | string)
}

/** JSON: text on SQLite, already parsed on PostgreSQL. */
function toJson(value: unknown): unknown {
  return typeof value === 'string' ? JSON.parse(value) : value
}

/** Some columns of a table, under their own names: `select({ ...pick(a, 'id', 'title'), tenantName: t.name })`. */
export function pick<T extends object, K extends keyof T & string>(
  of: T,
  ...names: readonly K[]
): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, of[name]])) as Pick<T, K>
}

/** A number that is counted or summed: none is 0. PostgreSQL gives such numbers as text. */
export const count = (sql: string): Column<number> => column(sql, (value) => Number(value ?? 0))
export const text = <T extends string = string>(sql: string): Column<T> =>
  column(sql, same as (value: unknown) => T)
export const instant = (sql: string): Column<Date> => column(sql, toDate)
export const flag = (sql: string): Column<boolean> => column(sql, Boolean)

/** An expression whose values are those of a column: `like(r.notBefore, 'min(r.not_before)')`. */
export const like = <T>(of: Column<T>, sql: string): Column<T> => column(sql, of.decode)

/** The same, where there may be no value. */
export const nullable = <T>(of: Column<T>): Column<T | null> =>
  column(of.sql, of.decode === same ? of.decode : (value) => (value === null ? null : of.decode(value)))

type Columns = Readonly<Record<string, Column<unknown>>>
type Values<C extends Columns> = { [K in keyof C]: C[K] extends Column<infer T> ? T : never }

/** What a statement selects, and the rows that it gives. */
export interface Selection<R> {
  /** `a.id as "id", a.due_at as "dueAt"`, for unions, subqueries and `returning`. */
  readonly columns: string
  decode(row: Row): R
  /** The rows of a statement that is written otherwise, with `columns` in it. */
  allOf(sql: Sql, statement: string, params?: readonly SqlValue[]): Promise<R[]>
  /** @param rest everything from `from` on */
  all(sql: Sql, rest: string, params?: readonly SqlValue[]): Promise<R[]>
  /** The first row. @param rest everything from `from` on */
  get(sql: Sql, rest: string, params?: readonly SqlValue[]): Promise<R | undefined>
}

/** The rows of a selection. */
export type RowOf<S extends Selection<unknown>> = S extends Selection<infer R> ? R : never

/** True when there is a row. @param rest everything from `from` on */
export async function exists(sql: Sql, rest: string, params?: readonly SqlValue[]): Promise<boolean> {
  return (await sql.get(`select 1 as one ${rest} limit 1`, params)) !== undefined
}

/** Names what is selected: the keys are those of the rows. */
export function select<C extends Columns>(selected: C): Selection<Values<C>> {
  return selection(selected, 'select')
}

/** The same, each row once. */
export function selectDistinct<C extends Columns>(selected: C): Selection<Values<C>> {
  return selection(selected, 'select distinct')
}

function selection<C extends Columns>(selected: C, verb: string): Selection<Values<C>> {
  const named = Object.entries(selected)
  const columns = named.map(([name, { sql }]) => `${sql} as "${name}"`).join(', ')
  const head = `${verb} ${columns}`
  // The row of the driver is its reader's own: only what has another form is put in its place.
  const changing = named.filter(([, column]) => column.decode !== same)
  const decode = (row: Row) => {
    for (const [name, column] of changing) row[name] = column.decode(row[name])
    return row as Values<C>
  }
  return {
    columns,
    decode,
    allOf: async (sql, statement, params) => (await sql.all(statement, params)).map(decode),
    all: async (sql, rest, params) => (await sql.all(`${head} ${rest}`, params)).map(decode),
    async get(sql, rest, params) {
      const row = await sql.get(`${head} ${rest}`, params)
      return row && decode(row)
    },
  }
}
