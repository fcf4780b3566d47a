import type { Row } from '../../platform/database/database.ts'
import { asDate, asNumber } from '../../platform/database/row.ts'
import type { Ctx } from '../context.ts'
import { within } from '../scope.ts'
import type { ActivityStatus } from './entities.ts'
import type { Attempt } from './stream-queries.ts'

/** An activity as somebody is told of it who follows its text. */
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

/** @returns undefined for one that is not in scope */
export async function replayable(ctx: Ctx, activityId: string): Promise<Replayable | undefined> {
  const scope = within(ctx.scope, 'x.tenant_id')
  const row = await ctx.sql.get<Row>(
    `select x.tenant_id, x.title, x.agent_role, x.status, x.cost_micros, x.started_at, x.completed_at,
       w.id as open_run_id, o.id as output_id, o.run_id as output_run_id, o.text, l.id as last_run_id, l.attempt as last_attempt
     from activities x
       left join runs w on w.activity_id = x.id and w.open = true
       left join outputs o on o.activity_id = x.id
         and o.version = (select max(version) from outputs where activity_id = x.id)
       left join runs l on l.id = (select max(id) from runs where activity_id = x.id and attempt > 0)
     where x.id = ? and ${scope.sql}`,
    [activityId, ...scope.params],
  )
  if (!row) return undefined
  return {
    tenantId: row.tenant_id as string,
    title: row.title as string,
    agentRole: row.agent_role as string | null,
    status: row.status as ActivityStatus,
    costMicros: asNumber(row.cost_micros),
    startedAt: asDate(row.started_at),
    completedAt: asDate(row.completed_at),
    openRunId: (row.open_run_id ?? undefined) as string | undefined,
    output: row.output_id
      ? { id: row.output_id as string, runId: row.output_run_id as string | null, text: row.text as string }
      : undefined,
    lastRun: row.last_run_id
      ? { runId: row.last_run_id as string, attempt: asNumber(row.last_attempt) }
      : undefined,
  }
}
