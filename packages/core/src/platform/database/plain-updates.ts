import type { EntityProperty } from '@mikro-orm/core'
import type { AbstractSqlDriver } from '@mikro-orm/sql'
import { isColumn, isRecord, isValue } from './plain-reads.ts'

/**
 * Writes the statement for the changes of one entity without the ORM's query builder, as `readPlainly` does for reads. What needs
 * more than columns, values and an id goes the ORM's way.
 */
export function updatePlainly(driver: AbstractSqlDriver): void {
  const nativeUpdate = driver.nativeUpdate.bind(driver)
  const plainly: typeof nativeUpdate = async (name, where, data, options = {}) => {
    const meta = driver.getMetadata().get(name)
    const keys = entriesOf(meta.properties, where)
    const changes = entriesOf(meta.properties, data)
    const { convertCustomTypes, ctx, loggerContext, upsert, unionWhere } = options
    const isPlain = convertCustomTypes === false && !upsert && !unionWhere && !meta.props.some(isReturned)
    if (!isPlain || !keys || keys.some(({ value }) => value === null) || !changes)
      return nativeUpdate(name, where, data, options)
    const columns = (entries: readonly Entry[]) => entries.map(({ column }) => `"${column}" = ?`)
    const form = `"${meta.tableName}" set ${columns(changes).join(', ')} where ${columns(keys).join(' and ')}`
    const text = `update ${form}`
    const values = [...changes, ...keys].map(({ value }) => value)
    return driver.execute(text, values, 'run', ctx, loggerContext)
  }
  Object.assign(driver, { nativeUpdate: plainly })
}

interface Entry {
  column: string
  value: unknown
}

/** What the database makes and the ORM wants back. */
const isReturned = ({ generated, primary, version }: EntityProperty) => (generated && !primary) || version

/** @returns undefined when something is no plain column, or its value no plain one; or when there is nothing */
function entriesOf(properties: object, values: unknown): Entry[] | undefined {
  if (!isRecord(values)) return undefined
  const entries: Entry[] = []
  for (const [name, value] of Object.entries(values)) {
    const property = (properties as Record<string, EntityProperty | undefined>)[name]
    if (!property || !isColumn(property) || !(value === null || isValue(value))) return undefined
    entries.push({ column: property.fieldNames[0] as string, value })
  }
  return entries.length > 0 ? entries : undefined
}
