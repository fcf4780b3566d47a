import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mailsOf, type ReadMail } from '../../kit/mail.ts'
import { day, type MailDesk, minute, openMailDesk, steps } from '../../kit/sequences.ts'

let desk: MailDesk

beforeAll(async () => {
  desk = await openMailDesk()
})
afterAll(() => desk[Symbol.asyncDispose]())

const unprocessable = { code: 'UNPROCESSABLE', field: undefined }
const invalid = (field: string) => ({ code: 'VALIDATION_ERROR', field })

/** How a call is refused. */
const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'was not refused',
    ({ code, field }: { code: string; field?: string }) => ({ code, field }),
  )

/** The mails to an address, oldest first. */
const mailsTo = async (name: string) =>
  (await mailsOf(desk.app)).filter(({ to }) =>
    to.toLowerCase().includes(`${name.toLowerCase()}@site.example`),
  )

/** Where a mail's link to unsubscribe leads. */
function linkOf({ headers }: Pick<ReadMail, 'headers'>): string {
  return new URL((headers.get('list-unsubscribe') ?? '').replace(/^<|>$/g, '')).pathname
}

describe('tenant.campaigns.add_sequence, tenant.campaigns.sequences', () => {
  it('adds a draft that sends nothing, with three empty mails unless they are given', async () => {
    const draft = await desk.create({ steps: undefined, triggerType: 'on_subscribe' }, 'member')
    expect(draft).toMatchObject({ status: 'draft', campaignId: desk.campaignId, nextAt: null })
    expect(draft.steps.map(({ delay, approved }) => [delay, approved])).toEqual([
      [0, false],
      [3, false],
      [7, false],
    ])
    expect(await desk.show(draft.id)).toEqual(draft)
    const campaign = await desk.people.member.call('tenant.campaigns.get', {
      params: { campaignId: desk.campaignId },
    })
    expect(campaign.sequences).toContainEqual({ id: draft.id, name: 'Welcome' })
  })

  it('refuses what nobody could send, and campaigns that are not by e-mail', async () => {
    const [first = steps[0]] = steps
    const one = (change: object) => refusal(desk.create({ steps: [{ ...first, ...change }] as typeof steps }))
    expect(await one({ subject: 'a\nb' })).toEqual(invalid('steps.0.subject'))
    expect(await one({ body: 'Dear {{lead.password}}' })).toEqual(invalid('steps.0.body'))
    expect(await one({ delay: 366 })).toEqual(invalid('steps.0.delay'))
    expect(
      await refusal(desk.create({ steps: Array.from({ length: 11 }, () => first) as typeof steps })),
    ).toEqual(invalid('steps'))
    const { id } = await desk.people.member.call('tenant.campaigns.create', {
      body: { name: 'Ads', type: 'paid_ads', channel: ['search_ads'], goal: 'Sell' },
    })
    const elsewhere = desk.people.member.call('tenant.campaigns.add_sequence', {
      params: { campaignId: id },
      body: { name: 'No', triggerType: 'manual' },
    })
    expect(await refusal(elsewhere)).toEqual(unprocessable)
  })
})

describe('tenant.campaigns.activate_sequence', () => {
  it('sends each contact each mail once, in words of its own, at its time by the clocks of the zone', async () => {
    await desk.addLeads('Ann', 'Bea')
    const sequence = await desk.create()
    expect(await refusal(desk.activate(sequence.id, 'member'))).toEqual(unprocessable)
    expect(await desk.activate(sequence.id)).toMatchObject({
      status: 'active',
      steps: [{ approved: true, approvedBy: 'Ada Admin' }, { approved: true }],
    })
    await desk.rests()
    const [first, ...more] = await mailsTo('Ann')
    expect(more).toEqual([])
    expect(first).toMatchObject({ subject: 'Hello Ann' })
    expect(first?.text).toContain('Dear Ann,')
    expect(first?.text).toContain('Oats & Co\nUnsubscribe: http://127.0.0.1:1/forms/v1/unsubscribe/')
    expect(first?.html).toContain('<a href="https://oats.example/rye">https://oats.example/rye</a>.')
    expect(first?.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
    await desk.pass(3 * day - minute)
    expect(await mailsTo('Bea')).toHaveLength(1)
    await desk.pass(minute)
    expect((await mailsTo('Bea')).map(({ subject }) => subject)).toEqual(['Hello Bea', 'Still there?'])
    await desk.pass(30 * day)
    expect(await mailsTo('Bea')).toHaveLength(2)
    expect(await desk.show(sequence.id)).toMatchObject({
      status: 'completed',
      contacts: { waiting: 0, done: 2, stopped: 0 },
      steps: [{ sent: 2, failed: 0, unknown: 0 }, { sent: 2 }],
      nextAt: null,
    })
    expect(await refusal(desk.activate(sequence.id))).toMatchObject({ code: 'CONFLICT' })
  })

  it('is for those who come from then on where it begins with a subscription, and for whom it is meant', async () => {
    const sequence = await desk.create({
      triggerType: 'on_subscribe',
      audience: { statuses: ['new'], sources: ['manual'], tag: null },
    })
    await desk.activate(sequence.id)
    await desk.pass(5 * minute)
    expect((await desk.show(sequence.id)).contacts).toEqual({ waiting: 0, done: 0, stopped: 0 })
    const [cleo = ''] = await desk.addLeads('Cleo', 'Dora')
    await desk.people.member.call('dashboard.leads.change', {
      params: { leadId: cleo },
      body: { status: 'qualified' },
    })
    await desk.pass(10 * minute)
    expect(await mailsTo('Cleo')).toEqual([])
    expect(await mailsTo('Dora')).toHaveLength(1)
    expect(await desk.show(sequence.id)).toMatchObject({ status: 'active', contacts: { waiting: 1 } })
    await desk.change(await desk.show(sequence.id), 0, { delay: 9 })
  })

  it('begins on its date, or on the first day of its campaign, and says when no one has said so', async () => {
    const startsAt = new Date(desk.clock.now() + 2 * day).toISOString()
    const sequence = await desk.create({ triggerType: 'on_date', startsAt })
    await desk.activate(sequence.id)
    await desk.addLeads('Elsa')
    await desk.pass(2 * day - minute)
    expect(await mailsTo('Elsa')).toEqual([])
    await desk.pass(2 * minute)
    expect(await mailsTo('Elsa')).toHaveLength(1)
    const without = await desk.create({ triggerType: 'on_date' })
    expect(await refusal(desk.activate(without.id))).toEqual(unprocessable)
    await desk.change(sequence, 0, { delay: 9 })
  })

  it('sends nothing while its campaign is paused, and nothing of a campaign that has not begun', async () => {
    await desk.addLeads('Fay')
    const sequence = await desk.create()
    await desk.setCampaign('paused')
    expect(await refusal(desk.activate(sequence.id))).toEqual(unprocessable)
    await desk.setCampaign('active')
    const [first = steps[0]] = steps
    const later = await desk.create({ steps: [{ ...first, delay: 1 }] as typeof steps })
    await desk.activate(later.id)
    await desk.rests()
    await desk.setCampaign('paused')
    await desk.pass(2 * day)
    expect(await mailsTo('Fay')).toEqual([])
    await desk.setCampaign('active')
    await desk.pass(10 * minute)
    expect(await mailsTo('Fay')).toHaveLength(1)
  })
})

describe('tenant.campaigns.change_sequence_step', () => {
  it('pauses a sequence, of which only what an admin has approved goes out', async () => {
    await desk.addLeads('Gaia')
    const sequence = await desk.create()
    await desk.activate(sequence.id)
    await desk.rests()
    const changed = await desk.change(sequence, 1, { subject: 'Cheap rye' })
    expect(changed).toMatchObject({
      status: 'paused',
      nextAt: null,
      steps: [{ approved: true }, { approved: false }],
    })
    await desk.pass(10 * day)
    expect(await mailsTo('Gaia')).toHaveLength(1)
    expect(await refusal(desk.activate(sequence.id, 'member'))).toEqual(unprocessable)
    await desk.activate(sequence.id)
    await desk.rests()
    expect((await mailsTo('Gaia')).map(({ subject }) => subject)).toEqual(['Hello Gaia', 'Cheap rye'])
    expect(await refusal(desk.change(sequence, 0, {}))).toMatchObject({ code: 'VALIDATION_ERROR' })
    expect(await refusal(desk.change(await desk.show(sequence.id), 0, { subject: 'x' }))).toEqual(
      unprocessable,
    )
  })
})

describe('forms.unsubscribe_page, forms.unsubscribe', () => {
  it('ends all mails of the tenant to an address by one click, and by no look at the page', async () => {
    await desk.addLeads('Hana')
    const one = await desk.create()
    const other = await desk.create({ name: 'Other' })
    await desk.activate(one.id)
    await desk.activate(other.id)
    await desk.rests()
    const [mail] = await mailsTo('Hana')
    const link = linkOf(mail as ReadMail)
    const page = await desk.app.fetch(link)
    expect([page.status, await page.text()]).toEqual([
      200,
      expect.stringContaining('<form method="post"><button>'),
    ])
    expect((await desk.show(one.id)).contacts.stopped).toBe(0)
    for (let times = 0; times < 2; times += 1) {
      const done = await desk.app.fetch(link, { method: 'POST', body: 'List-Unsubscribe=One-Click' })
      expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('Oats &amp; Co')])
    }
    await desk.pass(4 * day)
    expect(await mailsTo('Hana')).toHaveLength(2)
    const later = await desk.create()
    await desk.activate(later.id)
    await desk.rests()
    expect(await mailsTo('Hana')).toHaveLength(2)
    expect((await desk.app.fetch(`/forms/v1/unsubscribe/${'0'.repeat(32)}`)).status).toBe(404)
    expect((await desk.app.fetch('/forms/v1/unsubscribe/1', { method: 'POST' })).status).toBe(404)
  })

  it('stops those who are won, removed, or have another address since', async () => {
    const ids = await desk.addLeads('Ida', 'Jade', 'Kaia')
    const [ida = '', jade = '', kaia = ''] = ids
    const sequence = await desk.create()
    await desk.activate(sequence.id)
    await desk.rests()
    const change = (leadId: string, body: object) =>
      desk.people.member.call('dashboard.leads.change', { params: { leadId }, body })
    await change(ida, { status: 'converted' })
    await change(jade, { email: 'other@site.example' })
    await desk.app.db.write((tx) => tx.run('delete from leads where id = ?', [kaia]))
    await desk.pass(4 * day)
    for (const name of ['Ida', 'Jade', 'Kaia']) expect(await mailsTo(name), name).toHaveLength(1)
    const stopped = await desk.app.db.sql.all<{ stop_reason: string }>(
      'select stop_reason from sequence_contacts where sequence_id = ? and lead_id in (?, ?, ?) order by lead_id',
      [sequence.id, ...ids],
    )
    expect(stopped.map(({ stop_reason }) => stop_reason)).toEqual(['converted', 'changed', 'removed'])
  })
})
