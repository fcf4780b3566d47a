import { createIds, createSystemClock } from '../../packages/core/src/platform/clock.ts'
import type { Database } from '../../packages/core/src/platform/database/database.ts'

const hourMs = 3_600_000

/**
 * Puts pieces into the database that wait for a verdict, each for one of its own, as the pipeline would have left them.
 * @returns the ids of the approvals, in the order in which they are due
 */
export async function fillReviewQueue(db: Database, tenantId: string, count: number): Promise<string[]> {
  const newId = createIds(createSystemClock())
  const now = Date.now()
  const later = (hours: number) => new Date(now + hours * hourMs)
  const ids: string[] = []
  await db.write(async (tx) => {
    for (let i = 0; i < count; i += 1) {
      const [activityId, approvalId] = [newId(), newId()]
      await tx.run(
        `insert into activities (id, tenant_id, is_final_step, title, type, status, status_since, agent_role, blocks_parent,
           depth, depends_on, priority, input_prompt, approval_required, failures, idle_runs, cost_micros, created_on, updated_on)
         values (?, ?, ?, ?, 'draft', 'awaiting_approval', ?, 'social_writer', ?, 0, '[]', 5, 'Write', ?, 0, 0, 0, ?, ?)`,
        [activityId, tenantId, true, `Piece ${i}`, later(-1), false, true, later(-1), later(-1)],
      )
      await tx.run(
        `insert into approvals (id, tenant_id, title, type, risk_level, risk_rank, status, created_by_id, created_by_name,
           created_by_type, created_on, expires_at, due_at, edited, updated_on)
         values (?, ?, ?, 'content_review', 'low', 3, 'pending', 'system', 'A test', 'agent', ?, ?, ?, ?, ?)`,
        [approvalId, tenantId, `Piece ${i}`, later(-1), later(70), later(9), false, later(-1)],
      )
      await tx.run(
        'insert into approval_links (approval_id, activity_id, tenant_id, blocking) values (?, ?, ?, ?)',
        [approvalId, activityId, tenantId, true],
      )
      ids.push(approvalId)
    }
  })
  return ids
}
