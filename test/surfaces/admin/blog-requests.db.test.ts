import { describe, expect, it } from 'vitest'
import { createOperator } from '../../kit/operator.ts'
import { createAgentHarness } from '../../kit/runtime.ts'

const path = '/admin/v1/blog-requests'

async function open() {
  const harness = await createAgentHarness()
  const operator = await createOperator(harness.app)
  const ask = (topic: string, who: 'admin' | 'member') =>
    harness.team[who].call('dashboard', 'POST /blog-requests', { body: { topic, brief: `All of ${topic}` } })
  const change = (id: string, body: object) => operator.send('PATCH', `${path}/${id}`, body)
  return { harness, operator, ask, change, [Symbol.asyncDispose]: () => harness[Symbol.asyncDispose]() }
}

describe('admin.blog_requests.list', () => {
  it('lists requests of tenants with the status names of operators, by filter and page', async () => {
    await using at = await open()
    const { harness, operator } = at
    const oats = await at.ask('Oats', 'admin')
    const rye = await at.ask('Rye', 'member')
    const find = async (query = '') => (await operator.send('GET', `${path}?${query}`)).json
    expect((await find()).data).toEqual([
      {
        id: rye.id,
        tenantId: harness.team.tenantId,
        tenantName: 'Tenant 1',
        title: 'Rye',
        status: 'pending',
        requestedBy: 'Mia Member',
        assignee: 'unassigned',
        createdOn: expect.stringMatching(/Z$/),
        dueDate: null,
      },
      expect.objectContaining({ id: oats.id, status: 'approved', requestedBy: 'Ada Admin' }),
    ])
    const titles = async (query: string) =>
      (await find(query)).data.map(({ title }: { title: string }) => title)
    expect(await titles('filter.status=pending')).toEqual(['Rye'])
    expect(await titles('filter.assignee=human')).toEqual([])
    expect(await titles(`filter.tenantId=${harness.team.tenantId}`)).toEqual(['Rye', 'Oats'])
    expect(await titles(`filter.tenantId=${oats.id}`)).toEqual([])
    const page = await find('limit=1')
    expect(page.pagination).toEqual({ hasMore: true, nextCursor: rye.id })
    expect(await titles(`limit=1&cursor=${page.pagination.nextCursor}`)).toEqual(['Oats'])
    for (const [query, field] of [
      ['filter.status=draft', 'filter.status'],
      ['limit=101', 'limit'],
      ['cursor=x', 'cursor'],
    ])
      expect(await operator.send('GET', `${path}?${query}`), query).toMatchObject({ status: 400, field })
  })
})

describe('admin.blog_requests.get', () => {
  it('returns a request with its brief, its assignee, and the resulting post', async () => {
    await using at = await open()
    const { harness } = at
    const { id } = await at.ask('Oats', 'admin')
    const get = (requestId: string) => at.operator.send('GET', `${path}/${requestId}`)
    expect((await get(id)).json).toMatchObject({
      id,
      tenantId: harness.team.tenantId,
      title: 'Oats',
      status: 'approved',
      brief: 'All of Oats',
      priority: 'normal',
      notes: null,
      assignments: [],
      activity: null,
      blogPostId: null,
    })
    await at.change(id, { assignee: 'human', notes: 'Ask Ines' })
    expect((await get(id)).json).toMatchObject({
      assignee: 'human',
      notes: 'Ask Ines',
      assignments: [{ assignee: 'human', by: 'Olga Operator' }],
    })
    expect(await get(harness.team.tenantId)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })
})

describe('admin.blog_requests.change', () => {
  it('answers the tenant’s request with the decision, and creates the post', async () => {
    await using at = await open()
    const { harness } = at
    await harness.order('blog_post')
    const { id } = await at.ask('Oats', 'member')
    const approval = () =>
      harness.app.db.sql.get<{ status: string; resolved_by_name: string }>('select * from approvals')
    const { json } = await at.change(id, { status: 'approved', notes: 'Nice idea' })
    // Agents may have begun before the answer is written.
    expect(json).toMatchObject({
      status: expect.stringMatching(/^(approved|in_progress)$/),
      notes: 'Nice idea',
    })
    expect(await approval()).toMatchObject({ status: 'approved', resolved_by_name: 'Olga Operator' })
    const agent = await harness.next()
    await agent.deliver('Facts')
    await harness.next()
    const shown = (await at.operator.send('GET', `${path}/${id}`)).json
    expect(shown).toMatchObject({
      status: 'in_progress',
      assignee: 'ai',
      dueDate: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      brief: 'All of Oats',
      assignments: [{ assignee: 'ai', by: 'Copydesk' }],
      activity: { title: 'Blog post “Oats”: draft' },
      blogPostId: expect.any(String),
    })
    for (const body of [{ status: 'published' }, { status: 'rejected' }, { status: 'pending' }])
      expect(await at.change(id, body)).toMatchObject({ status: 422, field: 'status' })
    expect(await at.change(id, { assignee: 'human' })).toMatchObject({ status: 422, field: 'assignee' })
    expect((await at.operator.send('GET', `${path}/${id}`)).json).toEqual(shown)
  })

  it('rejects a request with a note that its author can read', async () => {
    await using at = await open()
    const { id } = await at.ask('Oats', 'member')
    expect((await at.change(id, { status: 'rejected', notes: 'We had that' })).json.status).toBe('rejected')
    const wait = `select count(*) as n from approvals where status = 'pending'`
    expect(await at.harness.count(wait)).toBe(0)
    expect(await at.harness.count(`select count(*) as n from notifications where body = 'We had that'`)).toBe(
      2,
    )
  })

  it('assigns requests to people, and back to agents', async () => {
    await using at = await open()
    const { harness } = at
    await harness.order('blog_post')
    const { id } = await at.ask('Oats', 'member')
    expect((await at.change(id, { assignee: 'human', status: 'approved' })).json).toMatchObject({
      assignee: 'human',
      status: 'approved',
    })
    const starts = `select count(*) as n from job where kind = 'request.start'`
    expect(await harness.count(starts)).toBe(0)
    expect((await at.change(id, { assignee: 'ai' })).json.assignee).toBe('ai')
    await harness.next()
    const other = await at.ask('Rye', 'member')
    await at.change(other.id, { assignee: 'human', status: 'approved' })
    for (const status of ['in_progress', 'published'])
      expect((await at.change(other.id, { status })).json.status).toBe(status)
    expect(await at.change(other.id, { status: 'rejected' })).toMatchObject({ status: 422 })
    expect((await at.operator.send('GET', `${path}/${other.id}`)).json).toMatchObject({
      assignments: [{ assignee: 'human', by: 'Olga Operator' }],
      activity: null,
    })
  })
})
