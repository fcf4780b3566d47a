import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { within } from '../../../../kernel/scope.ts'
import { firstIdAt } from '../../../../platform/clock.ts'
import { count, flag, select, text } from '../../../../platform/database/read.ts'
import type { Usage } from './rating.ts'

const byKind = {
  kind: text('m.kind'),
  isLate: flag('m.is_late'),
  runs: count('count(*)'),
  micros: count('sum(m.micros)'),
}
const counted = select(byKind)

/**
 * Counts every run that has cost something, ended before an instant and was not counted before, each once, whatever it costs.
 * @param span `from`: when billing began, what ended before is not billed; `start`: of the period, what ended before is late
 * @returns what they cost by kind, what is late last
 */
export async function meterRuns(
  txn: Transaction,
  tenantId: string,
  invoiceId: string,
  { from, start, end }: { from: Date; start: Date; end: Date },
): Promise<Usage[]> {
  // Looking each run up first reads the whole table for it where a plan was made while that was small.
  await txn.tx.run(
    `insert into metered_runs (run_id, tenant_id, invoice_id, kind, micros, completed_on, is_late)
     select r.id, r.tenant_id, ?, r.agent_role, r.cost_micros, r.completed_at, r.completed_at < ?
     from runs r where r.tenant_id = ? and r.id >= ? and r.cost_micros > 0 and r.open = ?
       and r.completed_at >= ? and r.completed_at < ?
     on conflict (run_id) do nothing`,
    [invoiceId, start, tenantId, oldestId(start), false, from, end],
  )
  return counted.all(
    txn.tx,
    'from metered_runs m where m.invoice_id = ? and m.tenant_id = ? group by m.kind, m.is_late order by m.is_late, m.kind',
    [invoiceId, tenantId],
  )
}

/** No run takes a year; older ones need not be looked at. */
const oldestId = (start: Date) => firstIdAt(new Date(Math.max(0, start.getTime() - 366 * 86_400_000)))

const unbilled = select({
  kind: text('r.agent_role'),
  isLate: flag('case when r.completed_at < ? then 1 else 0 end'),
  runs: count('count(*)'),
  micros: count('sum(r.cost_micros)'),
})

/** What runs have cost that no invoice has counted yet, by kind, what is late last. */
export function usageSoFar(
  ctx: Ctx,
  tenantId: string,
  { from, start }: { from: Date; start: Date },
): Promise<Usage[]> {
  const scope = within(ctx.scope, 'r.tenant_id')
  return unbilled.all(
    ctx.sql,
    `from runs r where r.tenant_id = ? and ${scope.sql} and r.id >= ? and r.cost_micros > 0
       and r.open = ? and r.completed_at >= ? and not exists (select 1 from metered_runs m where m.run_id = r.id)
     group by 1, 2 order by 2, 1`,
    [start, tenantId, ...scope.params, oldestId(start), false, from],
  )
}
