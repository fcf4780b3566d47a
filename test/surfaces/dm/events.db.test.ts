import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { neighbourOf } from '../../domain/agent-harness.ts'
import { type Agent, type AgentHarness, createAgentHarness } from '../../kit/runtime.ts'
import { addReviewer } from '../steering.ts'

let harness: AgentHarness
let theirs: Awaited<ReturnType<typeof neighbourOf>>
let ours: Agent
let foreign: Agent

beforeAll(async () => {
  harness = await createAgentHarness()
  theirs = await neighbourOf(harness)
  await harness.configure({ concurrency: 20 })
  ours = await harness.order()
  foreign = await theirs.order()
})
afterAll(() => harness[Symbol.asyncDispose]())

const ask = async (agent: Agent, title: string) =>
  (
    await agent.call('POST /runs/:runId/actions/create-approval', {
      title,
      type: 'channel_action',
      blockCurrentActivity: false,
    })
  ).approvalId

const open = (token: string, path = '/dm/v1/events/stream', headers: Record<string, string> = {}) =>
  harness.app.fetch(path, { headers: { authorization: `Bearer ${token}`, ...headers } })

/** The messages of a stream until a text arrives, or until it ends. */
async function told(response: Response, mark?: string): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true })
    if (mark !== undefined && text.includes(mark)) return text
  }
  if (mark !== undefined) throw new Error(`The stream ended without ${mark}: ${text}`)
  return text
}

const messages = (text: string) =>
  [...text.matchAll(/^event: (\w+)\ndata: (.+)$/gm)].map(
    ([, event, data]) => [event, JSON.parse(data ?? '') as object] as const,
  )

describe('dm.events.stream', () => {
  it('streams approvals, blockers and failing agents of all assigned tenants, with the tenants’ names', async () => {
    const { token } = await addReviewer(harness.app, 'both', [harness.team.tenantId, theirs.tenantId])
    const response = await open(token, '/dm/v1/events/stream?filter.kind=questions,blockers')
    const approvalId = await ask(ours, 'May we?')
    const other = await harness.order()
    await other.call('POST /runs/:runId/actions/report-blocker', {
      blockerType: 'needs_human_input',
      description: 'Which shop?',
    })
    const failing = await harness.order()
    await failing.fail('The key is refused', { family: 'auth' })
    await ask(foreign, 'The last')
    const activityOf = async ({ runId }: Agent) => (await harness.activityOf(runId)).id
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    const whose = { tenantId: harness.team.tenantId, tenantName: 'Tenant 1', at }
    const all = messages((await told(response, 'The last')).replaceAll(/^id: .*\n/gm, ''))
    expect(all).toEqual([
      [
        'approval_created',
        { approvalId, ...whose, riskLevel: 'high', type: 'channel_action', title: 'May we?' },
      ],
      [
        'activity_blocked',
        {
          activityId: await activityOf(other),
          ...whose,
          blockerType: 'needs_human_input',
          title: expect.any(String),
          agentRole: 'social_writer',
          reason: 'Which shop?',
        },
      ],
      [
        'agent_error',
        {
          ...whose,
          agentRole: 'social_writer',
          error: 'The key is refused',
          activityId: await activityOf(failing),
        },
      ],
      ['approval_created', expect.objectContaining({ tenantName: 'Tenant 2', title: 'The last' })],
    ])
  })

  it('streams only the named tenant, and rejects one that is not assigned', async () => {
    const { token } = await addReviewer(harness.app, 'named', [harness.team.tenantId, theirs.tenantId])
    const response = await open(token, `/dm/v1/events/stream?tenantId=${harness.team.tenantId}`)
    await ask(foreign, 'Theirs')
    await ask(ours, 'Ours at last')
    expect(await told(response, 'Ours at last')).not.toContain('Theirs')
    const { token: narrow } = await addReviewer(harness.app, 'narrow', [harness.team.tenantId])
    expect((await open(narrow, `/dm/v1/events/stream?tenantId=${theirs.tenantId}`)).status).toBe(403)
  })

  it('resumes where it ended, without events of a tenant that is not assigned', async () => {
    const { token } = await addReviewer(harness.app, 'resuming', [harness.team.tenantId])
    const first = await open(token)
    await ask(ours, 'Before')
    const id = /^id: (\d+)\nevent: /m.exec(await told(first, 'Before'))?.[1] ?? ''
    await ask(foreign, 'Missed of theirs')
    await ask(ours, 'Missed of ours')
    const text = await told(await open(token, undefined, { 'last-event-id': id }), 'Missed of ours')
    expect(text).not.toContain('Before')
    expect(text).not.toContain('theirs')
    const everything = await told(await open(token, undefined, { 'last-event-id': '0' }), 'Missed of ours')
    expect(everything).not.toContain(theirs.tenantId)
  })

  it('ends with an assignment, as do the streams of activities, and resumes without the tenant', async () => {
    const tenantIds = [harness.team.tenantId, theirs.tenantId]
    const { id, token } = await addReviewer(harness.app, 'leaving', tenantIds)
    const activityId = (await harness.activityOf(foreign.runId)).id
    const [events, text] = [await open(token), await open(token, `/dm/v1/activities/${activityId}/stream`)]
    await harness.app.copydesk.asSystem().users.unassign(id, theirs.tenantId)
    await ask(foreign, 'After the end')
    await foreign.call('POST /runs/:runId/stream', { delta: 'After the end', sequenceNum: 0 })
    expect(await told(events)).not.toContain('After the end')
    expect(await told(text)).not.toContain('After the end')
    expect((await open(token, `/dm/v1/activities/${activityId}/stream`)).status).toBe(404)
    const again = await open(token, undefined, { 'last-event-id': '0' })
    await ask(ours, 'Still ours')
    expect(await told(again, 'Still ours')).not.toContain(theirs.tenantId)
    await expect(harness.app.copydesk.asSystem().users.unassign(id, theirs.tenantId)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
  })

  it('stops events of a tenant even when the end of the assignment emitted no event', async () => {
    const { id, token } = await addReviewer(harness.app, 'silent', [harness.team.tenantId, theirs.tenantId])
    const response = await open(token)
    await harness.app.db.write((tx) =>
      tx.run('delete from tenant_assignments where user_id = ? and tenant_id = ?', [id, theirs.tenantId]),
    )
    await ask(foreign, 'After the end')
    await ask(ours, 'Ours goes on')
    expect(await told(response, 'Ours goes on')).not.toContain('After the end')
  })
})
