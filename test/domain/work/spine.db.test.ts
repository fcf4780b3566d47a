import { describe, expect, it } from 'vitest'
import { brief, createTestApp } from '../../kit/app.ts'

const oneSocialPost = { name: 'Spring', brief, deliverables: [{ type: 'social_post' as const, quantity: 1 }] }

describe('a brief', () => {
  it('becomes an approved text after one revision', async () => {
    await using app = await createTestApp()
    const { admin, reviewer } = await app.team()
    const campaign = await admin.call('dashboard', 'POST /campaigns', { body: oneSocialPost })
    expect(campaign.status).toBe('draft')

    const pending = () =>
      app.until(async () => {
        const { data } = await reviewer.call('dm', 'GET /approvals', {
          query: { 'filter.status': 'pending' },
        })
        return data[0]
      }, 'an approval is pending')
    const first = await pending()
    const sentBack = await reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: first.id },
      body: { resolution: 'revision_requested', note: 'Mention the Rye & Seed Loaf' },
    })
    expect(sentBack).toEqual({
      approvalId: first.id,
      resolution: 'revision_requested',
      reEnqueuedActivities: 1,
      contentHash: first.contentHash,
      version: 1,
    })

    const second = await pending()
    expect(second.id).not.toBe(first.id)
    const detail = await reviewer.call('dm', 'GET /approvals/:approvalId', {
      params: { approvalId: second.id },
    })
    const [linked] = detail.linkedActivities
    expect(linked?.version).toBe(2)
    expect(linked?.previousOutput).toBeTypeOf('string')
    expect(linked?.output).toContain('Rye & Seed Loaf')
    await reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: second.id },
      body: { resolution: 'approved', contentHash: detail.contentHash },
    })

    const activity = await app.until(async () => {
      const { data } = await admin.call('dashboard', 'GET /activities', {
        query: { 'filter.status': 'done' },
      })
      return data[0]
    }, 'the activity is done')
    const output = await admin.call('dashboard', 'GET /activities/:activityId/output', {
      params: { activityId: activity.id },
    })
    expect(output.text).toBe(linked?.output)
    expect(output.contentHash).toBe(detail.contentHash)
  })
})
