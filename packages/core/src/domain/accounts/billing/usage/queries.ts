import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { within } from '../../../../kernel/scope.ts'
import { firstIdAt } from '../../../../platform/clock.ts'
import { count, flag, select, text } from '../../../../platform/database/read.ts'
import type { Usage } from './rating.ts'
import type { UsageSpan } from './spans.ts'

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
 * @param spans of the period
 * @returns the spans with what runs cost in each by kind; what is late comes last in the first
 */
export async function meterRuns<S extends UsageSpan>(
  txn: Transaction,
  tenantId: string,
  invoiceId: string,
  { from, start, end }: { from: Date; start: Date; end: Date },
  spans: readonly S[],
): Promise<Array<S & { usage: Usage[] }>> {
  // Looking each run up first reads the whole table for it where a plan was made while that was small.
  await txn.tx.run(
    `insert into metered_runs (run_id, tenant_id, invoice_id, kind, micros, completed_on, is_late)
     select r.id, r.tenant_id, ?, r.agent_role, r.cost_micros, r.completed_at, r.completed_at < ?
     from runs r where r.tenant_id = ? and r.id >= ? and r.cost_micros > 0 and r.open = ?
       and r.completed_at >= ? and r.completed_at < ?
     on conflict (run_id) do nothing`,
    [invoiceId, start, tenantId, oldestId(start), false, from, end],
  )
  return perSpan(spans, from, end, (after, before) =>
    counted.all(
      txn.tx,
      `from metered_runs m where m.invoice_id = ? and m.tenant_id = ? and m.completed_on >= ? and m.completed_on < ?
       group by m.kind, m.is_late order by m.is_late, m.kind`,
      [invoiceId, tenantId, after, before],
    ),
  )
}

/** Asks for the usage of each span; the first has what came before it too, the last what comes until `end`. */
async function perSpan<S extends UsageSpan>(
  spans: readonly S[],
  from: Date,
  end: Date,
  usageOf: (after: Date, before: Date) => Promise<Usage[]>,
): Promise<Array<S & { usage: Usage[] }>> {
  const found: Array<S & { usage: Usage[] }> = []
  for (const [at, span] of spans.entries()) {
    const isLast = at === spans.length - 1
    const usage = await usageOf(at === 0 ? from : span.from, isLast ? end : span.until)
    found.push({ ...span, usage })
  }
  return found
}

/** No run takes a year; older ones need not be looked at. */
const oldestId = (start: Date) => firstIdAt(new Date(Math.max(0, start.getTime() - 366 * 86_400_000)))

const unbilled = select({
  kind: text('r.agent_role'),
  isLate: flag('case when r.completed_at < ? then 1 else 0 end'),
  runs: count('count(*)'),
  micros: count('sum(r.cost_micros)'),
})

/** What runs have cost that no invoice has counted yet, by span of the period and by kind, what is late last in the first. */
export function usageSoFar<S extends UsageSpan>(
  ctx: Ctx,
  tenantId: string,
  { from, start }: { from: Date; start: Date },
  spans: readonly S[],
): Promise<Array<S & { usage: Usage[] }>> {
  const scope = within(ctx.scope, 'r.tenant_id')
  return perSpan(spans, from, endOfTime, (after, before) =>
    unbilled.all(
      ctx.sql,
      `from runs r where r.tenant_id = ? and ${scope.sql} and r.id >= ? and r.cost_micros > 0
         and r.open = ? and r.completed_at >= ? and r.completed_at < ?
         and not exists (select 1 from metered_runs m where m.run_id = r.id)
       group by 1, 2 order by 2, 1`,
      [start, tenantId, ...scope.params, oldestId(start), false, after, before],
    ),
  )
}

/** After all that a database knows. */
const endOfTime = new Date('9999-12-31T00:00:00Z')
