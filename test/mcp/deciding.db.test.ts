import { describe, expect, it } from 'vitest'
import { createTestApp } from '../kit/app.ts'
import {
  ask,
  assistantKey,
  assistantsOf,
  connectAssistant,
  openOffice,
  openQuestion,
  pendingApproval,
  statusOf,
} from '../kit/assistant.ts'
import { createDesk } from '../kit/runtime.ts'

describe('a person who is asked by the client', () => {
  it('sees what would be done, and it is done once when they accept', async () => {
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
    expect(asked).toEqual([expect.stringContaining(`claude-desktop 1.2 wants to do this in your name`)])
    expect(asked[0]).toContain(`/approve ${id} --note "Well \\"put\\""`)
    expect(asked[0]).toContain('Tenant 1')
    expect(await statusOf(team, id)).toBe('approved')
    expect(await assistantsOf(app, 'approval.resolve')).toEqual(['claude-desktop 1.2'])
  })

  it('says no, and nothing is done', async () => {
    await using question = await openQuestion()
    const { app, office, team, id, credential } = question
    await using client = await connectAssistant(office, credential, { person: () => 'decline' })
    const answer = await ask(client, 'reject', { ids: [id], note: 'No' })
    expect(answer).toMatchObject({ failed: true, text: expect.stringContaining('did not agree') })
    // It has a person to ask: nothing that it writes itself stands for that person.
    const told = await connectAssistant(office, credential)
    const { confirmation } = (await ask(told, 'reject', { ids: [id], note: 'No' })).data
    await told.close()
    const forged = await ask(client, 'reject', { ids: [id], note: 'No', confirmation })
    expect(forged.failed).toBe(true)
    expect(await statusOf(team, id)).toBe('pending')
    expect(await assistantsOf(app, 'approval.resolve')).toEqual([])
  })

  it('is asked before anything that is no read', async () => {
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
    expect(data.filter(({ assistant }) => assistant !== null)).toEqual([])
  })
})

describe('a confirmation', () => {
  it('is good for one thing as it was shown, once, and for ten minutes', async () => {
    let time = Date.now()
    await using app = await createTestApp()
    await using office = await openOffice(app, { now: () => time })
    const team = await app.team()
    const one = await pendingApproval(app, team)
    const { credential } = await assistantKey(app, team.reviewerId)
    await using client = await connectAssistant(office, credential)
    const propose = async () => (await ask(client, 'claim', { id: one })).data.confirmation ?? ''
    const use = (confirmation: string, name = 'claim', given: Record<string, unknown> = { id: one }) =>
      ask(client, name, { ...given, confirmation })
    const first = await propose()
    const somethingElse = { failed: true, text: expect.stringContaining('is for something else') }
    const [until = '', id = '', mac = ''] = first.split('.')
    const later = `${(Number.parseInt(until, 36) + 60_000).toString(36)}.${id}.${mac}`
    for (const wrong of ['', 'yes', first.slice(0, -1), `${first}x`, first.toUpperCase(), later])
      expect(await use(wrong), wrong).toMatchObject(somethingElse)
    expect(await use(first, 'release')).toMatchObject(somethingElse)
    expect(await use(first, 'approve', { ids: [one] })).toMatchObject(somethingElse)
    time += 600_000
    expect(await use(first)).toMatchObject({ failed: true, text: expect.stringContaining('ten minutes') })
    const second = await propose()
    time += 599_999
    expect(await use(second)).toMatchObject({ failed: false, data: { done: true } })
    expect(await use(second)).toMatchObject({ failed: true, text: expect.stringContaining('used already') })
    expect(await assistantsOf(app, 'approval.claim')).toHaveLength(1)
  })

  it('is good for the one whose assistant asked, and not with other words', async () => {
    await using app = await createTestApp()
    await using office = await openOffice(app)
    const team = await app.team()
    const id = await pendingApproval(app, team)
    const other = await app.copydesk.asSystem().users.create({
      email: 'rob@test.example',
      name: 'Rob Reviewer',
      password: 'Correct-horse-1',
      role: 'reviewer',
      tenantIds: [team.tenantId],
    })
    const mine = await assistantKey(app, team.reviewerId)
    const theirs = await assistantKey(app, other.id)
    await using client = await connectAssistant(office, mine.credential)
    await using stranger = await connectAssistant(office, theirs.credential)
    const given = { ids: [id], note: 'Off brand' }
    const { confirmation } = (await ask(client, 'reject', given)).data
    for (const [who, more] of [
      [stranger, {}],
      [client, { note: 'Off brand!' }],
      [client, { ids: [id, id] }],
    ] as const)
      expect((await ask(who, 'reject', { ...given, ...more, confirmation })).failed).toBe(true)
    expect(await statusOf(team, id)).toBe('pending')
    expect((await ask(client, 'reject', { note: 'Off brand', confirmation, ids: [id] })).failed).toBe(false)
  })

  it('is void when the text has become another one', async () => {
    await using desk = await createDesk()
    await using office = await openOffice(desk.app)
    const { team } = desk
    const agent = await desk.order()
    await agent.deliver('The first draft')
    const waiting = async () =>
      (await team.reviewer.call('cli', 'GET /approvals', { query: { 'filter.status': 'pending' } })).data
    const [first] = await waiting()
    await team.reviewer.call('cli', 'POST /approvals/:id/resolve', {
      params: { id: first?.id ?? '' },
      body: { resolution: 'rejected', note: 'Warmer' },
    })
    const again = await desk.next()
    const { approvalId } = await again.call('POST /runs/:runId/actions/request-review', {
      title: 'Like this?',
      description: 'The tone',
    })
    const { credential } = await assistantKey(desk.app, team.reviewerId)
    await using client = await connectAssistant(office, credential)
    const { confirmation } = (await ask(client, 'approve', { ids: [approvalId] })).data
    await again.deliver('The second draft')
    const answer = await ask(client, 'approve', { ids: [approvalId], confirmation })
    expect(answer.failed).toBe(true)
    expect((await waiting()).map(({ title }) => title)).toEqual(['Like this?'])
    expect(await statusOf(team, approvalId)).toBe('expired')
  })

  it('is good at every server of the installation, and what it confirms is still done once', async () => {
    await using app = await createTestApp()
    await using here = await openOffice(app)
    await using there = await openOffice(app)
    const team = await app.team()
    const id = await pendingApproval(app, team)
    const { credential } = await assistantKey(app, team.reviewerId)
    await using one = await connectAssistant(here, credential)
    await using other = await connectAssistant(there, credential)
    const given = { ids: [id], note: 'Good' }
    const { confirmation } = (await ask(one, 'approve', given)).data
    const answers = [
      await ask(other, 'approve', { ...given, confirmation }),
      await ask(one, 'approve', { ...given, confirmation }),
    ]
    expect(answers[0]).toMatchObject({ failed: false, data: { done: true } })
    expect(await assistantsOf(app, 'approval.resolve')).toEqual(['claude-desktop 1.2'])
  })
})
