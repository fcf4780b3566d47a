import { describe, expect, it } from 'vitest'
import { brief } from '../../kit/app.ts'
import { createAgentHarness } from '../../kit/runtime.ts'

describe('dm.activities.brief', () => {
  it('returns the task, the brief of the campaign, and the latest texts of the previous steps', async () => {
    await using harness = await createAgentHarness()
    const research = await harness.order('blog_post')
    await research.deliver('# What people search for\n\nOats, quickly.')
    const draft = await harness.next()
    const before = await harness.activityOf(research.runId)
    const { id } = await harness.activityOf(draft.runId)
    const { reviewer } = harness.team
    const found = await reviewer.call('dm', 'GET /activities/:activityId/brief', {
      params: { activityId: id },
    })
    const task = await reviewer.call('dm', 'GET /activities/:activityId', { params: { activityId: id } })
    expect(found).toEqual({
      activityId: id,
      prompt: task.inputPrompt,
      campaign: { id: research.campaignId, name: 'Spring', brief: brief.trim() },
      sources: [
        {
          kind: 'step',
          activityId: before.id,
          title: before.title,
          agentRole: 'researcher',
          version: 1,
          format: 'markdown',
          text: '# What people search for\n\nOats, quickly.',
        },
      ],
    })
    expect(await reviewer.call('cli', 'GET /activities/:id/brief', { params: { id } })).toEqual(found)
  })

  it('returns 404 to reviewers of other tenants', async () => {
    await using harness = await createAgentHarness()
    const { id } = await harness.activityOf((await harness.order()).runId)
    const other = await harness.app.team('Other')
    await expect(
      other.reviewer.call('dm', 'GET /activities/:activityId/brief', { params: { activityId: id } }),
    ).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })
})
