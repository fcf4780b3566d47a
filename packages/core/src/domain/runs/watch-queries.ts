import type { Row } from '../../platform/database/database.ts'
import { asInstant, asNumber } from '../../platform/database/row.ts'
import type { Ctx } from '../context.ts'
import { within } from '../scope.ts'
import type { RunStatus } from './entities.ts'

/** A run as somebody sees it who follows its text. */
export interface WatchedRun {
  tenantId: string
  activityId: string
  attempt: number
  /** Attempts up to this one are fenced off. */
  fence: number
  open: boolean
  status: RunStatus
  error: string | null
  inputTokens: number
  outputTokens: number
  deadline: Date | null
}

export async function watchedRun(ctx: Ctx, runId: string): Promise<WatchedRun | undefined> {
  const scope = within(ctx.scope, 'r.tenant_id')
  const row = await ctx.sql.get<Row>(
    `select r.tenant_id, r.activity_id, r.attempt, r.fence, r.open, r.status, r.error, r.input_tokens, r.output_tokens, r.deadline
     from runs r where r.id = ? and ${scope.sql}`,
    [runId, ...scope.params],
  )
  if (!row) return undefined
  return {
    tenantId: row.tenant_id as string,
    activityId: row.activity_id as string,
    attempt: asNumber(row.attempt),
    fence: asNumber(row.fence),
    open: row.open === true || row.open === 1,
    status: row.status as RunStatus,
    error: row.error as string | null,
    inputTokens: asNumber(row.input_tokens),
    outputTokens: asNumber(row.output_tokens),
    deadline: row.deadline ? asInstant(row.deadline) : null,
  }
}
