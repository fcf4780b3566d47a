import type { Client } from '@copydesk/client'
import { describe, expect, it } from 'vitest'
import { brief, createTestApp } from '../kit/app.ts'

const topic = 'Why oats keep you full'

const feed = async (client: Client) => (await client.call('dashboard', 'GET /feed', {})).data
const put = (client: Client, route: 'dismiss' | 'snooze', itemId = '') =>
  route === 'dismiss'
    ? client.call('dashboard', 'POST /feed/:itemId/dismiss', { params: { itemId } })
    : client.call('dashboard', 'POST /feed/:itemId/snooze', {
        params: { itemId },
        body: { until: new Date(Date.now() + 3_600_000).toISOString() },
      })
const approve = (client: Client, approvalId = '') =>
  client.call('dashboard', 'POST /approvals/:approvalId/resolve', {
    params: { approvalId },
    body: { resolution: 'approved' },
  })

describe('a member', () => {
  it('requests a blog post, waits for an admin, comments on it, and reads it at the end of the day', async () => {
    await using app = await createTestApp()
    const { admin, adminId, member } = await app.team()
    const me = await member.call('auth', 'GET /me')
    await admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Spring', brief, deliverables: [{ type: 'blog_post', quantity: 1 }] },
    })
    const asked = (type: 'content_review' | 'content_direction', title: RegExp) =>
      app.until(async () => {
        const query = { 'filter.status': 'pending', 'filter.type': type } as const
        const { data } = await admin.call('dashboard', 'GET /approvals', { query })
        return data.find((one) => title.test(one.title))
      }, `the admins are asked for ${title}`)
    const planned = await asked('content_review', /./)
    await approve(admin, planned.id)

    // The wish waits, and its author can neither grant it nor see it in the feed of what to decide.
    const request = async () => (await member.call('dashboard', 'GET /blog-requests')).data[0]
    await member.call('dashboard', 'POST /blog-requests', { body: { topic, priority: 'high' } })
    expect(await request()).toMatchObject({ topic, status: 'draft', createdBy: 'Mia Member' })
    const wish = await asked('content_direction', /oats/)
    expect(await feed(member)).toEqual([])
    await expect(approve(member, wish.id)).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' })
    expect(await feed(admin)).toMatchObject([
      { id: wish.id, kind: 'approval', title: `Blog request: ${topic}`, riskLevel: 'medium' },
    ])

    // An admin grants it, the agents work, and the text waits in turn.
    await approve(admin, wish.id)
    const review = await asked('content_review', /oats/)
    expect(await request()).toMatchObject({ status: 'in_production', blogPostId: expect.any(String) })
    const [draft] = review.linkedActivities
    const params = { activityId: draft?.id ?? '' }
    expect(await feed(admin)).toMatchObject([{ id: review.id, kind: 'approval', riskLevel: 'low' }])
    const inbox = await member.call('mobile', 'GET /notifications')
    expect(inbox).toMatchObject({ unreadCount: 1, data: [{ title: `Approved: ${topic}` }] })

    // They talk about it: who is called sees that, and no one else; who has answered does no more.
    const say = (by: Client, text: string) =>
      by.call('dashboard', 'POST /activities/:activityId/comments', { params, body: { text } })
    const first = await say(member, `Is this right, @human:${adminId}? And you, @agent:blog_writer?`)
    expect(first).toMatchObject({
      author: { id: me.id, name: 'Mia Member', type: 'human' },
      mentions: [
        { type: 'human', id: adminId, name: 'Ada Admin' },
        { type: 'agent', id: 'blog_writer' },
      ],
    })
    expect((await feed(admin)).map(({ id }) => id)).toEqual([first.id, review.id])
    expect(await feed(member)).toEqual([])
    const second = await say(admin, `It is, @human:${me.id}`)
    expect((await feed(admin)).map(({ id }) => id)).toEqual([review.id])
    expect(await feed(member)).toMatchObject([
      {
        id: second.id,
        kind: 'mention',
        title: draft?.title,
        reason: `Ada Admin: It is, @human:${me.id}`,
        subject: { kind: 'activity', id: params.activityId },
        actions: ['comment', 'snooze', 'dismiss'],
      },
    ])
    await put(member, 'snooze', second.id)
    expect(await feed(member)).toEqual([])
    const third = await say(admin, `Done, @human:${me.id}`)
    expect((await feed(member)).map(({ id }) => id)).toEqual([third.id])
    await put(member, 'dismiss', third.id)
    expect(await feed(member)).toEqual([])
    await expect(put(member, 'dismiss', review.id)).rejects.toMatchObject({ status: 404 })
    const talk = await member.call('dashboard', 'GET /activities/:activityId/comments', { params })
    expect(talk.data.map(({ id }) => id)).toEqual([first.id, second.id, third.id])
    // The agent waits for its verdict: being called moves nothing.
    const detail = () => member.call('dashboard', 'GET /activities/:activityId', { params })
    expect(await detail()).toMatchObject({ status: 'awaiting_approval' })

    // The admin has put it aside, and decides all the same.
    await put(admin, 'dismiss', review.id)
    expect(await feed(admin)).toEqual([])
    const { contentHash } = await approve(admin, review.id)
    await app.until(async () => (await request())?.status === 'completed', 'the wish has come true')
    const output = await member.call('dashboard', 'GET /activities/:activityId/output', { params })
    expect(output).toMatchObject({ contentHash, text: expect.stringMatching(/oats/i) })
    expect(await detail()).toMatchObject({ status: 'done' })
    expect(await feed(member)).toEqual([])
    const told = await member.call('mobile', 'GET /notifications')
    expect(told.data.map(({ title }) => title)).toEqual([
      `Ada Admin mentioned you on ${draft?.title}`,
      `Ada Admin mentioned you on ${draft?.title}`,
      `Approved: ${topic}`,
    ])
  })
})
