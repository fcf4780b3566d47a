import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { within } from '../../../../kernel/scope.ts'
import { count, exists, pick, select, table } from '../../../../platform/database/read.ts'
import { AdChangeSet, type ChangeSetRow } from '../changes/entities.ts'
import { dayMs } from './policy.ts'

const s = table(AdChangeSet, 's')
const named = select(pick(s, 'id'))
/** How many sets are read at once. */
export const perRound = 500

/** Change sets whose outcome is due, behind an id. */
export async function dueOutcomes(ctx: Ctx, now: Date, after: string): Promise<string[]> {
  const scope = within(ctx.scope, 's.tenant_id')
  const rows = await named.all(
    ctx.sql,
    `from ${s} where s.outcome_at <= ? and s.id > ? and ${scope.sql} order by s.id limit ?`,
    [now, after, ...scope.params, perRound],
  )
  return rows.map(({ id }) => id)
}

/** Whether the way back of a set was applied, if only in part. */
export const isUndone = ({ tx }: Transaction, id: string): Promise<boolean> =>
  exists(tx, `from ${s} where s.undo_of_id = ? and s.applied_on is not null`, [id])

const number = select({ sets: count('count(*)') })

/** How many other change sets of a campaign were applied within so many days before and after one. */
export async function othersApplied(
  { tx }: Transaction,
  { id, campaignId, appliedOn }: ChangeSetRow,
  days: number,
): Promise<number> {
  const at = appliedOn?.getTime() ?? 0
  const span = [new Date(at - days * dayMs), new Date(at + days * dayMs)]
  const row = await number.get(
    tx,
    `from ${s} where s.campaign_id = ? and s.id <> ? and s.applied_on >= ? and s.applied_on <= ?`,
    [campaignId, id, ...span],
  )
  return row?.sets ?? 0
}
