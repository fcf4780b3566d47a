import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sha256Hex } from '../../../packages/core/src/platform/crypto/hash.ts'
import type { Team } from '../../kit/app.ts'
import { createOperator } from '../../kit/operator.ts'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { article } from '../blogging.ts'
import { refusal } from '../refusal.ts'
import { refused } from '../steering.ts'

const titles = ['Übung macht den Bäcker', 'Why 100% oats', 'Why 100% oats']

/** Three posts, the last of which is approved. */
async function write(harness: AgentHarness): Promise<void> {
  await harness.configure({ concurrency: 10 })
  const first = await harness.order('blog_post', { deliverables: [{ type: 'blog_post', quantity: 3 }] })
  const researchers = [first, await harness.next(), await harness.next()]
  for (const [at, researcher] of researchers.entries()) {
    await researcher.deliver(`Facts ${at}`)
    await (await harness.next()).deliver(article(titles[at] ?? ''))
  }
  const { data } = await harness.team.admin.call('dashboard', 'GET /approvals')
  await harness.team.admin.call('dashboard', 'POST /approvals/:approvalId/resolve', {
    params: { approvalId: data[0]?.id ?? '' },
    body: { resolution: 'approved' },
  })
}

let harness: AgentHarness
let other: Team

beforeAll(async () => {
  harness = await createAgentHarness()
  await write(harness)
  other = await harness.app.team('Other')
})

afterAll(() => harness[Symbol.asyncDispose]())

/** The newest post, which is approved. */
async function newest() {
  const { reviewer, tenantId } = harness.team
  const [post] = (await reviewer.call('dm', 'GET /blog', { query: { tenantId } })).data
  return { id: post?.id ?? '' }
}

describe('dm.blog.list', () => {
  it('lists the posts of one tenant by page, state and title', async () => {
    const { reviewer, tenantId } = harness.team
    const list = (query: object = {}) =>
      reviewer.call('dm', 'GET /blog', { query: { tenantId, ...query } as never })
    const slugs = async (query: object = {}) => (await list(query)).data.map(({ slug }) => slug)
    const all = ['why-100-oats-2', 'why-100-oats', 'ubung-macht-den-backer']
    expect(await slugs()).toEqual(all)
    expect(await list({ limit: 2 })).toMatchObject({ total: 3, page: 1, limit: 2, pages: 2 })
    expect(await slugs({ limit: 2, page: 2 })).toEqual(all.slice(2))
    expect(await slugs({ page: 3 })).toEqual([])
    expect(await slugs({ status: 'client_approved' })).toEqual(all.slice(0, 1))
    for (const [q, found] of [
      ['BACKER', all.slice(2)],
      ['100% o', all.slice(0, 2)],
      ['100_', []],
      ['%', all.slice(0, 2)],
      ['  ', all],
      ['macht oats', []],
    ] as const)
      expect(await slugs({ q }), q).toEqual(found)
    for (const query of [{ limit: 101 }, { page: 0 }, { status: 'draft' }])
      expect(await refusal(list(query))).toMatchObject({ status: 400, field: Object.keys(query)[0] })
    expect(await refusal(reviewer.call('dm', 'GET /blog', { query: {} as never }))).toMatchObject({
      status: 400,
      field: 'tenantId',
    })
  })

  it('rejects a tenant that is not assigned', async () => {
    const query = { tenantId: other.tenantId }
    const call = harness.team.reviewer.call('dm', 'GET /blog', { query })
    expect(await refusal(call)).toMatchObject({ status: 403, code: 'FORBIDDEN' })
  })
})

describe('dm.blog.get', () => {
  it('returns a post with its Markdown, and the hash with which it is approved', async () => {
    const params = await newest()
    const post = await harness.team.reviewer.call('dm', 'GET /blog/:id', { params })
    const content = article(titles[2] ?? '')
    expect(post).toMatchObject({
      id: params.id,
      slug: 'why-100-oats-2',
      status: 'client_approved',
      content,
      contentHash: sha256Hex(content),
      clientApprovedBy: 'Ada Admin',
    })
  })

  it('returns 404 for a post of a tenant that is not assigned', async () => {
    const call = other.reviewer.call('dm', 'GET /blog/:id', { params: await newest() })
    expect(await refusal(call)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })
})

describe('dm.blog.approve and dm.blog.reject', () => {
  it('reject a post of a tenant that is not assigned, and change nothing', async () => {
    const params = await newest()
    const approve = () => other.reviewer.call('dm', 'POST /blog/:id/dm-approve', { params })
    expect(await refused(harness, approve)).toBe('403 FORBIDDEN')
    const reject = () =>
      other.reviewer.call('dm', 'POST /blog/:id/dm-reject', { params, body: { feedback: 'No' } })
    expect(await refused(harness, reject)).toBe('404 NOT_FOUND')
  })
})

describe('admin.blogs.list', () => {
  it('lists the posts of all tenants with the status names of operators, by tenant, state, days and page', async () => {
    const params = await newest()
    const { tenantId } = harness.team
    const operator = await createOperator(harness.app)
    const blogs = async (query = '') => (await operator.send('GET', `/admin/v1/blogs?${query}`)).json
    expect((await blogs('limit=1')).data).toEqual([
      {
        id: params.id,
        tenantId,
        tenantName: 'Tenant 1',
        title: 'Why 100% oats',
        status: 'approved',
        wordCount: 12,
        publishedAt: null,
        createdOn: expect.stringMatching(/Z$/),
      },
    ])
    const count = async (query: string) => (await blogs(query)).data.length
    expect(await count('filter.status=draft')).toBe(2)
    expect(await count('filter.status=archived')).toBe(0)
    expect(await count(`filter.tenantId=${other.tenantId}`)).toBe(0)
    expect(await count('filter.startDate=2020-01-01')).toBe(3)
    expect(await count('filter.endDate=2020-01-01')).toBe(0)
    expect(await count(`cursor=${params.id}`)).toBe(2)
  })
})
