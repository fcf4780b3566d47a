import type { Ctx } from '../../../kernel/context.ts'
import { within } from '../../../kernel/scope.ts'
import { leftTable, pick, select, table } from '../../../platform/database/read.ts'
import { Output } from '../content/entities.ts'
import { Run } from '../runs/entities.ts'
import { Activity, type ActivityStatus } from './entities.ts'
import type { Attempt } from './stream-queries.ts'

/** An activity as someone is told of it who follows its text. */
export interface Replayable {
  tenantId: string
  title: string
  agentRole: string | null
  status: ActivityStatus
  costMicros: number
  startedAt: Date | null
  completedAt: Date | null
  /** The run that writes or is about to; undefined where nothing is written at present. */
  openRunId: string | undefined
  /** The newest version of its text. */
  output: { id: string; runId: string | null; text: string } | undefined
  /** The last run that has begun. */
  lastRun: Attempt | undefined
}

const x = table(Activity, 'x')
const w = leftTable(Run, 'w')
const o = leftTable(Output, 'o')
const l = leftTable(Run, 'l')
const found = select({
  ...pick(x, 'tenantId', 'title', 'agentRole', 'status', 'costMicros', 'startedAt', 'completedAt'),
  openRunId: w.id,
  outputId: o.id,
  outputRunId: o.runId,
  text: o.text,
  lastRunId: l.id,
  lastAttempt: l.attempt,
})

/** @returns undefined for one that is not in scope */
export async function replayable(ctx: Ctx, activityId: string): Promise<Replayable | undefined> {
  const scope = within(ctx.scope, 'x.tenant_id')
  const row = await found.get(
    ctx.sql,
    `from ${x}
       left join ${w} on w.activity_id = x.id and w.open = true
       left join ${o} on o.activity_id = x.id
         and o.version = (select max(version) from outputs where activity_id = x.id)
       left join ${l} on l.id = (select max(id) from runs where activity_id = x.id and attempt > 0)
     where x.id = ? and ${scope.sql}`,
    [activityId, ...scope.params],
  )
  if (!row) return undefined
  const { openRunId, outputId, outputRunId, text, lastRunId, lastAttempt, ...activity } = row
  return {
    ...activity,
    openRunId: openRunId ?? undefined,
    output: outputId !== null && text !== null ? { id: outputId, runId: outputRunId, text } : undefined,
    lastRun:
      lastRunId !== null && lastAttempt !== null ? { runId: lastRunId, attempt: lastAttempt } : undefined,
  }
}
