import type { ApiError } from '@copydesk/client'
import { describe, expect, it } from 'vitest'
import { sha256Hex } from '../../packages/core/src/platform/crypto/hash.ts'
import { createDesk, type Desk } from '../kit/runtime.ts'

const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'was not refused',
    ({ status, code, field }: ApiError) => ({ status, code, ...(field !== undefined && { field }) }),
  )
const notFound = { status: 404, code: 'NOT_FOUND' }

/** A piece whose first version was sent back, and whose third is the reviewer's own and approved. */
async function written(desk: Desk) {
  const { reviewer } = desk.team
  const verdict = async (body: {
    resolution: 'approved' | 'revision_requested'
    note?: string
    edited?: string
  }) => {
    const { data } = await reviewer.call('dm', 'GET /approvals', { query: { 'filter.status': 'pending' } })
    const params = { approvalId: data[0]?.id ?? '' }
    await reviewer.call('dm', 'POST /approvals/:approvalId/resolve', { params, body })
  }
  const agent = await desk.order()
  await agent.deliver('Warm oats for cold days')
  await verdict({ resolution: 'revision_requested', note: 'Colder' })
  await (await desk.next()).deliver('Cold oats for warm days')
  await verdict({ resolution: 'approved', edited: 'Cold oats for summer days' })
  const last = await desk.next()
  await last.call('POST /runs/:runId/result', { status: 'success', metadata: { nothingToDo: true } })
  const { id } = await desk.activityOf(agent.runId)
  return id
}

describe('versions of a text', () => {
  it('are listed, read and compared on both surfaces, and nobody else sees them', async () => {
    await using desk = await createDesk()
    const { member, reviewer, reviewerId } = desk.team
    const activityId = await written(desk)
    const params = { activityId }
    const texts = ['Warm oats for cold days', 'Cold oats for warm days', 'Cold oats for summer days']
    const byAgent = { id: 'social_writer', name: 'Social writer', type: 'agent' }
    const { data, pagination } = await reviewer.call('dm', 'GET /activities/:activityId/versions', { params })
    expect(pagination).toEqual({ hasMore: false, nextCursor: null })
    expect(data).toMatchObject([
      {
        version: 3,
        author: { id: reviewerId, name: 'Rita Reviewer', type: 'human' },
        contentHash: sha256Hex(texts[2] ?? ''),
        approved: true,
      },
      { version: 2, author: byAgent, approved: false },
      { version: 1, author: byAgent, approved: false, contentHash: sha256Hex(texts[0] ?? '') },
    ])
    expect(await member.call('dashboard', 'GET /activities/:activityId/versions', { params })).toEqual({
      data,
      pagination,
    })

    // Page by page, in both orders.
    for (const order of ['asc', 'desc'] as const) {
      const seen: number[] = []
      let cursor: string | undefined
      do {
        const page = await member.call('dashboard', 'GET /activities/:activityId/versions', {
          params,
          query: { limit: 1, order, ...(cursor && { cursor }) },
        })
        seen.push(...page.data.map(({ version }) => version))
        cursor = page.pagination.nextCursor ?? undefined
      } while (cursor)
      expect(seen).toEqual(order === 'asc' ? [1, 2, 3] : [3, 2, 1])
    }

    for (const [at, text] of texts.entries())
      expect(
        await reviewer.call('dm', 'GET /activities/:activityId/versions/:version', {
          params: { activityId, version: at + 1 },
        }),
      ).toMatchObject({ activityId, version: at + 1, text, format: 'markdown', contentHash: sha256Hex(text) })

    const diff = (query: { from?: number; to?: number } = {}) =>
      member.call('dashboard', 'GET /activities/:activityId/diff', { params, query })
    expect(await diff()).toEqual({
      from: 2,
      to: 3,
      changes: [
        { kind: 'same', text: 'Cold oats for ' },
        { kind: 'removed', text: 'warm' },
        { kind: 'added', text: 'summer' },
        { kind: 'same', text: ' days' },
      ],
    })
    for (let from = 0; from <= 3; from += 1) {
      for (let to = 0; to <= 3; to += 1) {
        const { changes } = await diff({ from, to })
        const side = (left: string) =>
          changes
            .filter(({ kind }) => kind !== left)
            .map(({ text }) => text)
            .join('')
        expect([side('added'), side('removed')]).toEqual([texts[from - 1] ?? '', texts[to - 1] ?? ''])
      }
    }
    expect(await reviewer.call('dm', 'GET /activities/:activityId/diff', { params })).toEqual(await diff())

    expect(await refusal(diff({ to: 4 }))).toEqual(notFound)
    expect(await refusal(diff({ from: -1 }))).toMatchObject({ status: 400, field: 'from' })
    const unknown = { params, query: { cursor: 'none' } }
    expect(
      await refusal(member.call('dashboard', 'GET /activities/:activityId/versions', unknown)),
    ).toMatchObject({ status: 400, field: 'cursor' })

    // A neighbour's, and one without a text.
    const neighbour = await desk.app.team()
    const agent = await desk.order()
    const empty = { params: { activityId: (await desk.activityOf(agent.runId)).id } }
    const list = await member.call('dashboard', 'GET /activities/:activityId/versions', empty)
    expect(list.data).toEqual([])
    const version = 1
    // Each is looked at from the start: one may be refused while another is waited for.
    const answers = [
      member.call('dashboard', 'GET /activities/:activityId/diff', empty),
      member.call('dashboard', 'GET /activities/:activityId/diff', { ...empty, query: { from: 0, to: 0 } }),
      neighbour.admin.call('dashboard', 'GET /activities/:activityId/versions', { params }),
      neighbour.admin.call('dashboard', 'GET /activities/:activityId/diff', { params }),
      neighbour.reviewer.call('dm', 'GET /activities/:activityId/versions', { params }),
      neighbour.reviewer.call('dm', 'GET /activities/:activityId/versions/:version', {
        params: { activityId, version },
      }),
      neighbour.reviewer.call('dm', 'GET /activities/:activityId/diff', { params }),
    ].map(refusal)
    expect(await Promise.all(answers)).toEqual(answers.map(() => notFound))
  })
})
