import {
  type EntityMetadata,
  type EntityName,
  type EntityProperty,
  LockMode,
  ReferenceKind,
} from '@mikro-orm/core'
import type { Dialect, EntityManager, Tenants } from './database.ts'

/**
 * `find` and `findOne` by plain conditions – columns compared with values, in the order of columns, locked or not – without the
 * ORM's query builder, which takes longer to make a statement than the database to execute it. Everything else goes the ORM's way, and what is found is the ORM's in both cases.
 * @param scope as of `forkFor`: rows of other tenants are not found
 */
export function readPlainly(em: EntityManager, scope: Tenants, dialect: Dialect): void {
  const find = em.find.bind(em) as Find
  const findOne = em.findOne.bind(em) as Find
  const plainly = async (name: EntityName, where: unknown, options: Options, one: boolean) => {
    const meta = em.getMetadata().get(name as EntityName<object>)
    const statement = statementFor(meta, where, { ...options, ...(one && { limit: 1 }) }, scope, dialect)
    // The ORM refuses to look for just any row.
    if (one && isRecord(where) && Object.keys(where).length === 0) return undefined
    // Without a lock, what is known by its id is not read again.
    const isKnown = () =>
      one && !options.lockMode && em.getUnitOfWork().tryGetById(meta.class, where as object)
    if (!statement || isKnown()) return undefined
    await em.tryFlush(meta.class, {})
    const { text, params } = statement
    const rows = await em.getConnection().execute<object[]>(text, params, 'all', em.getTransactionContext())
    const factory = em.getEntityFactory()
    const found = rows.map((row) =>
      factory.create(meta.class, em.getDriver().mapResult(row, meta) as object, {
        merge: true,
        refresh: options.refresh ?? false,
        convertCustomTypes: true,
      }),
    )
    await em.getUnitOfWork().dispatchOnLoadEvent()
    return found
  }
  const read: Find = async (name, where, options = {}) =>
    (await plainly(name, where, options, false)) ?? find(name, where, options)
  const readOne: Find = async (name, where, options = {}) => {
    const found = await plainly(name, where, options, true)
    return found ? (found[0] ?? null) : findOne(name, where, options)
  }
  Object.assign(em, { find: read, findOne: readOne })
}

type Find = (name: EntityName, where: unknown, options?: Options) => Promise<unknown>

interface Options {
  lockMode?: LockMode
  orderBy?: Readonly<Record<string, unknown>>
  limit?: number
  /** Whether what is known already takes on what was read; it does not otherwise. */
  refresh?: boolean
}

interface Statement {
  text: string
  params: unknown[]
}

/** @returns undefined for what is not plain */
function statementFor(
  meta: EntityMetadata,
  where: unknown,
  options: Options,
  scope: Tenants,
  dialect: Dialect,
): Statement | undefined {
  const { lockMode, orderBy = {}, limit, refresh: _, ...others } = options
  const isLocked = lockMode === LockMode.PESSIMISTIC_WRITE
  const columns = columnsOf(meta)
  if (columns === '' || (lockMode && !isLocked) || Object.keys(others).length > 0) return undefined
  const toCheck = namesFew(meta, where) ? unindexed[dialect] : undefined
  const wanted = conditionsOf(meta, where, toCheck)
  const order = orderOf(meta, orderBy)
  if (!wanted || order === undefined) return undefined
  if (meta.filters['tenant'] && scope !== 'all')
    wanted.push(isOneOf(toCheck?.('"tenant_id"') ?? '"tenant_id"', scope))
  const params = wanted.flatMap(({ values }) => values)
  if (limit !== undefined) params.push(limit)
  const lock = isLocked && dialect === 'postgresql' ? ' for update' : ''
  const conditions = wanted.map(({ sql }) => sql).join(' and ')
  const rest = `${conditions ? ` where ${conditions}` : ''}${order}${limit === undefined ? '' : ' limit ?'}${lock}`
  return { text: `select ${columns} from "${meta.tableName}"${rest}`, params }
}

type Rewrite = (column: string) => string

/**
 * A column as an expression that no index is for, where few rows are named by an id: without statistics both databases may look for
 * them among all rows of the tenant instead, and SQLite compiles a statement again for each value of a partial index's condition.
 */
const unindexed: Record<Dialect, Rewrite> = {
  sqlite: (column) => `+${column}`,
  postgresql: (column) => `${column} || ''`,
}

interface Condition {
  sql: string
  values: readonly unknown[]
}

const isOneOf = (column: string, values: readonly unknown[]): Condition => ({
  sql: values.length === 0 ? '1 = 0' : `${column} in (${values.map(() => '?').join(', ')})`,
  values,
})

/** True of conditions that name what they look for, or what it belongs to, by its ULID. */
const namesFew = (meta: EntityMetadata, where: unknown) =>
  isRecord(where) &&
  Object.entries(where).some(
    ([name, wanted]) =>
      isReference(meta, name) &&
      (typeof wanted === 'string' || (isRecord(wanted) && Array.isArray(wanted['$in']))),
  )

const isReference = (meta: EntityMetadata, name: string) =>
  name !== 'tenantId' && propertyOf(meta, name)?.length === 26

/** Written as the ORM writes them: what is compared with null matches nothing. */
const operators: Readonly<Record<string, string>> = { $ne: '!=', $gt: '>', $gte: '>=', $lt: '<', $lte: '<=' }

/** @param toCheck rewrites the texts that are no references: what they are is checked in the few rows that are found */
function conditionsOf(meta: EntityMetadata, where: unknown, toCheck?: Rewrite): Condition[] | undefined {
  if (!isRecord(where)) return undefined
  const conditions = Object.entries(where).flatMap(([name, wanted]): Array<Condition | undefined> => {
    const bare = columnOf(meta, name)
    if (!bare) return [undefined]
    const isText = propertyOf(meta, name)?.type === 'string' && !isReference(meta, name)
    const column = toCheck && isText ? toCheck(`"${bare}"`) : `"${bare}"`
    if (!isRecord(wanted)) return [compare(column, '=', wanted)]
    return Object.entries(wanted).map(([operator, value]) => {
      if (operator === '$in' && Array.isArray(value) && value.every(isValue)) return isOneOf(column, value)
      const known = operators[operator]
      return known && value !== null ? compare(column, known, value) : undefined
    })
  })
  return conditions.includes(undefined) ? undefined : (conditions as Condition[])
}

function compare(column: string, operator: string, value: unknown): Condition | undefined {
  if (value === null) return { sql: `${column} is null`, values: [] }
  // A partial index is for one of them: SQLite would compile the statement again for each value that is bound.
  if (typeof value === 'boolean') return { sql: `${column} ${operator} ${value}`, values: [] }
  return isValue(value) ? { sql: `${column} ${operator} ?`, values: [value] } : undefined
}

/** True of an object whose keys are all names; a fragment of SQL as a key is a symbol. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  Object.getPrototypeOf(value) === Object.prototype &&
  Object.getOwnPropertySymbols(value).length === 0

/** True of what a statement can be given as it is. */
export const isValue = (value: unknown) =>
  ['string', 'number', 'boolean'].includes(typeof value) || value instanceof Date

function orderOf(meta: EntityMetadata, orderBy: Readonly<Record<string, unknown>>): string | undefined {
  const parts = Object.entries(orderBy).map(([name, direction]) => {
    const column = columnOf(meta, name)
    return column && (direction === 'asc' || direction === 'desc') ? `"${column}" ${direction}` : undefined
  })
  if (parts.includes(undefined) || Array.isArray(orderBy)) return undefined
  return parts.length > 0 ? ` order by ${parts.join(', ')}` : ''
}

const propertyOf = (meta: EntityMetadata, name: string) =>
  (meta.properties as Record<string, EntityProperty | undefined>)[name]

/** Types whose values stand in the database as they are given. */
const plainTypes = new Set(['string', 'integer', 'boolean', 'datetime', 'text'])

function columnOf(meta: EntityMetadata, name: string): string | undefined {
  const property = propertyOf(meta, name)
  return property && isColumn(property) && plainTypes.has(property.type) ? property.fieldNames[0] : undefined
}

/** True of a property that is one column and nothing more. */
export const isColumn = ({ kind, fieldNames, formula, lazy, persist }: EntityProperty) =>
  kind === ReferenceKind.SCALAR && fieldNames?.length === 1 && !formula && !lazy && persist !== false

const columns = new WeakMap<EntityMetadata, string>()

/** @returns the columns of an entity that is nothing but them and at most hidden by its tenant; empty for any other */
function columnsOf(meta: EntityMetadata): string {
  let known = columns.get(meta)
  if (known === undefined) {
    const others = Object.keys(meta.filters).filter((name) => name !== 'tenant')
    const isPlain = others.length === 0 && meta.props.every(isColumn) && !meta.virtual && !meta.orderBy
    known = isPlain ? meta.props.map(({ fieldNames }) => `"${fieldNames[0]}"`).join(', ') : ''
    columns.set(meta, known)
  }
  return known
}
