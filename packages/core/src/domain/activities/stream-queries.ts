import type { Row } from '../../platform/database/database.ts'
import { asNumber } from '../../platform/database/row.ts'
import type { Ctx } from '../context.ts'
import { within } from '../scope.ts'
import type { ActivityStatus } from './entities.ts'

/** One go of a run, whose text can be shown. */
export interface Attempt {
  runId: string
  attempt: number
}

export interface Watchable {
  tenantId: string
  status: ActivityStatus
  failureReason: string | null
  /** The run at work, whose text is shown from its start. */
  run: Attempt | undefined
}

export async function watchable(ctx: Ctx, activityId: string): Promise<Watchable | undefined> {
  const scope = within(ctx.scope, 'x.tenant_id')
  const row = await ctx.sql.get<Row>(
    `select x.tenant_id, x.status, x.failure_reason, r.id as run_id, r.attempt from activities x
     left join runs r on r.activity_id = x.id and r.open = ? and r.status = 'running'
     where x.id = ? and ${scope.sql}`,
    [true, activityId, ...scope.params],
  )
  if (!row) return undefined
  return {
    tenantId: row.tenant_id as string,
    status: row.status as ActivityStatus,
    failureReason: row.failure_reason as string | null,
    run: row.run_id ? { runId: row.run_id as string, attempt: asNumber(row.attempt) } : undefined,
  }
}

/** The last attempt of a run, when the run is one of this activity. The caller has checked that it may see the activity. */
export async function lastAttempt(ctx: Ctx, activityId: string, runId: string): Promise<Attempt | undefined> {
  const row = await ctx.sql.get<Row>('select attempt from runs where id = ? and activity_id = ?', [
    runId,
    activityId,
  ])
  return row && { runId, attempt: asNumber(row.attempt) }
}
