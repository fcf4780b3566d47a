import type { AgentHarness } from '../../kit/runtime.ts'

/** An approval as a reviewer sees it. */
export const detail = ({ team }: AgentHarness, approvalId: string) =>
  team.reviewer.call('dm', 'GET /approvals/:approvalId', { params: { approvalId } })

/** A piece that waits for a verdict. */
export async function asked(harness: AgentHarness, text = 'A post') {
  const agent = await harness.order()
  await agent.deliver(text)
  const row = await harness.app.db.sql.get<{ approval_id: string; activity_id: string }>(
    `select l.approval_id, l.activity_id from approval_links l join runs r on r.activity_id = l.activity_id where r.id = ?
     order by l.approval_id desc limit 1`,
    [agent.runId],
  )
  return { agent, id: row?.approval_id ?? '', activityId: row?.activity_id ?? '' }
}
