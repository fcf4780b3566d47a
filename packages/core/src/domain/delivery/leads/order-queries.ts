import type { Ctx } from '../../../kernel/context.ts'
import { like, select, table } from '../../../platform/database/read.ts'
import { Lead, type LeadSource, leadSources } from './entities.ts'
import { type LeadStatus, leadStatuses } from './fields.ts'

const l = table(Lead, 'l')
const numbers = select({ seq: like(l.seq, 'l.seq') })

/** A stretch of the leads of a tenant in the order in which they came. */
export interface Stretch {
  tenantId: string
  status?: LeadStatus | undefined
  source?: LeadSource | undefined
  order: 'asc' | 'desc'
  /** The number of the lead that it comes after in this order; undefined from the first one on. */
  beyond: number | undefined
  most: number
}

/** Of both databases. */
const lastNumber = 2_147_483_647

/** Where a stretch begins, as the condition of a number: `<` or `>`, and of what. */
export const beyondOf = ({ order, beyond }: Pick<Stretch, 'order' | 'beyond'>) =>
  order === 'asc' ? { is: '>', value: beyond ?? 0 } : { is: '<', value: beyond ?? lastNumber }

/** The numbers of the leads of a stretch. */
export async function leadNumbers(ctx: Ctx, stretch: Stretch): Promise<number[]> {
  const { sql, params } = inOrder(ctx, stretch, stretch.most)
  const rows = await numbers.all(ctx.sql, `from (${sql}) l order by l.seq ${stretch.order} limit ?`, [
    ...params,
    stretch.most,
  ])
  return rows.map(({ seq }) => seq)
}

/**
 * Numbers and words of the leads of a stretch, not yet in one order: with one of two filters given, each value of the other one is a
 * range of the index, of which only the first rows are read.
 * @param most of each range
 */
export function inOrder(
  ctx: Ctx,
  stretch: Stretch,
  most: number,
): { sql: string; params: Array<string | number> } {
  const { tenantId, status, source, order } = stretch
  const statuses: readonly LeadStatus[] = status ? [status] : leadStatuses
  const sources: readonly LeadSource[] = source ? [source] : leadSources
  const isWhole = status === undefined && source === undefined
  const ranges: string[][] = isWhole
    ? [[tenantId]]
    : statuses.flatMap((one) => sources.map((other) => [tenantId, one, other]))
  const { is, value } = beyondOf(stretch)
  const part = (range: readonly string[]) => {
    const columns = [l.tenantId, l.status, l.source].slice(0, range.length).map(String)
    const where =
      ctx.db.dialect === 'sqlite'
        ? `${columns.map((column) => `${column} = ?`).join(' and ')} and l.seq ${is} ?`
        : rangeInPostgres(columns, order)
    const by = [...(ctx.db.dialect === 'sqlite' ? [] : columns.slice(-1)), 'l.seq'].map(
      (column) => `${column} ${order}`,
    )
    return `select * from (select l.seq, l.words from ${l} where ${where} order by ${by.join(', ')} limit ?) q`
  }
  const own = (range: readonly string[]) =>
    ctx.db.dialect === 'sqlite' ? range : [...range, ...range.slice(-1)]
  return {
    sql: ranges.map(part).join(' union all '),
    params: ranges.flatMap((range) => [...own(range), value, most]),
  }
}

/**
 * Equality, the last one put so that only the index of these columns has the order that is asked for: where most leads are of one
 * tenant, PostgreSQL would go through all of them by their numbers to find those of another.
 */
function rangeInPostgres(columns: readonly string[], order: Stretch['order']): string {
  const [beyond, within] = order === 'asc' ? ['>', '<='] : ['<', '>=']
  const last = columns.at(-1)
  const equal = columns.slice(0, -1).map((column) => `${column} = ? and `)
  return `${equal.join('')}${last} ${within} ? and (${last}, l.seq) ${beyond} (?, ?)`
}
