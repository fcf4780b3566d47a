import type { Ctx } from '../../../kernel/context.ts'
import { within } from '../../../kernel/scope.ts'
import { leftTable, pick, select, table } from '../../../platform/database/read.ts'
import { Run } from '../runs/entities.ts'
import { Activity, type ActivityStatus } from './entities.ts'

/** One go of a run, whose text can be shown. */
export interface Attempt {
  runId: string
  attempt: number
}

export interface Watchable {
  tenantId: string
  status: ActivityStatus
  failureReason: string | null
  /** The run in progress, whose text is shown from its start. */
  run: Attempt | undefined
}

const x = table(Activity, 'x')
const running = leftTable(Run, 'r')
const watched = select({
  ...pick(x, 'tenantId', 'status', 'failureReason'),
  runId: running.id,
  attempt: running.attempt,
})

export async function watchable(ctx: Ctx, activityId: string): Promise<Watchable | undefined> {
  const scope = within(ctx.scope, 'x.tenant_id')
  const row = await watched.get(
    ctx.sql,
    `from ${x} left join ${running} on r.activity_id = x.id and r.open = ? and r.status = 'running'
     where x.id = ? and ${scope.sql}`,
    [true, activityId, ...scope.params],
  )
  if (!row) return undefined
  const { runId, attempt, ...activity } = row
  return { ...activity, run: runId !== null && attempt !== null ? { runId, attempt } : undefined }
}

const r = table(Run, 'r')
const latest = select({ runId: r.id, attempt: r.attempt })

/** The last attempt of a run, when the run is one of this activity. The caller has checked that it may see the activity. */
export function lastAttempt(ctx: Ctx, activityId: string, runId: string): Promise<Attempt | undefined> {
  return latest.get(ctx.sql, `from ${r} where r.id = ? and r.activity_id = ?`, [runId, activityId])
}
