import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { invalid, notFound } from '../../../kernel/errors.ts'
import { oneTenant } from '../../../kernel/scope.ts'
import { transact } from '../../../kernel/transact.ts'
import { effectiveAgent } from '../../agents/configuration/effective-queries.ts'
import { Run, type RunRow } from '../runs/entities.ts'
import type { LatestSession, SessionReport } from './schemas.ts'
import { latestOfRole, upsertSession } from './session-queries.ts'

/**
 * Keeps what a command-line runtime says of a session of its own: which run used it last, and what it has used so far.
 * Serves `PUT /agent/v1/sessions/:agentRole`.
 * @throws DomainError `NOT_FOUND` for a role that is not enabled and a run that is not the tenant's; `VALIDATION_ERROR`
 *   for a run of another role, and when the caller could mean several tenants
 */
export function putSession(
  ctx: Ctx,
  role: string,
  report: SessionReport,
): Promise<{ sessionId: string; upserted: true }> {
  const tenantId = oneTenant(ctx)
  return transact(ctx, async (txn) => {
    await requireRole(txn, tenantId, role)
    const run = await txn.em.findOne(Run, { id: report.activityRunId, tenantId, purpose: 'work' })
    if (!run) throw notFound('run')
    if (run.agentRole !== role) throw invalid('activityRunId', `This run is one of the role ${run.agentRole}`)
    const used = {
      ...placeOf(txn, run, report.sessionId),
      inputTokens: report.inputTokensSoFar,
      outputTokens: report.outputTokensSoFar,
    }
    await upsertSession(txn.tx, used, 'total')
    txn.audit({
      tenantId,
      resourceType: 'agent_session',
      resourceId: run.id,
      after: { agentRole: role, ...report },
    })
    return { sessionId: report.sessionId, upserted: true as const }
  })
}

/**
 * The session of a role that was used last, whatever it was used for. Serves `GET /agent/v1/sessions/:agentRole/latest`.
 * @throws DomainError `NOT_FOUND` for a role that is not enabled; `VALIDATION_ERROR` when the caller could mean several tenants
 */
export async function latestSession(ctx: Ctx, role: string): Promise<LatestSession> {
  const tenantId = oneTenant(ctx)
  await requireRole(ctx, tenantId, role)
  const found = await latestOfRole(ctx, tenantId, role)
  return found ?? { sessionId: null, inputTokens: 0, outputTokens: 0, createdAt: null }
}

/** Notes the session that a result came from: the next run of the same activity is given it. */
export async function saveSession(txn: Transaction, run: RunRow, sessionId: string): Promise<void> {
  const { inputTokens, outputTokens } = run
  await upsertSession(txn.tx, { ...placeOf(txn, run, sessionId), inputTokens, outputTokens }, 'added')
}

function placeOf(txn: Transaction, run: RunRow, sessionId: string) {
  const { id: runId, tenantId, agentRole, activityId } = run
  return { id: txn.newId(), tenantId, agentRole, sessionId, runId, activityId, at: txn.clock.date() }
}

async function requireRole(ctx: Ctx, tenantId: string, role: string): Promise<void> {
  if (!(await effectiveAgent(ctx, tenantId, role))) throw notFound('agent', { by: 'role' })
}
