import { describe, expect, it } from 'vitest'
import { createTestClock } from '../../kit/clock.ts'
import {
  type AgentHarness,
  createAgentHarness,
  createTestRuntime,
  type DispatchAnswer,
} from '../../kit/runtime.ts'

/** What Copydesk sends to a runtime of someone else, and what it makes of the answer. */

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as Record<string, unknown>

/** Orders one piece and gives its run once the dispatch has come to nothing. */
async function failedRun(harness: AgentHarness) {
  const { id } = await harness.team.admin.call('dashboard', 'POST /campaigns', {
    body: { name: 'Spring', brief: 'Oats', deliverables: [{ type: 'social_post', quantity: 1 }] },
  })
  return harness.app.until(
    () =>
      harness.app.db.sql.get<{ id: string; error: string }>(
        `select * from runs where campaign_id = ? and status = 'failed'`,
        [id],
      ),
    'the run has failed',
  )
}

/** Milliseconds from now until the activity of a run is tried again; undefined when it has failed for good. */
async function waitAfter(
  harness: AgentHarness,
  run: { id: string },
  now: number,
): Promise<number | undefined> {
  const activity = await harness.activityOf(run.id)
  const next = await harness.app.db.sql.get<{ not_before: Date | string }>(
    'select not_before from runs where activity_id = ? and open = ?',
    [activity.id, true],
  )
  expect(activity.status).toBe(next ? 'assigned' : 'failed')
  return next && new Date(next.not_before).getTime() - now
}

/** What the admins find in their inbox about activities that failed. */
const told = async ({ app, team }: AgentHarness) =>
  (
    await app.db.sql.all<{ body: string }>(
      `select body from notifications where type = 'activity_failed' and user_id = ? order by id`,
      [team.adminId],
    )
  ).map(({ body }) => body)

describe('a dispatch', () => {
  it('of a revision contains the note, the last version and a separate token', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock, baseUrl: 'http://127.0.0.1:1/desk/' })
    await harness.configure({ adapterConfig: { timeoutMs: 90_000 } })
    const first = await harness.order()
    await first.deliver('A post about oats')
    const { data } = await harness.team.reviewer.call('dm', 'GET /approvals')
    await harness.team.reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: data[0]?.id ?? '' },
      body: { resolution: 'revision_requested', note: 'Mention the rye' },
    })
    const { dispatch } = await harness.next()
    const { headers, ...payload } = dispatch
    expect(payload).toEqual({
      taskId: expect.stringMatching(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/),
      tenantId: harness.team.tenantId,
      agentRole: 'social_writer',
      prompt: expect.stringMatching(
        /# Your last version\n\nA post about oats\n.*# What the reviewer said about it\n\nMention the rye/s,
      ),
      systemPrompt: first.dispatch.systemPrompt,
      skillsContext: '',
      wakeReason: 'review_feedback',
      sessionId: null,
      callbackUrl: `http://127.0.0.1:1/desk/agent/v1/callback/${payload.taskId}`,
      taskToken: expect.any(String),
      timeoutMs: 90_000,
    })
    expect(payload.taskId).not.toBe(first.runId)
    expect(claimsOf(payload.taskToken)).toEqual({
      aud: 'task',
      sub: payload.taskId,
      attempt: 1,
      iat: clock.now() / 1000,
      exp: clock.now() / 1000 + 90,
    })
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-request-id': expect.stringMatching(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/),
    })
  })

  it('contains only HTTP’s headers when the tenant has set none', async () => {
    await using runtime = await createTestRuntime()
    await using harness = await createAgentHarness()
    await harness.app.db.write((tx) => tx.run('update tenant_agents set adapter_config = null'))
    await harness.configure({ adapterConfig: { webhookUrl: runtime.url } })
    await harness.team.admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Spring', brief: 'Oats', deliverables: [{ type: 'social_post', quantity: 1 }] },
    })
    const { headers } = await runtime.next()
    expect(Object.keys(headers).toSorted()).toEqual([
      'accept-encoding',
      'connection',
      'content-length',
      'content-type',
      'host',
      'user-agent',
      'x-request-id',
    ])
  })

  it.each(['127.0.0.1', 'localhost'])('to %s is not sent unless that host is allowed', async (host) => {
    let asked = 0
    await using harness = await createAgentHarness({
      allowHosts: ['10.1.2.3'],
      answer: () => 200 + (asked += 1),
    })
    const webhookUrl = harness.runtime.url.replace('127.0.0.1', host)
    await harness.configure({ adapterConfig: { webhookUrl, authValue: 'the secret' } })
    const error = `The runtime could not be reached: ${host} is not a public address. Allow the host in the configuration if it is your own.`
    const run = await failedRun(harness)
    expect(run).toMatchObject({ error, error_family: 'invalid' })
    expect(await harness.activityOf(run.id)).toMatchObject({ status: 'failed', failure_reason: error })
    expect(await told(harness)).toEqual([`Social writer: ${error}`])
    expect(await harness.count('select count(*) as n from runs')).toBe(1)
    expect(asked).toBe(0)
  })

  it('does not follow redirects, and the error says what to change', async () => {
    let askedElsewhere = 0
    await using elsewhere = await createTestRuntime(() => 202 + (askedElsewhere += 1))
    const statuses = [301, 302, 303, 307, 308]
    const given = [...statuses]
    await using harness = await createAgentHarness({
      answer: () => ({ status: given.shift() ?? 500, headers: { location: elsewhere.url } }),
    })
    for (const status of statuses) {
      const error = `The runtime answered ${status}, a redirect, and those are not followed: set webhookUrl to the final address`
      const run = await failedRun(harness)
      expect(run).toMatchObject({ error, error_family: 'invalid' })
      expect((await told(harness)).at(-1)).toBe(`Social writer: ${error}`)
    }
    expect(askedElsewhere).toBe(0)
    expect(await harness.count('select count(*) as n from runs')).toBe(statuses.length)
  })
})

describe('the response to a dispatch', () => {
  const later = new Date(Date.UTC(2026, 3, 10, 9, 2, 0)).toUTCString()
  it.each<[answer: DispatchAnswer, family: string, waitMs: number | undefined]>([
    [400, 'invalid', undefined],
    [404, 'invalid', undefined],
    [422, 'invalid', undefined],
    [401, 'auth', undefined],
    [403, 'auth', undefined],
    [408, 'transient', 2_000],
    [409, 'transient', 2_000],
    [500, 'transient', 2_000],
    [504, 'transient', 2_000],
    [{ status: 503, headers: { 'retry-after': later } }, 'transient', 120_000],
    [429, 'quota', 2_000],
    [{ status: 429, headers: { 'retry-after': '90' } }, 'quota', 90_000],
    [{ status: 429, headers: { 'retry-after': 'soon' } }, 'quota', 2_000],
    [{ status: 429, headers: { 'retry-after': '999999999' } }, 'quota', 86_400_000],
  ])('of %j counts as %s', async (answer, family, waitMs) => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock, answer: () => answer })
    const run = await failedRun(harness)
    const status = typeof answer === 'number' ? answer : answer.status
    expect(run).toMatchObject({ error: expect.stringContaining(String(status)), error_family: family })
    expect(await waitAfter(harness, run, clock.now())).toBe(waitMs)
    expect(await told(harness)).toEqual(waitMs === undefined ? [`Social writer: ${run.error}`] : [])
  })

  it.each([200, 201, 204])('of %i counts as 202', async (status) => {
    const answered = Promise.withResolvers<string>()
    await using harness = await createAgentHarness({
      answer({ taskId }) {
        answered.resolve(taskId)
        return status
      },
    })
    await harness.team.admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Spring', brief: 'Oats', deliverables: [{ type: 'social_post', quantity: 1 }] },
    })
    const runId = await answered.promise
    await harness.app.until(
      async () => (await harness.run(runId))['lease_owner'] === null,
      'the run is left to the runtime',
    )
    expect((await harness.run(runId)).status).toBe('running')
  })
})
