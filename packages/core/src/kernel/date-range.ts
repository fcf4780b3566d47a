import { firstIdAt } from '../platform/clock.ts'
import { isoDay, type SpanEnd } from '../platform/wire.ts'
import { check, checkInstant } from './check.ts'
import { invalid } from './errors.ts'
import type { Condition } from './paging-queries.ts'
import { addDays, startOfDay } from './periods.ts'

/** From an instant on, and up to another that is not part of it. */
export interface DateRange {
  from?: Date
  until?: Date
}

/**
 * The instants between which something lies. Days are whole ones of a zone, the last of them included.
 * @throws DomainError `VALIDATION_ERROR` when it ends before it begins
 */
export function spanOf(
  { startDate, endDate }: { startDate?: SpanEnd | undefined; endDate?: SpanEnd | undefined },
  zone: string,
): DateRange {
  checkEnd('startDate', startDate)
  checkEnd('endDate', endDate)
  const from = typeof startDate === 'string' ? startOfDay(startDate, zone) : startDate
  const until = typeof endDate === 'string' ? startOfDay(addDays(endDate, 1), zone) : endDate
  const backwards = from && until && (typeof endDate === 'string' ? until <= from : until < from)
  if (backwards) throw invalid('endDate', 'endDate must not be before startDate')
  return { ...(from && { from }), ...(until && { until }) }
}

/** Programs that embed this give dates without a schema in between. */
function checkEnd(field: string, end: SpanEnd | undefined): void {
  if (typeof end === 'string') check(isoDay, end, field)
  else checkInstant(field, end)
}

/** Rows of a table whose ids were made in a span: ids are in the order of time, so the index of the ids answers. */
export function madeWithin(idColumn: string, { from, until }: DateRange): Condition | undefined {
  const parts = [
    ...(from ? [{ sql: `${idColumn} >= ?`, param: firstIdAt(from) }] : []),
    ...(until ? [{ sql: `${idColumn} < ?`, param: firstIdAt(until) }] : []),
  ]
  if (parts.length === 0) return undefined
  return { sql: parts.map(({ sql }) => sql).join(' and '), params: parts.map(({ param }) => param) }
}
