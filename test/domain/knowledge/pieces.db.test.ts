import { describe, expect, it } from 'vitest'
import { keepPiece } from '../../../packages/core/src/domain/knowledge/agents/approved-pieces.ts'
import { createTestClock } from '../../kit/clock.ts'
import { addDocuments, datasetOf, indexed } from '../../kit/knowledge.ts'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { resolve } from '../agent-harness.ts'
import { parts } from '../agents.ts'

const pending = async ({ team }: AgentHarness) => {
  const { data } = await team.reviewer.call('dm', 'GET /approvals', {
    query: { 'filter.status': 'pending' },
  })
  return data[0]
}

const filesOf = async ({ team }: AgentHarness) => {
  const params = { datasetId: await datasetOf(team) }
  return (await team.member.call('dashboard', 'GET /knowledge-base/datasets/:datasetId', { params })).files
}

describe('a piece that says otherwise than the documents of its client', () => {
  it('is shown with what it says and what the document says', async () => {
    await using harness = await createAgentHarness()
    const [fileId] = await addDocuments(harness.app, harness.team, {
      'prices.csv': 'Bread,Price (EUR)\nSourdough loaf,4.50\nRye loaf,5.20\n',
    })
    const agent = await harness.order()
    await agent.deliver('# Bread\n\nOur sourdough loaf costs just €4.80. The rye loaf costs €5.20.')
    expect((await pending(harness))?.checks).toEqual([
      {
        kind: 'contradicts_source',
        phrase: 'Our sourdough loaf costs just €4.80.',
        count: 1,
        source: expect.objectContaining({ title: 'prices.csv', fileId, text: 'Sourdough loaf | 4.50' }),
      },
    ])
  })

  it('is held against what the client says of itself, not against what its competitors say', async () => {
    await using harness = await createAgentHarness()
    const document = { 'them.md': 'The sourdough loaf costs 4.50 euros.' }
    await addDocuments(harness.app, harness.team, document, 'Competitor research')
    const agent = await harness.order()
    await agent.deliver('Our sourdough loaf costs just €4.80.')
    expect((await pending(harness))?.checks).toEqual([])
  })
})

describe('an approved piece', () => {
  it('comes into the knowledge base, each later version in place of the one before', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const agent = await harness.order('social_post')
    await agent.deliver('The zeppelin loaf is new.')
    expect(await filesOf(harness)).toEqual([])
    await resolve(harness.team, (await pending(harness))?.id ?? '', { resolution: 'approved' })
    await (await harness.next(clock)).call('POST /runs/:runId/result', {
      status: 'success',
      metadata: { nothingToDo: true },
    })
    const { id } = await harness.activityOf(agent.runId)
    await indexed(harness.app, id)
    expect(await filesOf(harness)).toMatchObject([
      {
        id,
        fileName: 'The zeppelin loaf is new.md',
        source: 'published_content',
        mimeType: 'text/markdown',
        status: 'indexed',
        enabled: true,
      },
    ])
    const { results } = await harness.team.member.call('dashboard', 'POST /knowledge-base/search', {
      body: { query: 'zeppelin', datasetIds: [await datasetOf(harness.team)] },
    })
    expect(results).toMatchObject([{ fileId: id, content: 'The zeppelin loaf is new.' }])
  })

  it('is not replaced by an older version whose job is tried again', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const agent = await harness.order('social_post')
    await agent.deliver('The zeppelin loaf is new.')
    const sentBack = { resolution: 'revision_requested', note: 'Shorter' } as const
    await resolve(harness.team, (await pending(harness))?.id ?? '', sentBack)
    clock.advance(1_000)
    await (await harness.next(clock)).deliver('Zeppelin loaf, new.')
    await resolve(harness.team, (await pending(harness))?.id ?? '', { resolution: 'approved' })
    const next = await harness.next(clock)
    await next.call('POST /runs/:runId/result', { status: 'success', metadata: { nothingToDo: true } })
    const { id: activityId } = await harness.activityOf(agent.runId)
    await indexed(harness.app, activityId)
    const older = await harness.app.db.sql.get<{ id: string }>(
      'select id from outputs where activity_id = ? and version = 1',
      [activityId],
    )
    const before = await filesOf(harness)
    await using inside = await parts(harness.app)
    await keepPiece(inside.adminOf(harness.team.tenantId), { activityId, outputId: older?.id ?? '' })
    expect(await filesOf(harness)).toEqual(before)
    expect(before).toMatchObject([{ fileName: 'Zeppelin loaf, new.md' }])
  })

  it('of a kind that is not published stays out', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const agent = await harness.order('website_audit')
    await agent.deliver('The site is slow.')
    const approval = await pending(harness)
    if (approval) {
      await resolve(harness.team, approval.id, { resolution: 'approved' })
      const next = await harness.next(clock)
      await next.call('POST /runs/:runId/result', { status: 'success', metadata: { nothingToDo: true } })
    }
    const { status } = await harness.activityOf(agent.runId)
    expect(status).toBe('done')
    expect(await harness.count("select count(*) as n from job where kind = 'knowledge.keep_piece'")).toBe(0)
  })
})
