import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { within } from '../../../kernel/scope.ts'
import type { Sql } from '../../../platform/database/database.ts'
import { pick, type RowOf, select, table } from '../../../platform/database/read.ts'
import { AgentSession } from '../../agents/configuration/entities.ts'

const s = table(AgentSession, 's')

const summary = select({
  ...pick(s, 'sessionId', 'inputTokens', 'outputTokens'),
  createdAt: s.createdOn,
})
export type SessionSummary = RowOf<typeof summary>

/** The session of a role that was used last at a tenant. */
export function latestOfRole(ctx: Ctx, tenantId: string, role: string): Promise<SessionSummary | undefined> {
  const scope = within(ctx.scope, 's.tenant_id')
  return summary.get(
    ctx.sql,
    `from ${s} where s.tenant_id = ? and s.agent_role = ? and ${scope.sql}
     order by s.updated_on desc, s.id desc limit 1`,
    [tenantId, role, ...scope.params],
  )
}

/** The session that the agent of a run used last for the same activity. */
export function latestOfActivity(
  txn: Transaction,
  run: { tenantId: string; agentRole: string; activityId: string },
): Promise<SessionSummary | undefined> {
  const scope = within(txn.scope, 's.tenant_id')
  return summary.get(
    txn.tx,
    `from ${s} where s.activity_id = ? and s.tenant_id = ? and s.agent_role = ? and ${scope.sql}
     order by s.updated_on desc, s.id desc limit 1`,
    [run.activityId, run.tenantId, run.agentRole, ...scope.params],
  )
}

export interface UsedSession {
  id: string
  tenantId: string
  agentRole: string
  sessionId: string
  runId: string
  activityId: string
  inputTokens: number
  outputTokens: number
  at: Date
}

/**
 * Notes that a run has used a session, two at once included.
 * @param tokens `total`: the numbers are those of the whole session; `added`: those of this run, which are not counted
 *   again where it has told the total itself
 */
export async function upsertSession(tx: Sql, used: UsedSession, tokens: 'total' | 'added'): Promise<void> {
  const sum = (column: string) =>
    tokens === 'total'
      ? `excluded.${column}`
      : `agent_sessions.${column} + case when agent_sessions.run_id = excluded.run_id then 0 else excluded.${column} end`
  await tx.run(
    `insert into agent_sessions (id, tenant_id, agent_role, session_id, run_id, activity_id, input_tokens, output_tokens, created_on, updated_on)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (tenant_id, agent_role, session_id) do update set run_id = excluded.run_id, activity_id = excluded.activity_id,
       input_tokens = ${sum('input_tokens')}, output_tokens = ${sum('output_tokens')}, updated_on = excluded.updated_on`,
    [
      used.id,
      used.tenantId,
      used.agentRole,
      used.sessionId,
      used.runId,
      used.activityId,
      used.inputTokens,
      used.outputTokens,
      used.at,
      used.at,
    ],
  )
}
