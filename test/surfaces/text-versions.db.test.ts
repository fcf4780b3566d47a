import type { ApiError } from '@copydesk/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sha256Hex } from '../../packages/core/src/platform/crypto/hash.ts'
import type { Team } from '../kit/app.ts'
import { type AgentHarness, createAgentHarness } from '../kit/runtime.ts'

const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'was not refused',
    ({ status, code, field }: ApiError) => ({ status, code, ...(field !== undefined && { field }) }),
  )
const notFound = { status: 404, code: 'NOT_FOUND' }

/** A piece whose first version was sent back, and whose third is the reviewer's own and approved. */
async function written(harness: AgentHarness) {
  const { reviewer } = harness.team
  const verdict = async (body: {
    resolution: 'approved' | 'revision_requested'
    note?: string
    edited?: string
  }) => {
    const { data } = await reviewer.call('dm', 'GET /approvals', { query: { 'filter.status': 'pending' } })
    const params = { approvalId: data[0]?.id ?? '' }
    await reviewer.call('dm', 'POST /approvals/:approvalId/resolve', { params, body })
  }
  const agent = await harness.order()
  await agent.deliver('Warm oats for cold days')
  await verdict({ resolution: 'revision_requested', note: 'Colder' })
  await (await harness.next()).deliver('Cold oats for warm days')
  await verdict({ resolution: 'approved', edited: 'Cold oats for summer days' })
  const last = await harness.next()
  await last.call('POST /runs/:runId/result', { status: 'success', metadata: { nothingToDo: true } })
  const { id } = await harness.activityOf(agent.runId)
  return id
}

const texts = ['Warm oats for cold days', 'Cold oats for warm days', 'Cold oats for summer days']

let harness: AgentHarness
let neighbour: Team
let params: { activityId: string }
/** Of an activity without a text. */
let empty: { activityId: string }

beforeAll(async () => {
  harness = await createAgentHarness()
  neighbour = await harness.app.team()
  params = { activityId: await written(harness) }
  const agent = await harness.order()
  empty = { activityId: (await harness.activityOf(agent.runId)).id }
})

afterAll(() => harness[Symbol.asyncDispose]())

describe('dashboard.versions.list', () => {
  const path = 'GET /activities/:activityId/versions'

  it('lists the versions of a text, newest first, with author and approval', async () => {
    const { member, reviewer, reviewerId } = harness.team
    const byAgent = { id: 'social_writer', name: 'Social writer', type: 'agent' }
    const list = await member.call('dashboard', path, { params })
    expect(list.pagination).toEqual({ hasMore: false, nextCursor: null })
    expect(list.data).toMatchObject([
      {
        version: 3,
        author: { id: reviewerId, name: 'Rita Reviewer', type: 'human' },
        contentHash: sha256Hex(texts[2] ?? ''),
        approved: true,
      },
      { version: 2, author: byAgent, approved: false },
      { version: 1, author: byAgent, approved: false, contentHash: sha256Hex(texts[0] ?? '') },
    ])
    expect(await reviewer.call('dm', path, { params })).toEqual(list)
    expect((await member.call('dashboard', path, { params: empty })).data).toEqual([])
  })

  it('returns each version once, page by page, in both orders', async () => {
    for (const order of ['asc', 'desc'] as const) {
      const seen: number[] = []
      let cursor: string | undefined
      do {
        const query = { limit: 1, order, ...(cursor && { cursor }) }
        const page = await harness.team.member.call('dashboard', path, { params, query })
        seen.push(...page.data.map(({ version }) => version))
        cursor = page.pagination.nextCursor ?? undefined
      } while (cursor)
      expect(seen).toEqual(order === 'asc' ? [1, 2, 3] : [3, 2, 1])
    }
    const unknown = harness.team.member.call('dashboard', path, { params, query: { cursor: 'none' } })
    expect(await refusal(unknown)).toMatchObject({ status: 400, field: 'cursor' })
  })

  it('returns 404 to another tenant, on both surfaces', async () => {
    expect(await refusal(neighbour.admin.call('dashboard', path, { params }))).toEqual(notFound)
    expect(await refusal(neighbour.reviewer.call('dm', path, { params }))).toEqual(notFound)
  })
})

describe('dashboard.versions.get', () => {
  const path = 'GET /activities/:activityId/versions/:version'

  it('returns the text of one version, to the team and to reviewers', async () => {
    const { member, reviewer } = harness.team
    for (const [at, text] of texts.entries()) {
      const version = { params: { ...params, version: at + 1 } }
      const seen = await member.call('dashboard', path, version)
      expect(seen).toMatchObject({
        ...params,
        version: at + 1,
        text,
        format: 'markdown',
        contentHash: sha256Hex(text),
      })
      expect(await reviewer.call('dm', path, version)).toEqual(seen)
    }
  })

  it('returns 404 for an unknown version, and to another tenant', async () => {
    const read = (version: number, { member } = harness.team) =>
      refusal(member.call('dashboard', path, { params: { ...params, version } }))
    expect(await read(4)).toEqual(notFound)
    expect(await read(1, neighbour)).toEqual(notFound)
    const foreign = neighbour.reviewer.call('dm', path, { params: { ...params, version: 1 } })
    expect(await refusal(foreign)).toEqual(notFound)
  })
})

describe('dashboard.versions.diff', () => {
  const path = 'GET /activities/:activityId/diff'
  const diff = (query: { from?: number; to?: number } = {}) =>
    harness.team.member.call('dashboard', path, { params, query })

  it('returns the word-by-word difference between the two latest versions', async () => {
    const latest = await diff()
    expect(latest).toEqual({
      from: 2,
      to: 3,
      changes: [
        { kind: 'same', text: 'Cold oats for ' },
        { kind: 'removed', text: 'warm' },
        { kind: 'added', text: 'summer' },
        { kind: 'same', text: ' days' },
      ],
    })
    expect(await harness.team.reviewer.call('dm', path, { params })).toEqual(latest)
  })

  it('contains both texts completely, for any two versions; version 0 is empty', async () => {
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
  })

  it('returns 404 for an unknown version, without a text, and to another tenant', async () => {
    expect(await refusal(diff({ to: 4 }))).toEqual(notFound)
    expect(await refusal(diff({ from: -1 }))).toMatchObject({ status: 400, field: 'from' })
    // Each is looked at from the start: one may be refused while another is waited for.
    const answers = [
      harness.team.member.call('dashboard', path, { params: empty }),
      harness.team.member.call('dashboard', path, { params: empty, query: { from: 0, to: 0 } }),
      neighbour.admin.call('dashboard', path, { params }),
      neighbour.reviewer.call('dm', path, { params }),
    ].map(refusal)
    expect(await Promise.all(answers)).toEqual(answers.map(() => notFound))
  })
})
