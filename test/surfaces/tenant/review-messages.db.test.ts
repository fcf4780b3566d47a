import { SmsError, type SmsSender, type TextMessage } from '@copydesk/core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { mailsOf } from '../../kit/mail.ts'
import { type MailDesk, minute, openMailDesk } from '../../kit/sequences.ts'
import { type SmsServer, startSmsServer } from '../../kit/sms-server.ts'

let server: SmsServer
let desk: MailDesk

beforeAll(async () => {
  server = await startSmsServer()
  desk = await openMailDesk({ sms: server.options, allowHosts: ['127.0.0.1'] })
})
afterEach(() => {
  server.taken.splice(0)
  server.mishaps.splice(0)
})
afterAll(async () => {
  await desk[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

async function campaign(at = desk): Promise<string> {
  const body = { name: 'Reviews', type: 'review_generation', channel: ['sms'], goal: 'reviews' } as const
  const { id } = await at.people.member.call('tenant.campaigns.create', {
    body: { ...body, channel: ['sms'] },
  })
  await at.app.db.write((tx) => tx.run(`update campaigns set status = 'active' where id = ?`, [id]))
  return id
}

const order = (campaignId: string, changes: object = {}, at = desk) =>
  at.people.member.call('tenant.campaigns.review_sequence', {
    params: { campaignId },
    body: {
      reviewPlatform: 'City Guide',
      reviewUrl: 'https://guide.example/oats',
      tone: 'friendly',
      stepCount: 2,
      channel: 'sms',
      ...changes,
    },
  })

/** A campaign whose text messages were approved. */
async function approved(at = desk): Promise<string> {
  const campaignId = await campaign(at)
  const { activityId } = await order(campaignId, {}, at)
  const { id } = await at.app.until(
    () =>
      at.app.db.sql.get<{ id: string }>(
        `select id from approvals where content_of = ? and status = 'pending'`,
        [activityId],
      ),
    'the texts wait for their verdict',
  )
  const body = { resolution: 'approved', note: 'So be it' } as const
  await at.people.admin.call('dashboard.approvals.resolve', { params: { approvalId: id }, body })
  await at.app.until(() => sequence(campaignId, at), 'the sequence is there')
  return campaignId
}

const sequence = async (campaignId: string, at = desk) =>
  (await at.people.member.call('tenant.campaigns.sequences', { params: { campaignId } })).data[0]
const send = (campaignId: string, step: number, at = desk) =>
  at.people.member.call('tenant.campaigns.send_review_requests', { params: { campaignId }, body: { step } })

/** Only these are customers from now on. */
async function customers(all: ReadonlyArray<{ name: string; phone?: string }>, at = desk): Promise<string[]> {
  await at.app.db.write((tx) => tx.run(`update leads set status = 'contacted'`))
  const ids: string[] = []
  for (const { name, phone } of all) {
    const { id } = await at.people.member.call('dashboard.leads.create', {
      body: {
        firstName: name,
        lastName: 'Oats',
        email: `${name.toLowerCase()}@site.example`,
        ...(phone && { phone }),
      },
    })
    await at.people.member.call('dashboard.leads.change', {
      params: { leadId: id },
      body: { status: 'converted' },
    })
    ids.push(id)
  }
  return ids
}

const numbers = () => server.taken.map(({ to }) => to)

describe('tenant.campaigns.review_sequence by text message', () => {
  it('has short texts written, and refuses an address that leaves them no room', async () => {
    const campaignId = await approved()
    const found = await sequence(campaignId)
    expect(found).toMatchObject({ kind: 'review', channel: 'sms', released: 0, status: 'draft' })
    expect(found?.steps.map(({ body }) => body)).toEqual([
      expect.stringMatching(/^Hello \{\{firstName\}\}, thank you.* https:\/\/guide\.example\/oats$/),
      expect.stringContaining('https://guide.example/oats'),
    ])
    await expect(
      order(await campaign(), { reviewUrl: `https://guide.example/${'a'.repeat(200)}` }),
    ).rejects.toMatchObject({ code: 'VALIDATION_ERROR', field: 'reviewUrl' })
  })

  it('takes no text that is longer than a text message', async () => {
    const campaignId = await campaign()
    const { activityId } = await order(campaignId)
    const pending = `select id from approvals where content_of = ? and status = 'pending'`
    const { id } = await desk.app.until(
      () => desk.app.db.sql.get<{ id: string }>(pending, [activityId]),
      'the texts wait',
    )
    const edited = `# Requests\n\n## Mail 1\n\nSubject: Hello\n\n${'Many words. '.repeat(60)}\n`
    await desk.people.admin.call('dashboard.approvals.resolve', {
      params: { approvalId: id },
      body: { resolution: 'approved', edited },
    })
    const said = `select message from activity_log where activity_id = ? and message like 'Not taken%'`
    const row = await desk.app.until(
      () => desk.app.db.sql.get<{ message: string }>(said, [activityId]),
      'it is told why',
    )
    expect(row.message).toContain('at most 480 characters')
    expect(await sequence(campaignId)).toBeUndefined()
  })
})

describe('tenant.campaigns.send_review_requests by text message', () => {
  it('reaches each customer once, under a number that can be dialled from anywhere', async () => {
    const campaignId = await approved()
    await customers([
      { name: 'Ann', phone: '+49 (0)30 111-222' },
      { name: 'Bob', phone: '0049 30 111222' },
      { name: 'Cem', phone: '030 333 444' },
      { name: 'Dee' },
      { name: 'Eve', phone: '+44 20 7946 0000' },
    ])
    await send(campaignId, 1)
    await desk.rests()
    expect(numbers()).toEqual(['+4930111222', '+442079460000'])
    expect(server.taken[0]?.from).toBe('+4930000001')
    expect(server.taken[0]?.text).toMatch(
      /^Hello Ann, .*guide\.example\/oats\nOats & Co\. Stop: http.*\/forms\/v1\/unsubscribe\/[0-9a-f]{32}$/s,
    )
    expect(server.taken[0]?.text.length).toBeLessThan(480)
    expect((await sequence(campaignId))?.contacts).toMatchObject({ waiting: 2, stopped: 0 })
    expect((await mailsOf(desk.app)).filter(({ to }) => to.includes('site.example'))).toEqual([])
  })

  it('stops for those who stop it, by the link or at their provider, in every campaign', async () => {
    const campaignId = await approved()
    await customers([
      { name: 'Fay', phone: '+4930555001' },
      { name: 'Gus', phone: '+4930555002' },
      { name: 'Hal', phone: '+4930555003' },
    ])
    server.mishaps.push({ status: 400, code: 21_610, message: 'Attempt to send to unsubscribed recipient' })
    await send(campaignId, 1)
    await desk.rests()
    expect(numbers()).toEqual(['+4930555002', '+4930555003'])
    const link = /\/forms\/v1\/unsubscribe\/\w+/.exec(server.taken[0]?.text ?? '')?.[0] ?? ''
    expect((await desk.app.fetch(link, { method: 'POST' })).status).toBe(200)
    desk.clock.advance(2 * minute)
    await send(campaignId, 2)
    await desk.rests()
    expect(numbers().slice(2)).toEqual(['+4930555003'])
    expect((await sequence(campaignId))?.contacts).toMatchObject({ stopped: 2 })
    const another = await approved()
    await send(another, 1)
    await desk.rests()
    expect(numbers().slice(3)).toEqual(['+4930555001', '+4930555003'])
  })

  it('sends none twice when an answer is lost, and tries again what was certainly not taken', async () => {
    const campaignId = await approved()
    await customers([
      { name: 'Ida', phone: '+4930666001' },
      { name: 'Jan', phone: '+4930666002' },
      { name: 'Kim', phone: '+4930666003' },
      { name: 'Lea', phone: '+4930666004' },
    ])
    server.mishaps.push(
      'cut after',
      { status: 500, code: 20_500, message: 'Internal Server Error' },
      { status: 429, code: 20_429, message: 'Too Many Requests' },
      { status: 400, code: 21_211, message: 'Invalid number' },
    )
    await send(campaignId, 1)
    await desk.rests()
    for (let n = 0; n < 3; n += 1) await desk.pass(2 * minute)
    expect(numbers()).toEqual(['+4930666001', '+4930666003'])
    const [step] = (await sequence(campaignId))?.steps ?? []
    expect(step).toMatchObject({ sent: 1, unknown: 2, failed: 1 })
  })

  it('leaves out who was asked for consent and has not given it, and who has another number now', async () => {
    const campaignId = await approved()
    const [declined = '', moved = ''] = await customers([
      { name: 'Mia', phone: '+4930777001' },
      { name: 'Noa', phone: '+4930777002' },
    ])
    await desk.app.db.write((tx) =>
      tx.run(
        `insert into lead_events (id, tenant_id, lead_id, kind, text, actor_name, at)
         select 'E' || substr(id, 2), tenant_id, id, 'declined', 'Was asked', 'A form', created_on from leads where id = ?`,
        [declined],
      ),
    )
    await send(campaignId, 1)
    await desk.rests()
    expect(numbers()).toEqual(['+4930777002'])
    await desk.people.member.call('dashboard.leads.change', {
      params: { leadId: moved },
      body: { phone: '+4930777003' },
    })
    desk.clock.advance(2 * minute)
    await send(campaignId, 2)
    await desk.rests()
    expect(numbers()).toEqual(['+4930777002'])
  })
})

describe('a way of the program’s own for text messages', () => {
  it('is used as it is, and what it does not explain is sent no second time', async () => {
    const sent: TextMessage[] = []
    const sender: SmsSender = {
      name: 'ours',
      send: async (message) => {
        sent.push(message)
        if (message.to.endsWith('1')) throw new Error('it went dark')
        if (message.to.endsWith('2') && sent.length < 4) throw new SmsError('transient', 'not now')
      },
      check: async () => 'fine',
    }
    await using own = await openMailDesk({ sms: sender })
    const campaignId = await approved(own)
    await customers(
      [
        { name: 'Ola', phone: '+4930888001' },
        { name: 'Pia', phone: '+4930888002' },
      ],
      own,
    )
    await send(campaignId, 1, own)
    await own.rests()
    for (let n = 0; n < 3; n += 1) await own.pass(10 * minute)
    expect(sent.map(({ to }) => to)).toEqual(['+4930888001', '+4930888002', '+4930888002', '+4930888002'])
    const [step] = (await sequence(campaignId, own))?.steps ?? []
    expect(step).toMatchObject({ sent: 1, unknown: 1, failed: 0 })
  })
})

describe('doctor', () => {
  it('asks the service of text messages for its account', async () => {
    const about = async (of: MailDesk) =>
      (await of.app.copydesk.doctor()).find(({ name }) => name === 'text messages')
    expect(await about(desk)).toMatchObject({ ok: true, message: expect.stringContaining('127.0.0.1') })
    const sms = { ...server.options, authToken: 'another' }
    await using wrong = await openMailDesk({ sms, allowHosts: ['127.0.0.1'] })
    expect(await about(wrong)).toMatchObject({ ok: false, message: expect.stringContaining('401') })
    await using none = await openMailDesk()
    expect(await about(none)).toMatchObject({ ok: true, message: expect.stringContaining('not set up') })
  })
})
