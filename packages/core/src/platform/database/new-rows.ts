import {
  type EntityProperty,
  type EntitySchema,
  type InferEntity,
  JsonType,
  type RequiredEntityData,
  UnderscoreNamingStrategy,
} from '@mikro-orm/core'
import type { Sql, SqlValue } from './database.ts'

/** A row to be added, by the properties of its entity. */
export interface NewRow {
  readonly entity: EntitySchema
  readonly values: Readonly<Record<string, unknown>>
  /** What happens where a unique index says that it is there already: an `on conflict` clause. */
  readonly onConflict?: string
}

/** What a row of an entity is made from. */
export type NewValues<S extends EntitySchema> = RequiredEntityData<InferEntity<S>>

export function newRow<S extends EntitySchema>(entity: S, values: NewValues<S>): NewRow {
  return { entity, values: values as Record<string, unknown> }
}

export interface Statement {
  text: string
  params: SqlValue[]
}

/**
 * The statements that add rows which nothing reads before the commit, and which the ORM therefore need not know of: one for
 * each table.
 */
export function insertsOf(rows: readonly NewRow[]): Statement[] {
  return [...Map.groupBy(rows, formOf).values()].map(insertOf)
}

export async function insertRows(tx: Sql, rows: readonly NewRow[]): Promise<void> {
  for (const { text, params } of insertsOf(rows)) await tx.run(text, params)
}

const namesOf = ({ values }: NewRow) => Object.keys(values).filter((name) => values[name] !== undefined)

/** The same for rows that one statement can add. */
const formOf = (row: NewRow) =>
  `${row.entity.meta.tableName} ${row.onConflict ?? ''} ${namesOf(row).join(' ')}`

const naming = new UnderscoreNamingStrategy()

function insertOf(rows: readonly NewRow[]): Statement {
  const [{ entity, onConflict = '' }] = rows as [NewRow]
  const names = namesOf(rows[0] as NewRow)
  const properties = names.map((name) => propertyOf(entity, name))
  const columns = names.map((name) => `"${naming.propertyToColumnName(name)}"`).join(', ')
  const marks = `(${names.map(() => '?').join(', ')})`
  return {
    text: `insert into "${entity.meta.tableName}" (${columns}) values ${rows.map(() => marks).join(', ')} ${onConflict}`,
    params: rows.flatMap(({ values }) =>
      names.map((name, n) => toColumn(properties[n] as EntityProperty, values[name])),
    ),
  }
}

function propertyOf(entity: EntitySchema, name: string): EntityProperty {
  const property = (entity.meta.properties as Record<string, EntityProperty | undefined>)[name]
  if (!property) throw new Error(`${entity.meta.className} has no property ${name}`)
  return property
}

function toColumn({ type }: EntityProperty, value: unknown): SqlValue {
  const isJson = (type as unknown) === JsonType
  return isJson && value !== null ? JSON.stringify(value) : (value as SqlValue)
}
