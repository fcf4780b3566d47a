import { describe, expect, it } from 'vitest'
import { brief } from '../kit/app.ts'
import { createDesk } from '../kit/runtime.ts'

describe('dm.activities.brief', () => {
  it('tells the task, the brief of the campaign, and the newest texts of the steps before', async () => {
    await using desk = await createDesk()
    const research = await desk.order('blog_post')
    await research.deliver('# What people search for\n\nOats, quickly.')
    const draft = await desk.next()
    const before = await desk.activityOf(research.runId)
    const { id } = await desk.activityOf(draft.runId)
    const { reviewer } = desk.team
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

  it('is not there for reviewers of other tenants', async () => {
    await using desk = await createDesk()
    const { id } = await desk.activityOf((await desk.order()).runId)
    const other = await desk.app.team('Other')
    await expect(
      other.reviewer.call('dm', 'GET /activities/:activityId/brief', { params: { activityId: id } }),
    ).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })
})
