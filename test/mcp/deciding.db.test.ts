import { describe, expect, it } from 'vitest'
import { createTestApp, type TestApp } from '../kit/app.ts'
import {
  answerConsent,
  ask,
  assistantKey,
  assistantsOf,
  connectAssistant,
  openAssistant,
  openQuestion,
  pendingApproval,
  statusOf,
} from '../kit/assistant.ts'
import { createTestClock } from '../kit/clock.ts'
import { createAgentHarness } from '../kit/runtime.ts'

describe('a user who is asked by the client', () => {
  it('sees the operation, which is executed once on acceptance', async () => {
    await using question = await openQuestion()
    const { app, office, team, id, credential } = question
    const asked: string[] = []
    const person = (message: string) => {
      asked.push(message)
      return 'accept' as const
    }
    await using client = await connectAssistant(office, credential, { person })
    const answer = await ask(client, 'approve', { ids: [id], note: 'Well "put"' })
    expect(answer).toMatchObject({ failed: false, data: { done: true } })
    expect(asked).toEqual([expect.stringContaining(`claude-desktop 1.2 wants to run this in your name`)])
    expect(asked[0]).toContain(`/approve ${id} --note "Well \\"put\\""`)
    expect(asked[0]).toContain('Tenant 1')
    expect(await statusOf(team, id)).toBe('approved')
    expect(await assistantsOf(app, 'approval.resolve')).toEqual(['claude-desktop 1.2'])
    expect(await consentsOf(app, 'approval.resolve')).toMatchObject([
      { by: team.reviewerId, how: 'elicitation' },
    ])
  })

  it('declines, and nothing is done', async () => {
    await using question = await openQuestion()
    const { app, office, team, id, credential } = question
    await using client = await connectAssistant(office, credential, { person: () => 'decline' })
    const answer = await ask(client, 'reject', { ids: [id], note: 'No' })
    expect(answer).toMatchObject({ failed: true, text: expect.stringContaining('did not agree') })
    expect(await statusOf(team, id)).toBe('pending')
    expect(await assistantsOf(app, 'approval.resolve')).toEqual([])
  })

  it('is asked before any operation other than a read', async () => {
    await using question = await openQuestion()
    const { app, office, team, id, credential } = question
    const asked: string[] = []
    const person = (message: string) => {
      asked.push(message)
      return 'decline' as const
    }
    await using client = await connectAssistant(office, credential, { person })
    const { tools } = await client.listTools()
    const given: Record<string, Record<string, unknown>> = {
      approve: { ids: [id] },
      reject: { ids: [id], note: 'n' },
      revise: { ids: [id], note: 'n' },
      claim: { id },
      release: { id },
      escalate: { id, risk: 'high', reason: 'r' },
      forward: { id },
      run: { role: 'social_writer', prompt: 'p', tenant: team.tenantId },
      pause: { target: 'social_writer', tenant: team.tenantId },
      resume: { target: 'social_writer', tenant: team.tenantId },
      snooze: { id, until: '2030-01-01T00:00:00Z' },
      dismiss: { id },
    }
    const writing = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)
    const named = writing.map(({ name }) => name).filter((name) => name in given)
    expect(named.toSorted()).toEqual(Object.keys(given).toSorted())
    for (const name of named) expect((await ask(client, name, given[name])).text, name).toContain('not agree')
    expect(asked).toHaveLength(named.length)
    const { data } = await app.copydesk.asSystem().audit.list()
    const acts = data.filter(({ assistant, action }) => assistant !== null && !action.startsWith('consent.'))
    expect(acts).toEqual([])
  })
})

describe('a consent', () => {
  it('is given by a user with a login, counts once, and the audit record names who gave it and how', async () => {
    await using question = await openQuestion()
    const { app, office, team, id, credential } = question
    await using client = await connectAssistant(office, credential)
    const given = { ids: [id], note: 'Well put' }
    const first = await ask(client, 'approve', given)
    const { consent = '' } = first.data
    expect(first.text).toContain(`copydesk consent give ${consent}`)
    expect((await team.reviewer.call('cli', 'GET /consents', { query: {} })).data).toMatchObject([
      { id: consent, status: 'pending', assistant: 'claude-desktop 1.2', line: first.data.line },
    ])
    expect(await answerConsent(team, consent)).toBe('agreed')
    expect(await ask(client, 'approve', given)).toMatchObject({ failed: false, data: { done: true } })
    expect(await statusOf(team, id)).toBe('approved')
    expect(await consentsOf(app, 'approval.resolve')).toEqual([
      { id: consent, by: team.reviewerId, how: 'login' },
    ])
    expect(await consentsOf(app, 'consent.agree')).toEqual([null])
    const shown = await team.reviewer.call('cli', 'GET /consents/:id', { params: { id: consent } })
    expect(shown).toMatchObject({ status: 'used', answeredHow: 'login' })
    const again = (await ask(client, 'approve', given)).data.consent
    expect(again).not.toBe(consent)
  })

  it('is valid for one operation as it was shown, once, and for ten minutes', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    await using office = await openAssistant(app, { now: clock.now })
    const team = await app.team()
    const { credential } = await assistantKey(app, team.reviewerId)
    await using client = await connectAssistant(office, credential)
    const act = { target: 'social_writer', tenant: team.tenantId }
    const propose = async (given: object = act) => (await ask(client, 'pause', { ...given })).data.consent
    const first = await propose()
    await answerConsent(team, first)
    for (const other of [
      { target: 'blog_writer', tenant: team.tenantId },
      { ...act, reason: 'Holidays' },
    ])
      expect((await ask(client, 'pause', other)).data.done).toBe(false)
    expect((await ask(client, 'resume', act)).data.done).toBe(false)
    clock.advance(600_000)
    const second = await propose()
    expect(second).not.toBe(first)
    await expect(answerConsent(team, first)).rejects.toMatchObject({ code: 'CONFLICT' })
    await answerConsent(team, second)
    clock.advance(599_999)
    expect(await ask(client, 'pause', act)).toMatchObject({ failed: false, data: { done: true } })
    expect((await ask(client, 'pause', act)).data).not.toMatchObject({ done: true })
    expect(await assistantsOf(app, 'agent.pause')).toHaveLength(1)
  })

  it('belongs to the user of the key: no one else can see, answer or use it', async () => {
    await using question = await openQuestion()
    const { app, office, team, id, credential } = question
    const other = await app.team('Another')
    const second = await assistantKey(app, team.reviewerId)
    await using client = await connectAssistant(office, credential)
    await using sibling = await connectAssistant(office, second.credential)
    const given = { ids: [id], note: 'Off brand' }
    const { consent = '' } = (await ask(client, 'reject', given)).data
    await expect(answerConsent(other, consent)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const elsewhere = other.reviewer.call('cli', 'GET /consents/:id', { params: { id: consent } })
    await expect(elsewhere).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect((await other.reviewer.call('cli', 'GET /consents', { query: {} })).data).toEqual([])
    await answerConsent(team, consent)
    expect((await ask(sibling, 'reject', given)).data.done).toBe(false)
    expect(await statusOf(team, id)).toBe('pending')
  })

  it('that was declined stays declined, whatever the assistant does', async () => {
    await using question = await openQuestion()
    const { office, team, id, credential } = question
    await using client = await connectAssistant(office, credential)
    const { consent } = (await ask(client, 'approve', { ids: [id] })).data
    expect(await answerConsent(team, consent, false)).toBe('declined')
    const refused = { failed: true, text: expect.stringContaining('did not agree') }
    expect(await ask(client, 'approve', { ids: [id] })).toMatchObject(refused)
    await expect(answerConsent(team, consent)).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(await statusOf(team, id)).toBe('pending')
  })

  it('is invalid when the text has changed', async () => {
    await using harness = await createAgentHarness()
    await using office = await openAssistant(harness.app)
    const { team } = harness
    const agent = await harness.order()
    await agent.deliver('The first draft')
    const waiting = async () =>
      (await team.reviewer.call('cli', 'GET /approvals', { query: { 'filter.status': 'pending' } })).data
    const [first] = await waiting()
    await team.reviewer.call('cli', 'POST /approvals/:id/resolve', {
      params: { id: first?.id ?? '' },
      body: { resolution: 'rejected', note: 'Warmer' },
    })
    const again = await harness.next()
    const { approvalId } = await again.call('POST /runs/:runId/actions/request-review', {
      title: 'Like this?',
      description: 'The tone',
    })
    const { credential } = await assistantKey(harness.app, team.reviewerId)
    await using client = await connectAssistant(office, credential)
    const { consent } = (await ask(client, 'approve', { ids: [approvalId] })).data
    await answerConsent(team, consent)
    await again.deliver('The second draft')
    const answer = await ask(client, 'approve', { ids: [approvalId] })
    expect(answer.data.done).not.toBe(true)
    expect((await waiting()).map(({ title }) => title)).toEqual(['Like this?'])
    expect(await statusOf(team, approvalId)).toBe('expired')
  })

  it('counts on every server of the installation, and is used once', async () => {
    await using app = await createTestApp()
    await using here = await openAssistant(app)
    await using there = await openAssistant(app)
    const team = await app.team()
    const id = await pendingApproval(app, team)
    const { credential } = await assistantKey(app, team.reviewerId)
    await using one = await connectAssistant(here, credential)
    await using other = await connectAssistant(there, credential)
    const given = { ids: [id], note: 'Good' }
    await answerConsent(team, (await ask(one, 'approve', given)).data.consent)
    const answers = await Promise.all([one, other, one, other].map((each) => ask(each, 'approve', given)))
    expect(answers.filter(({ data }) => data.done)).toHaveLength(1)
    expect(await assistantsOf(app, 'approval.resolve')).toEqual(['claude-desktop 1.2'])
  })

  it('can be requested a limited number of times', async () => {
    await using app = await createTestApp({ worker: false })
    await using office = await openAssistant(app)
    const team = await app.team()
    const { credential } = await assistantKey(app, team.reviewerId)
    await using client = await connectAssistant(office, credential)
    const propose = (reason: string) =>
      ask(client, 'pause', { target: 'social_writer', tenant: team.tenantId, reason })
    for (let n = 0; n < 100; n += 1) expect((await propose(`${n}`)).data.done).toBe(false)
    const refused = { failed: true, text: expect.stringContaining('UNPROCESSABLE') }
    expect(await propose('100')).toMatchObject(refused)
  })
})

/** The consents that the record names for an act, newest first. */
async function consentsOf(app: TestApp, action: string): Promise<unknown[]> {
  const { data } = await app.copydesk.asSystem().audit.list({ 'filter.action': action })
  return data.map(({ consent }) => consent)
}
