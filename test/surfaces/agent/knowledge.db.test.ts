import { describe, expect, it } from 'vitest'
import { neighbourOf } from '../../domain/agent-harness.ts'
import { addDocuments, datasetOf } from '../../kit/knowledge.ts'
import { type Agent, type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { page, redirect, send, startSite } from '../../platform/crawl/site.ts'
import { refusal } from '../refusal.ts'

const prices = { 'prices.md': '# Prices\n\nThe sourdough loaf costs 4.50 euros.' }

const search = (agent: Agent, query: string, topK?: number) =>
  agent.call('POST /runs/:runId/actions/knowledge-search', { query, ...(topK && { topK }) })

const read = (agent: Agent, url: string) => agent.call('POST /runs/:runId/actions/web-read', { url })

const approvalOf = async ({ team }: AgentHarness) => {
  const { data } = await team.reviewer.call('dm', 'GET /approvals')
  return team.reviewer.call('dm', 'GET /approvals/:approvalId', {
    params: { approvalId: data[0]?.id ?? '' },
  })
}

describe('agent.actions.knowledge_search', () => {
  it('finds what the client has given, and keeps it as the sources of the piece', async () => {
    await using harness = await createAgentHarness()
    const [fileId] = await addDocuments(harness.app, harness.team, prices)
    const agent = await harness.order()
    const { results } = await search(agent, 'price of sourdough')
    expect(results).toMatchObject([{ n: 1, title: 'prices.md', heading: 'Prices' }])
    expect(results[0]?.text).toContain('4.50 euros')
    // What is found a second time keeps its number.
    expect((await search(agent, 'sourdough loaf')).results).toMatchObject([{ n: 1 }])
    expect((await search(agent, 'zeppelin')).results).toEqual([])
    await agent.deliver('Our loaf costs 4.50 euros [1].')

    const { sources } = await approvalOf(harness)
    expect(sources).toMatchObject([
      { n: 1, kind: 'knowledge', title: 'prices.md', cited: true, fileId, heading: 'Prices' },
    ])
    const { id: activityId } = await harness.activityOf(agent.runId)
    const [, own] = [
      await harness.team.reviewer.call('dm', 'GET /activities/:activityId/brief', { params: { activityId } }),
      await harness.team.member.call('dashboard', 'GET /activities/:activityId/brief', {
        params: { activityId },
      }),
    ]
    expect(own.sources).toMatchObject([{ kind: 'knowledge', n: 1, text: sources?.[0]?.text }])
    const approvalId = (await approvalOf(harness)).id
    expect(
      await harness.team.member.call('dashboard', 'GET /approvals/:approvalId', { params: { approvalId } }),
    ).toMatchObject({ sources: [{ n: 1 }] })
    expect(
      await harness.team.member.call('mobile', 'GET /approvals/:approvalId', { params: { approvalId } }),
    ).toMatchObject({ sources: [{ n: 1 }] })
  })

  it('shows a source as it was, after its file has been deleted', async () => {
    await using harness = await createAgentHarness()
    const { member } = harness.team
    const [fileId = ''] = await addDocuments(harness.app, harness.team, prices)
    const agent = await harness.order()
    await search(agent, 'sourdough')
    const datasetId = await datasetOf(harness.team)
    await member.call('dashboard', 'DELETE /knowledge-base/datasets/:datasetId/files/:fileId', {
      params: { datasetId, fileId },
    })
    expect((await search(agent, 'sourdough')).results).toEqual([])
    await agent.deliver('A post')
    expect((await approvalOf(harness)).sources).toMatchObject([{ n: 1, cited: false, fileId }])
    expect((await approvalOf(harness)).sources?.[0]?.text).toContain('4.50 euros')
  })

  it('searches only what the role may search, of its own tenant', async () => {
    await using harness = await createAgentHarness()
    await addDocuments(harness.app, harness.team, prices)
    const neighbour = await neighbourOf(harness)
    const theirs = await neighbour.order()
    expect((await search(theirs, 'sourdough')).results).toEqual([])
    const agent = await harness.order()
    const datasetId = await datasetOf(harness.team)
    await harness.team.admin.call('dashboard', 'PATCH /knowledge-base/datasets/:datasetId/config', {
      params: { datasetId },
      body: { allowedAgentRoles: ['blog_writer'] },
    })
    expect(agent.dispatch.agentRole).toBe('social_writer')
    expect((await search(agent, 'sourdough')).results).toEqual([])
    await harness.team.admin.call('dashboard', 'PATCH /knowledge-base/datasets/:datasetId/config', {
      params: { datasetId },
      body: { allowedAgentRoles: ['social_writer'] },
    })
    expect((await search(agent, 'sourdough')).results).toHaveLength(1)
  })

  it('is over when the run is', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    await agent.deliver('A post')
    expect(await refusal(search(agent, 'sourdough'))).toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
  })
})

describe('agent.actions.web_read', () => {
  it('reads the main text of a page for an agent that has the tool, and keeps it as a source', async () => {
    await using harness = await createAgentHarness()
    await using site = await startSite({
      '/rye': page('All about rye', ['/menu']).replace(
        '<ul>',
        '<main><h1>All about rye</h1><p>Rye grows where wheat does not.</p></main><ul>',
      ),
    })
    const agent = await harness.order()
    const url = new URL('/rye', site.url).href
    expect(await refusal(read(agent, url))).toMatchObject({ status: 403, code: 'FORBIDDEN' })
    await harness.configure({ toolNames: ['web_read'] })
    const found = await read(agent, url)
    expect(found).toMatchObject({ n: 1, title: 'All about rye', url, truncated: false })
    expect(found.text).toContain('Rye grows where wheat does not.')
    await agent.deliver('A post about rye')
    expect((await approvalOf(harness)).sources).toMatchObject([{ n: 1, kind: 'web', url, cited: false }])
  })

  it.each([
    ['gone', /answered with 404/],
    ['loop', /redirect/i],
    ['picture', /cannot be read/],
    ['empty', /no text/],
  ])('says why a page cannot be read: %s', async (path, reason) => {
    await using harness = await createAgentHarness()
    await using site = await startSite({
      '/loop': redirect('/loop'),
      '/picture': send(
        200,
        { 'content-type': 'image/png' },
        Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB', 'base64'),
      ),
      '/empty': '<html><body></body></html>',
    })
    await harness.configure({ toolNames: ['web_read'] })
    const agent = await harness.order()
    const failure = await read(agent, new URL(path, site.url).href).catch((error: unknown) => error)
    expect(failure).toMatchObject({ status: 422, code: 'UNPROCESSABLE', field: 'url' })
    expect((failure as Error).message).toMatch(reason)
  })

  it('reads nothing in a private network, and no other scheme', async () => {
    await using harness = await createAgentHarness()
    await harness.configure({ toolNames: ['web_read'] })
    const agent = await harness.order()
    expect(await refusal(read(agent, 'http://169.254.169.254/latest/meta-data'))).toMatchObject({
      status: 422,
      field: 'url',
    })
    expect(await refusal(read(agent, 'file:///etc/passwd'))).toMatchObject({ status: 400, field: 'url' })
  })
})
