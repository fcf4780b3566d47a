import { describe, expect, it } from 'vitest'
import { createAgentHarness } from '../../kit/runtime.ts'
import { resolve } from '../agent-harness.ts'

describe('what is said to an agent while its activity waits', () => {
  it('is kept as far as an agent can read it, the latest of it, however much people say', async () => {
    await using harness = await createAgentHarness()
    const { member } = harness.team
    const agent = await harness.order()
    const { id: activityId } = await harness.activityOf(agent.runId)
    const { approvalId } = await agent.call('POST /runs/:runId/actions/request-review', {
      title: 'Please look',
      description: 'Is this the tone?',
    })
    await agent.deliver('A draft')
    for (let n = 1; n <= 12; n += 1)
      await member.call('dashboard', 'POST /activities/:activityId/comments', {
        params: { activityId },
        body: { text: `@agent:social_writer remark ${n}. ${'🌾'.repeat(4_900)}` },
      })
    const [waiting] = await harness.app.db.sql.all<{ size: number | string }>(
      'select max(length(cast(next_wake as text))) as size from runs where activity_id = ?',
      [activityId],
    )
    expect(Number(waiting?.size)).toBeLessThan(30_000)
    await resolve(harness.team, approvalId, { resolution: 'revision_requested', note: 'Shorter' })
    const { prompt } = (await harness.next()).dispatch
    expect(prompt).toContain('What was said before this is left out here')
    expect(prompt).toContain('remark 12. 🌾')
    expect(prompt).toContain('remark 9. 🌾')
    expect(prompt).not.toContain('remark 1. ')
    expect(prompt.isWellFormed()).toBe(true)
    const { data } = await member.call('dashboard', 'GET /activities/:activityId/comments', {
      params: { activityId },
      query: { limit: 100 },
    })
    expect(data).toHaveLength(12)
  })
})
