import { describe, expect, it } from 'vitest'
import { createTestClock } from '../../kit/clock.ts'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { acts, auditOf, neighbourOf, post, refusal, resolve } from '../agent-harness.ts'

const hour = 3_600_000

const approval = (harness: AgentHarness, approvalId: string) =>
  harness.team.reviewer.call('dm', 'GET /approvals/:approvalId', { params: { approvalId } })

describe('agent.actions.create_approval', () => {
  it.each([
    ['content_review', 'low', 72],
    ['content_direction', 'medium', 48],
    ['brand_direction', 'medium', 48],
    ['strategy_change', 'high', 24],
    ['budget_authorization', 'high', 24],
    ['channel_action', 'high', 24],
  ] as const)('of type %s is of %s risk and expires after %i h', async (type, riskLevel, hours) => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const agent = await harness.order()
    const receipt = await agent.call('POST /runs/:runId/actions/create-approval', { title: 'May we?', type })
    const expiresAt = new Date(clock.now() + hours * hour).toISOString()
    expect(receipt).toEqual({ approvalId: receipt.approvalId, type, riskLevel, expiresAt })
    expect((await harness.activityOf(agent.runId)).status).toBe('awaiting_approval')
    expect(await auditOf(harness, agent.runId)).toMatchObject([
      { action: 'run.create_approval', status: 201 },
    ])
  })

  it('offers options, and passes the chosen one to the agent', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    const question = { ...acts['actions/create-approval'], options: ['Oats', 'Rye'] }
    const { body } = await post(harness, agent, 'actions/create-approval', question)
    await agent.deliver('A draft')
    const approvalId = body['approvalId'] as string
    await expect(resolve(harness.team, approvalId, { resolution: 'approved' })).rejects.toMatchObject({
      status: 422,
      code: 'UNPROCESSABLE',
    })
    await resolve(harness.team, approvalId, { resolution: 'approved', selectedOption: 'Rye' })
    const again = await harness.next()
    expect(await again.call('GET /runs/:runId/context')).toMatchObject({
      wakeReason: 'review_approved',
      selectedOption: 'Rye',
    })
  })

  it('about something other than the text approves no text, even if one is delivered meanwhile', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    const { body } = await post(harness, agent, 'actions/create-approval')
    await agent.deliver('A draft')
    await resolve(harness.team, body['approvalId'] as string, { resolution: 'approved' })
    const again = await harness.next()
    await again.deliver('A draft')
    expect((await harness.activityOf(agent.runId)).status).toBe('awaiting_approval')
    const { data } = await harness.team.reviewer.call('dm', 'GET /approvals', {
      query: { 'filter.status': 'pending' },
    })
    expect(data.map(({ type }) => type)).toEqual(['content_review'])
  })

  it('that does not block lets the agent continue, and passes it the verdict afterwards', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    const question = { ...acts['actions/create-approval'], blockCurrentActivity: false }
    const { body } = await post(harness, agent, 'actions/create-approval', question)
    expect((await harness.activityOf(agent.runId)).status).toBe('in_progress')
    await resolve(harness.team, body['approvalId'] as string, {
      resolution: 'rejected',
      note: 'Not this year',
    })
    expect((await harness.activityOf(agent.runId)).status).toBe('in_progress')
    await agent.deliver('A draft')
    const again = await harness.next()
    expect((await again.call('GET /runs/:runId/context')).rejectionNote).toBe('Not this year')
  })

  it('shows the text that it is about, and no text when it is not a content review', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    await agent.deliver('The first draft')
    const { data } = await harness.team.reviewer.call('dm', 'GET /approvals')
    await resolve(harness.team, data[0]?.id ?? '', { resolution: 'rejected', note: 'Warmer' })
    const again = await harness.next()
    const ask = async (type: 'content_review' | 'brand_direction') =>
      (await again.call('POST /runs/:runId/actions/create-approval', { title: 'May we?', type })).approvalId
    const hashes = []
    for (const type of ['content_review', 'brand_direction'] as const)
      hashes.push((await approval(harness, await ask(type))).contentHash)
    const { contentHash } = await harness.team.admin.call('dashboard', 'GET /activities/:activityId/output', {
      params: { activityId: (await harness.activityOf(agent.runId)).id },
    })
    expect(hashes).toEqual([contentHash, undefined])
  })

  it('wakes linked activities too, each once, but none before its turn', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order('email_newsletter')
    const { id, ...outline } = await harness.activityOf(agent.runId)
    const later = await harness.app.db.sql.get<{ id: string; status: string }>(
      `select id, status from activities where status = 'created' and period_id = ?`,
      [outline['period_id'] as string],
    )
    const draft = later?.id ?? ''
    const colleague = await harness.order()
    const other = await harness.activityOf(colleague.runId)
    const { body } = await post(harness, agent, 'actions/create-approval', {
      ...acts['actions/create-approval'],
      linkedActivityIds: [other.id, id, draft, other.id],
    })
    const { linkedActivities } = await approval(harness, body['approvalId'] as string)
    expect(linkedActivities).toHaveLength(3)
    expect(new Set(linkedActivities.map((linked) => linked.id))).toEqual(new Set([id, other.id, draft]))
    expect((await harness.activityOf(colleague.runId)).status).toBe('in_progress')
    await agent.deliver('An outline')
    await resolve(harness.team, body['approvalId'] as string, { resolution: 'approved' })
    expect(await harness.app.db.sql.get('select id, status from activities where id = ?', [draft])).toEqual(
      later,
    )
    const again = await harness.next()
    expect(again.dispatch).toMatchObject({ agentRole: 'email_writer', wakeReason: 'review_approved' })
    await colleague.deliver('A post')
    expect((await harness.next()).dispatch).toMatchObject({ agentRole: 'social_writer' })
  })

  it('is rejected while 20 of the same activity are pending, so that no agent buries people in them', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    const question = { ...acts['actions/create-approval'], blockCurrentActivity: false }
    const ask = () => post(harness, agent, 'actions/create-approval', question)
    const first = await ask()
    for (let n = 2; n <= 20; n += 1) expect((await ask()).status).toBe(201)
    expect(await refusal(harness, ask)).toEqual({ status: 422, code: 'UNPROCESSABLE' })
    await resolve(harness.team, first.body['approvalId'] as string, { resolution: 'approved' })
    expect((await ask()).status).toBe(201)
  })

  it('is rejected when a linked activity is unknown or of another tenant', async () => {
    await using harness = await createAgentHarness()
    const agent = await harness.order()
    const theirs = await (await neighbourOf(harness)).order()
    for (const linked of [(await harness.activityOf(theirs.runId)).id, '01HZZZZZZZZZZZZZZZZZZZZZZZ']) {
      const question = { ...acts['actions/create-approval'], linkedActivityIds: [linked] }
      expect(await refusal(harness, () => post(harness, agent, 'actions/create-approval', question))).toEqual(
        {
          status: 404,
          code: 'NOT_FOUND',
        },
      )
    }
  })
})
