import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sha256Hex } from '../../../packages/core/src/platform/crypto/hash.ts'
import { brief, type Team } from '../../kit/app.ts'
import { type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { refusal } from '../refusal.ts'
import { refused } from '../steering.ts'

let harness: AgentHarness
let theirs: Team

beforeAll(async () => {
  harness = await createAgentHarness()
  theirs = await harness.app.team()
  await harness.configure({ concurrency: 10 })
})

afterAll(() => harness[Symbol.asyncDispose]())

const missing = { status: 404, code: 'NOT_FOUND', field: undefined }
const unknownId = '01HZZZZZZZZZZZZZZZZZZZZZZZ'

/** An activity whose agent is at it. */
async function begun(type: 'social_post' | 'blog_post' = 'social_post') {
  const agent = await harness.order(type)
  const { id } = await harness.activityOf(agent.runId)
  return { agent, params: { activityId: id } }
}

describe('dashboard.activities.get', () => {
  const get = (activityId: string, { member } = harness.team) =>
    member.call('dashboard', 'GET /activities/:activityId', { params: { activityId } })

  it('returns an activity with its campaign, its run, and the agent’s text', async () => {
    const { agent, params } = await begun()
    const { activityId } = params
    const seen = await get(activityId)
    expect(seen).toMatchObject({
      id: activityId,
      status: 'in_progress',
      assignee: { id: 'social_writer', type: 'agent' },
      campaign: { id: agent.campaignId, name: 'Spring' },
      deliverable: { type: 'social_post' },
      currentRun: { id: agent.runId },
      runs: [],
      subtasks: [],
    })
    expect(seen).not.toHaveProperty('outputPreview')
    await agent.deliver('x'.repeat(600))
    const after = await get(activityId)
    expect(after).toMatchObject({
      status: 'awaiting_approval',
      approval: { type: 'content_review', status: 'pending' },
      runs: [{ id: agent.runId, status: 'completed' }],
    })
    expect(after).not.toHaveProperty('currentRun')
    expect(after.outputPreview?.length).toBeLessThan(510)
  })

  it('returns the reason of a blocked and of a failed activity', async () => {
    const { agent, params } = await begun()
    await agent.call('POST /runs/:runId/actions/report-blocker', {
      blockerType: 'needs_human_input',
      description: 'Which shop?',
    })
    await agent.deliver('As far as I got')
    const blocker = { type: 'needs_human_input', description: 'Which shop?' }
    expect(await get(params.activityId)).toMatchObject({ status: 'blocked', blocker })
    const other = await begun()
    await other.agent.fail('It would not', { family: 'invalid' })
    expect(await get(other.params.activityId)).toMatchObject({
      status: 'failed',
      failureReason: expect.stringContaining('It would not'),
      runs: [{ status: 'failed', error: expect.stringContaining('It would not') }],
    })
  })

  it('returns 404 for an activity of another tenant', async () => {
    const { params } = await begun()
    expect(await refusal(get(params.activityId, theirs))).toEqual(missing)
  })
})

describe('dashboard.activities.output', () => {
  const output = (activityId: string, { member } = harness.team) =>
    member.call('dashboard', 'GET /activities/:activityId/output', { params: { activityId } })

  it('returns the latest version of the text, untrimmed', async () => {
    const { agent, params } = await begun()
    const long = 'Oats. '.repeat(2_000)
    await agent.deliver('A first try')
    const query = { 'filter.status': 'pending' as const }
    const [approval] = (await harness.team.admin.call('dashboard', 'GET /approvals', { query })).data
    await harness.team.admin.call('dashboard', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: approval?.id ?? '' },
      body: { resolution: 'revision_requested', note: 'Longer' },
    })
    await (await harness.next()).deliver(long)
    expect(await output(params.activityId)).toMatchObject({
      activityId: params.activityId,
      text: long,
      format: 'markdown',
      version: 2,
      contentHash: sha256Hex(long),
    })
  })

  it('returns 404 when there is no text, and to another tenant', async () => {
    const { agent, params } = await begun()
    expect(await refusal(output(params.activityId))).toEqual(missing)
    await agent.deliver('A post')
    expect(await refusal(output(params.activityId, theirs))).toEqual(missing)
  })
})

describe('dashboard.activities.brief', () => {
  it('returns the task, the campaign, and the latest texts of the previous steps', async () => {
    const { agent, params: before } = await begun('blog_post')
    await agent.deliver('Facts about oats')
    const { id: activityId } = await harness.activityOf((await harness.next()).runId)
    const params = { activityId }
    const { member } = harness.team
    const task = await member.call('dashboard', 'GET /activities/:activityId', { params })
    expect(await member.call('dashboard', 'GET /activities/:activityId/brief', { params })).toMatchObject({
      activityId,
      prompt: task.inputPrompt,
      campaign: { id: agent.campaignId, name: 'Spring', brief: brief.trim() },
      sources: [{ activityId: before.activityId, agentRole: 'researcher', text: 'Facts about oats' }],
    })
    const foreign = theirs.member.call('dashboard', 'GET /activities/:activityId/brief', { params })
    expect(await refusal(foreign)).toEqual(missing)
  })
})

describe('dashboard.activities.retry', () => {
  const retry = (activityId: string, client = harness.team.admin) =>
    client.call('dashboard', 'POST /activities/:activityId/retry', { params: { activityId } })

  it('retries a failed activity', async () => {
    const { agent, params } = await begun()
    await agent.fail('It would not', { family: 'invalid' })
    const { activityId, runId } = await retry(params.activityId)
    expect(activityId).toBe(params.activityId)
    const next = await harness.next()
    expect([next.runId, next.dispatch.wakeReason]).toEqual([runId, 'retry'])
    expect((await harness.activityOf(runId)).status).toBe('in_progress')
    await next.deliver('A post')
  })

  it('rejects activities that have not failed or are cancelled, members and other tenants, and changes nothing', async () => {
    const { agent, params } = await begun()
    const { activityId } = params
    expect(await refused(harness, () => retry(activityId))).toBe('422 UNPROCESSABLE')
    await agent.fail('It would not', { family: 'invalid' })
    expect(await refused(harness, () => retry(activityId, harness.team.member))).toBe('403 FORBIDDEN')
    expect(await refused(harness, () => retry(activityId, theirs.admin))).toBe('404 NOT_FOUND')
    expect(await refused(harness, () => retry(unknownId))).toBe('404 NOT_FOUND')
    const other = await begun()
    await harness.team.reviewer.call('dm', 'POST /activities/:activityId/cancel', {
      params: other.params,
      body: { reason: 'Not wanted' },
    })
    expect(await refused(harness, () => retry(other.params.activityId))).toBe('422 UNPROCESSABLE')
  })
})

describe('dashboard.activities.comment', () => {
  const comment = (activityId: string, body: object, { member } = harness.team) =>
    member.call('dashboard', 'POST /activities/:activityId/comments', {
      params: { activityId },
      body: body as never,
    })

  it('stores a comment with its mentions', async () => {
    const { agent, params } = await begun()
    const { adminId, member } = harness.team
    const made = await comment(params.activityId, { text: `Look, @human:${adminId}` })
    expect(made).toMatchObject({
      text: `Look, @human:${adminId}`,
      type: 'comment',
      author: { name: 'Mia Member', type: 'human' },
      mentions: [{ type: 'human', id: adminId, name: 'Ada Admin' }],
    })
    const { data } = await member.call('dashboard', 'GET /activities/:activityId/comments', { params })
    expect(data).toEqual([made])
    await agent.deliver('A post')
  })

  it('resumes a blocked agent with the text of an intervention note', async () => {
    const { agent, params } = await begun()
    await agent.call('POST /runs/:runId/actions/report-blocker', {
      blockerType: 'needs_human_input',
      description: 'Which shop?',
    })
    await agent.deliver('As far as I got')
    await comment(params.activityId, { text: 'The one in Bristol', type: 'intervention_note' })
    const next = await harness.next()
    expect(next.dispatch.wakeReason).toBe('unblocked')
    expect(next.dispatch.prompt).toContain('The one in Bristol')
    await next.deliver('A post')
  })

  it('rejects an empty text, one that is too long and other tenants, and stores nothing', async () => {
    const { agent, params } = await begun()
    const { activityId } = params
    for (const text of ['', 'x'.repeat(10_001)])
      expect(await refused(harness, () => comment(activityId, { text }))).toBe('400 VALIDATION_ERROR text')
    expect(await refused(harness, () => comment(activityId, { text: 'Hello' }, theirs))).toBe('404 NOT_FOUND')
    await agent.deliver('A post')
  })
})
