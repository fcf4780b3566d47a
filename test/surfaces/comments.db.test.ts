import type { ApiError } from '@copydesk/client'
import { describe, expect, it } from 'vitest'
import type { TestApp } from '../kit/app.ts'
import { keepComments } from '../kit/comments.ts'
import { createAgentHarness } from '../kit/runtime.ts'

const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'was not refused',
    ({ status, code, field }: ApiError) => ({ status, code, ...(field !== undefined && { field }) }),
  )

async function discussed(total: number) {
  await using stack = new AsyncDisposableStack()
  const harness = stack.use(await createAgentHarness())
  const agent = await harness.order()
  const { id: activityId } = await harness.activityOf(agent.runId)
  const texts = await keepComments(harness.app, { activityId, tenantId: harness.team.tenantId, total })
  const owned = stack.move()
  return {
    harness,
    activityId,
    params: { activityId },
    texts,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

const textsOf = ({ data }: { data: Array<{ text: string }> }) => data.map(({ text }) => text)

describe('dashboard.activities.comments', () => {
  it('returns comments page by page, a hundred at a time, in both orders, on each surface', async () => {
    await using t = await discussed(250)
    const { member, reviewer } = t.harness.team
    const first = await member.call('dashboard', 'GET /activities/:activityId/comments', { params: t.params })
    expect(textsOf(first)).toEqual(t.texts.slice(0, 100))
    expect(first.pagination).toEqual({ hasMore: true, nextCursor: first.data[99]?.id })
    for (const [order, expected] of [
      ['asc', t.texts],
      ['desc', t.texts.toReversed()],
    ] as const) {
      const seen: string[] = []
      let cursor: string | null = null
      do {
        const query: { order: 'asc' | 'desc'; cursor?: string } = { order, ...(cursor && { cursor }) }
        const page = await reviewer.call('dm', 'GET /activities/:activityId/comments', {
          params: t.params,
          query,
        })
        seen.push(...textsOf(page))
        cursor = page.pagination.nextCursor
      } while (cursor)
      expect(seen).toEqual(expected)
    }
    const { id } = { id: t.activityId }
    const small = await reviewer.call('cli', 'GET /activities/:id/comments', {
      params: { id },
      query: { limit: 2 },
    })
    expect(textsOf(small)).toEqual(t.texts.slice(0, 2))
  })

  it('rejects an invalid limit and cursor, and returns 404 to another tenant', async () => {
    await using t = await discussed(1)
    const { member } = t.harness.team
    const list = (query: object, who = member) =>
      refusal(who.call('dashboard', 'GET /activities/:activityId/comments', { params: t.params, query }))
    for (const [field, query] of [
      ['limit', { limit: 0 }],
      ['limit', { limit: 101 }],
      ['cursor', { cursor: 'x' }],
    ] as const)
      expect(await list(query)).toEqual({ status: 400, code: 'VALIDATION_ERROR', field })
    const neighbour = await (t.harness.app satisfies TestApp).team()
    expect(await list({}, neighbour.member)).toEqual({ status: 404, code: 'NOT_FOUND' })
  })
})

describe('comments of an activity', () => {
  it('are in the detail as the latest hundred, oldest first, with their total', async () => {
    await using t = await discussed(250)
    const { member, reviewer } = t.harness.team
    const seen = await member.call('dashboard', 'GET /activities/:activityId', { params: t.params })
    expect(seen.comments.map(({ text }) => text)).toEqual(t.texts.slice(150))
    expect(seen.commentsTotal).toBe(250)
    const reviewed = await reviewer.call('dm', 'GET /activities/:activityId', { params: t.params })
    expect(reviewed).toMatchObject({ comments: seen.comments, commentsTotal: 250 })
  })

  it('are limited to 10,000 characters, for people and agents', async () => {
    await using t = await discussed(0)
    const body = { text: 'x'.repeat(10_001) }
    const tooLong = { status: 400, code: 'VALIDATION_ERROR', field: 'text' }
    const { member } = t.harness.team
    const of = { params: t.params, body }
    expect(await refusal(member.call('dashboard', 'POST /activities/:activityId/comments', of))).toEqual(
      tooLong,
    )
    expect(await refusal(member.call('mobile', 'POST /activities/:activityId/comments', of))).toEqual(tooLong)
    const { commentsTotal } = await member.call('dashboard', 'GET /activities/:activityId', {
      params: t.params,
    })
    expect(commentsTotal).toBe(0)
  })
})
