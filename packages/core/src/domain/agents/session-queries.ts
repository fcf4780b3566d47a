import type { Row, Sql } from '../../platform/database/database.ts'
import { asInstant, asNumber } from '../../platform/database/row.ts'
import type { Command, Ctx } from '../context.ts'
import { within } from '../scope.ts'

export interface SessionSummary {
  sessionId: string
  inputTokens: number
  outputTokens: number
  createdAt: Date
}

const columns = 's.session_id, s.input_tokens, s.output_tokens, s.created_on'

/** The session of a role that was used last at a tenant. */
export async function latestOfRole(
  ctx: Ctx,
  tenantId: string,
  role: string,
): Promise<SessionSummary | undefined> {
  const scope = within(ctx.scope, 's.tenant_id')
  const row = await ctx.sql.get<Row>(
    `select ${columns} from agent_sessions s where s.tenant_id = ? and s.agent_role = ? and ${scope.sql}
     order by s.updated_on desc, s.id desc limit 1`,
    [tenantId, role, ...scope.params],
  )
  return row && toSummary(row)
}

/** The session that the agent of a run used last for the same activity. */
export async function latestOfActivity(
  cmd: Command,
  run: { tenantId: string; agentRole: string; activityId: string },
): Promise<SessionSummary | undefined> {
  const scope = within(cmd.scope, 's.tenant_id')
  const row = await cmd.tx.get<Row>(
    `select ${columns} from agent_sessions s where s.activity_id = ? and s.tenant_id = ? and s.agent_role = ? and ${scope.sql}
     order by s.updated_on desc, s.id desc limit 1`,
    [run.activityId, run.tenantId, run.agentRole, ...scope.params],
  )
  return row && toSummary(row)
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

function toSummary(row: Row): SessionSummary {
  return {
    sessionId: row.session_id as string,
    inputTokens: asNumber(row.input_tokens),
    outputTokens: asNumber(row.output_tokens),
    createdAt: asInstant(row.created_on),
  }
}
