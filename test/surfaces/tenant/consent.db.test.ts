import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mailsOf } from '../../kit/mail.ts'
import { day, type MailDesk, minute, openMailDesk } from '../../kit/sequences.ts'

const site = 'https://www.shop.example'
let desk: MailDesk
let formId: string
let openId: string

beforeAll(async () => {
  desk = await openMailDesk({ corsOrigins: [site] })
  const create = async (more: object) =>
    (
      await desk.people.admin.call('dashboard.lead_forms.create', {
        body: { name: 'Contact', allowedOrigins: [site], notify: false, ...more },
      })
    ).id
  formId = await create({ consentText: 'You may write to me.' })
  openId = await create({ name: 'Without a question' })
})
afterAll(() => desk[Symbol.asyncDispose]())

let senders = 0
/** Someone fills in a form, each time from another address. */
async function fillIn(name: string, more: object = {}, form = formId): Promise<void> {
  senders += 1
  const init = {
    method: 'POST',
    headers: { origin: site, 'content-type': 'application/json' },
    body: JSON.stringify({ name, email: `${name}@site.example`, message: 'Hello', ...more }),
  }
  const { status } = await desk.app.fetch(`/forms/v1/${form}`, init, { ip: `10.9.0.${senders}` })
  expect(status).toBe(200)
}

async function leadOf(name: string): Promise<string> {
  const { data } = await desk.people.member.call('dashboard.leads.list', { query: { search: name } })
  return data[0]?.id ?? ''
}

async function win(...names: string[]): Promise<void> {
  for (const name of names)
    await desk.people.member.call('dashboard.leads.change', {
      params: { leadId: await leadOf(name) },
      body: { status: 'converted' },
    })
}

const to = async (name: string) =>
  (await mailsOf(desk.app))
    .filter((mail) => mail.to.toLowerCase().includes(`${name.toLowerCase()}@site.example`))
    .map(({ subject }) => subject)

/** A campaign whose review requests were approved. */
async function withReviews(): Promise<string> {
  const { member, admin } = desk.people
  const body = { name: 'Reviews', type: 'review_generation', channel: ['email'], goal: 'reviews' } as const
  const { id } = await member.call('tenant.campaigns.create', { body: { ...body, channel: ['email'] } })
  await desk.app.db.write((tx) => tx.run(`update campaigns set status = 'active' where id = ?`, [id]))
  const { activityId } = await member.call('tenant.campaigns.review_sequence', {
    params: { campaignId: id },
    body: {
      reviewPlatform: 'City Guide',
      reviewUrl: 'https://guide.example/oats',
      tone: 'professional',
      channel: 'email',
    },
  })
  const approval = await desk.app.until(
    () =>
      desk.app.db.sql.get<{ id: string }>(
        `select id from approvals where content_of = ? and status = 'pending'`,
        [activityId],
      ),
    'the text waits for its verdict',
  )
  await admin.call('dashboard.approvals.resolve', {
    params: { approvalId: approval.id },
    body: { resolution: 'approved' },
  })
  await desk.app.until(async () => (await sequenceOf(id)) !== undefined, 'the review requests are a sequence')
  return id
}

const sequenceOf = async (campaignId: string) =>
  (await desk.people.member.call('tenant.campaigns.sequences', { params: { campaignId } })).data[0]

describe('what a lead has said to a form', () => {
  it('is in its timeline, where the form asks', async () => {
    await fillIn('Tilda', { consent: 'on' })
    await fillIn('Udo')
    await fillIn('Vera', {}, openId)
    const kinds = async (name: string) => {
      const params = { leadId: await leadOf(name) }
      const { timeline } = await desk.people.member.call('dashboard.leads.get', { params })
      return timeline
        .filter(({ kind }) => kind === 'agreed' || kind === 'declined')
        .map(({ kind, text }) => `${kind}: ${text}`)
    }
    expect(await kinds('Tilda')).toEqual(['agreed: Agreed to: You may write to me.'])
    expect(await kinds('Udo')).toEqual(['declined: Was asked, and did not agree to: You may write to me.'])
    expect(await kinds('Vera')).toEqual([])
  })
})

describe('review requests', () => {
  it('go to customers who have agreed or were not asked, and to no one who was asked and has not', async () => {
    await fillIn('Ann', { consent: 'yes' })
    await fillIn('Bea')
    await fillIn('Dora')
    await fillIn('Dora', { consent: 'on' })
    // Who sends another form later takes nothing back.
    await fillIn('Dora')
    await desk.addLeads('Cid')
    await win('Ann', 'Bea', 'Cid', 'Dora')
    const campaignId = await withReviews()
    const send = () =>
      desk.people.member.call('tenant.campaigns.send_review_requests', { params: { campaignId }, body: {} })
    await send()
    await desk.pass(day)
    const first = ['Your experience with us']
    expect(await Promise.all(['Ann', 'Bea', 'Cid', 'Dora'].map(to))).toEqual([first, [], first, first])
    expect(await sequenceOf(campaignId)).toMatchObject({ contacts: { waiting: 3, stopped: 1 } })
    // Asked between two mails, and not agreed: it counts from the next one on.
    await fillIn('Cid')
    await send()
    await desk.pass(day)
    expect((await to('Ann')).length).toBe(2)
    expect(await to('Cid')).toEqual(first)
    expect(await to('Bea')).toEqual([])
  })
})

describe('sequences', () => {
  it('end for a lead that has not agreed as well', async () => {
    await fillIn('Emil')
    await fillIn('Fina', { consent: '1' })
    await desk.activate((await desk.create()).id)
    await desk.pass(minute)
    expect(await to('Emil')).toEqual([])
    expect(await to('Fina')).toEqual(['Hello Fina'])
    const reasons = await desk.app.db.sql.all<{ stop_reason: string }>(
      `select stop_reason from sequence_contacts where address = 'emil@site.example'`,
    )
    expect(reasons).toEqual([{ stop_reason: 'declined' }])
  })
})

type Consent = { kind: 'agreed' | 'declined'; note: string }
const tell = async (name: string, consent: Consent) =>
  desk.people.member.call('dashboard.leads.change', {
    params: { leadId: await leadOf(name) },
    body: { consent },
  })
const declined = { kind: 'declined', note: 'told me by phone' } as const
const agreed = { kind: 'agreed', note: 'wrote to us on 3 May' } as const

async function consentsOf(name: string) {
  const { timeline } = await desk.people.member.call('dashboard.leads.get', {
    params: { leadId: await leadOf(name) },
  })
  return timeline.filter(({ kind }) => kind === 'agreed' || kind === 'declined')
}

describe('dashboard.leads.change with what a lead has said to a person', () => {
  it('notes it with who and when, and it counts from the next mail on', async () => {
    await desk.addLeads('Gus', 'Ida')
    await fillIn('Hal', { consent: 'on' })
    await fillIn('Jon')
    await fillIn('Kim', { consent: 'on' })
    await fillIn('Lea', { consent: 'on' })
    await tell('Gus', declined)
    expect(await consentsOf('Gus')).toMatchObject([
      {
        kind: 'declined',
        text: 'Declined: told me by phone',
        at: desk.clock.date().toISOString(),
        actor: { id: expect.any(String) as string, name: 'Ada Admin' },
      },
    ])
    // Whatever was agreed to before, until someone notes the opposite, or the lead agrees to a form.
    for (const name of ['Hal', 'Kim', 'Lea']) await tell(name, declined)
    await tell('Jon', agreed)
    await tell('Kim', agreed)
    await fillIn('Lea', { consent: 'on' })
    await desk.activate((await desk.create({ name: 'Said' })).id)
    await desk.pass(minute)
    const got = async (name: string) => (await to(name)).includes(`Hello ${name}`)
    const names = ['Gus', 'Ida', 'Hal', 'Jon', 'Kim', 'Lea']
    expect(await Promise.all(names.map(got))).toEqual([false, true, false, true, true, true])
    const audit = await desk.app.db.sql.get<{ after: unknown }>(
      `select after from audit_records where action = 'lead.change' and resource_id = ? order by id desc`,
      [await leadOf('Gus')],
    )
    expect(JSON.stringify(audit?.after)).toContain('told me by phone')
  })

  it('does not sign up again who has unsubscribed', async () => {
    await desk.addLeads('Max')
    await desk.activate((await desk.create({ name: 'To Max' })).id)
    await desk.pass(minute)
    const mail = (await mailsOf(desk.app)).find(({ to: whom }) => whom.toLowerCase().includes('max@'))
    const link = new URL((mail?.headers.get('list-unsubscribe') ?? '').replace(/^<|>$/g, '')).pathname
    expect((await desk.app.fetch(link, { method: 'POST' })).status).toBe(200)
    await expect(tell('Max', agreed)).rejects.toMatchObject({
      code: 'UNPROCESSABLE',
      details: { reason: 'unsubscribed' },
    })
    expect(await consentsOf('Max')).toEqual([])
    await tell('Max', declined)
    expect(await consentsOf('Max')).toHaveLength(1)
    await desk.activate((await desk.create({ name: 'To Max once more' })).id)
    await desk.pass(minute)
    expect(await to('Max')).toEqual(['Hello Max'])
  })

  it.each([
    ['without words', { kind: 'agreed', note: ' ' }],
    ['with too many words', { kind: 'agreed', note: 'x'.repeat(501) }],
    ['with several lines', { kind: 'declined', note: 'a\nb' }],
  ] as Array<[string, Consent]>)('is refused %s', async (_, consent) => {
    await expect(tell('Ida', consent)).rejects.toMatchObject({ field: 'consent.note' })
    expect(await consentsOf('Ida')).toEqual([])
  })
})
