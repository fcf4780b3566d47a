import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { neighbourOf } from '../../domain/agent-harness.ts'
import { password } from '../../kit/app.ts'
import type { Agent } from '../../kit/runtime.ts'
import { createReportHarness, type ReportHarness } from '../reports/fixtures.ts'
import { addReviewer } from '../steering.ts'

let harness: ReportHarness
let theirs: Awaited<ReturnType<typeof neighbourOf>>

beforeAll(async () => {
  harness = await createReportHarness()
  theirs = await neighbourOf(harness)
  await harness.configure({ concurrency: 20 })
})
afterAll(() => harness[Symbol.asyncDispose]())

const open = (token: string, query = '', headers: Record<string, string> = {}) =>
  harness.app.fetch(`/dm/v1/events/stream${query}`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
  })

interface Message {
  id: string
  event: string
  data: Record<string, unknown>
}

/** The messages of a stream until one mentions `mark`. */
async function told(response: Response, mark: string): Promise<Message[]> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true })
    if (text.includes(mark) && text.endsWith('\n\n')) break
  }
  expect(text).toContain(mark)
  return [...text.matchAll(/^id: (\d+)\nevent: (\w+)\ndata: (.+)$/gm)].map(
    ([, id = '', event = '', data = '']) => ({
      id,
      event,
      data: JSON.parse(data) as Message['data'],
    }),
  )
}

/** Something of every kind; what comes last is a question by this name. */
async function happen(side: { order(): Promise<Agent> }, last: string) {
  // The one that asks stays in progress, which at other tenants is as much as they do at a time.
  const stuck = await side.order()
  await stuck.call('POST /runs/:runId/actions/report-blocker', {
    blockerType: 'needs_human_input',
    description: `Which shop, ${last}?`,
  })
  await (await side.order()).fail(`No ${last}`, { family: 'invalid' })
  const asking = await side.order()
  const { approvalId } = await asking.call('POST /runs/:runId/actions/create-approval', {
    title: `May ${last}?`,
    type: 'channel_action',
    blockCurrentActivity: false,
  })
  await asking.call('POST /runs/:runId/actions/create-approval', {
    title: last,
    type: 'channel_action',
    blockCurrentActivity: false,
  })
  return { approvalId, asking }
}

const resolve = (client: ReportHarness['team']['reviewer'], approvalId: string) =>
  client.call('dm', 'POST /approvals/:approvalId/resolve', {
    params: { approvalId },
    body: { resolution: 'rejected', note: 'Too loud' },
  })

/** The token of someone who sees all tenants. */
async function superAdmin(): Promise<string> {
  const email = 'sue.super@test.example'
  await harness.app.copydesk
    .asSystem()
    .users.create({ email, name: 'Sue Super', password, role: 'super_admin' })
  const body = { email, password, app: 'dm-portal' as const }
  return (await harness.app.clientFor().call('auth', 'POST /login', { body })).accessToken
}

const eventsIn = (messages: readonly Message[]) => [...new Set(messages.map(({ event }) => event))].toSorted()

describe('dm.events.stream', () => {
  it('streams runs, verdicts, deliveries and blockers, each with its title', async () => {
    const { id, token, client } = await addReviewer(harness.app, 'watching', [harness.team.tenantId])
    const response = await open(token)
    const { approvalId, asking } = await happen(harness, 'one')
    await resolve(harness.team.reviewer, approvalId)
    const reportId = await harness.report()
    await harness.team.reviewer.call('dm', 'POST /reports/:reportId/deliver', {
      params: { reportId },
      body: { to: [] },
    })
    const own = await happen(harness, 'two')
    await resolve(client, own.approvalId)
    const { asking: last } = await happen(harness, 'the end')
    expect(last.runId).not.toBe(asking.runId)
    const messages = await told(response, '"title":"the end"')
    const find = (event: string) => messages.filter((message) => message.event === event)
    const whose = { tenantId: harness.team.tenantId, tenantName: 'Tenant 1', at: expect.stringMatching(/Z$/) }
    const work = { title: expect.any(String), agentRole: 'social_writer' }
    expect(find('activity_started').map(({ data }) => data)).toContainEqual({
      ...whose,
      ...work,
      runId: asking.runId,
      activityId: (await harness.activityOf(asking.runId)).id,
      attempt: expect.any(Number),
    })
    expect(find('run_failed')[0]?.data).toMatchObject({ ...whose, ...work, error: 'No one' })
    expect(find('activity_blocked')[0]?.data).toMatchObject({
      ...whose,
      ...work,
      blockerType: 'needs_human_input',
      reason: 'Which shop, one?',
    })
    // The own verdict is known to the reader.
    expect(find('approval_resolved').map(({ data }) => data)).toEqual([
      {
        ...whose,
        approvalId,
        type: 'channel_action',
        title: 'May one?',
        resolution: 'rejected',
        note: 'Too loud',
        resolvedBy: { id: harness.team.reviewerId, name: expect.any(String) },
      },
    ])
    expect(JSON.stringify(find('approval_resolved'))).not.toContain(id)
    expect(find('report_delivered').map(({ data }) => data)).toEqual([
      { ...whose, reportId, title: expect.any(String), deliveredBy: expect.any(String) },
    ])
  })

  it('streams only the named kinds, live and resumed, and rejects an unknown kind', async () => {
    const { token } = await addReviewer(harness.app, 'choosing', [harness.team.tenantId])
    const live = await open(token, '?filter.kind=questions,blockers')
    await happen(harness, 'chosen')
    const messages = await told(live, '"title":"chosen"')
    expect(eventsIn(messages)).toEqual(['activity_blocked', 'approval_created'])
    const runs = await open(token, '?filter.kind=runs&filter.kind=questions', { 'last-event-id': '0' })
    expect(eventsIn(await told(runs, '"title":"chosen"'))).toEqual([
      'activity_started',
      'approval_created',
      'run_failed',
    ])
    const [first] = messages
    const rest = await open(token, '?filter.kind=questions,blockers', { 'last-event-id': first?.id ?? '' })
    expect(await told(rest, '"title":"chosen"')).toEqual(messages.slice(1))
    const wrong = await open(token, '?filter.kind=gossip')
    expect(wrong.status).toBe(400)
    expect(await wrong.json()).toMatchObject({ error: { code: 'VALIDATION_ERROR', field: 'filter.kind' } })
  })

  it('streams nothing of a tenant that is not assigned, live or resumed, and everything to super-admins', async () => {
    const { token } = await addReviewer(harness.app, 'narrow', [harness.team.tenantId])
    const [narrow, wide] = [await open(token), await open(await superAdmin())]
    const { approvalId } = await happen(theirs, 'foreign')
    await resolve(theirs.reviewer, approvalId)
    await happen(harness, 'ours')
    for (const response of [narrow, await open(token, '', { 'last-event-id': '0' })]) {
      const text = JSON.stringify(await told(response, '"title":"ours"'))
      expect(text).not.toContain(theirs.tenantId)
      expect(text).not.toContain('foreign')
    }
    const all = await told(wide, '"title":"ours"')
    const tenants = new Set(all.map(({ data }) => data['tenantId']))
    expect(tenants).toEqual(new Set([harness.team.tenantId, theirs.tenantId]))
    expect(eventsIn(all.filter(({ data }) => data['tenantId'] === theirs.tenantId))).toEqual([
      'activity_blocked',
      'activity_started',
      'approval_created',
      'approval_resolved',
      'run_failed',
    ])
  })
})
