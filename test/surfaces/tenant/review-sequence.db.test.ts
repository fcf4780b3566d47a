import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mailsOf } from '../../kit/mail.ts'
import { day, type MailDesk, openMailDesk } from '../../kit/sequences.ts'

let desk: MailDesk
let campaignId: string

beforeAll(async () => {
  desk = await openMailDesk()
  campaignId = await campaign('review_generation')
})
afterAll(() => desk[Symbol.asyncDispose]())

async function campaign(type: 'review_generation' | 'email_marketing'): Promise<string> {
  const body = { name: 'Reviews', type, channel: ['email'], goal: 'reviews' }
  const { id } = await desk.people.member.call('tenant.campaigns.create', { body })
  await desk.app.db.write((tx) => tx.run(`update campaigns set status = 'active' where id = ?`, [id]))
  return id
}

const order = (changes: object = {}, id = campaignId) =>
  desk.people.member.call('tenant.campaigns.review_sequence', {
    params: { campaignId: id },
    body: {
      reviewPlatform: 'City Guide',
      reviewUrl: 'https://guide.example/oats',
      tone: 'professional',
      channel: 'email',
      ...changes,
    },
  })
const send = (id = campaignId, step?: number) =>
  desk.people.member.call('tenant.campaigns.send_review_requests', {
    params: { campaignId: id },
    body: step === undefined ? {} : { step },
  })
const sequence = async (id = campaignId) =>
  (await desk.people.member.call('tenant.campaigns.sequences', { params: { campaignId: id } })).data[0]

/** How a call is refused. */
const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'was not refused',
    ({ code, field }: { code: string; field?: string }) => ({ code, field }),
  )
const unprocessable = { code: 'UNPROCESSABLE', field: undefined }

/** Decides on what was ordered, once it waits for that. */
async function decide(activityId: string, resolution: 'approved' | 'rejected'): Promise<void> {
  const pending = `select id from approvals where content_of = ? and status = 'pending'`
  const approval = await desk.app.until(
    () => desk.app.db.sql.get<{ id: string }>(pending, [activityId]),
    'the text waits for its verdict',
  )
  await desk.people.admin.call('dashboard.approvals.resolve', {
    params: { approvalId: approval.id },
    body: { resolution, note: 'So be it' },
  })
}

async function addCustomers(...names: string[]): Promise<string[]> {
  const ids = await desk.addLeads(...names)
  for (const leadId of ids)
    await desk.people.member.call('dashboard.leads.change', {
      params: { leadId },
      body: { status: 'converted' },
    })
  return ids
}

const subjectsTo = async (name: string) =>
  (await mailsOf(desk.app))
    .filter(({ to }) => to.toLowerCase().includes(`${name.toLowerCase()}@site.example`))
    .map(({ subject }) => subject)

describe('tenant.campaigns.review_sequence', () => {
  it('has mails written that are a sequence once a person has approved them', async () => {
    expect(await refusal(send())).toEqual(unprocessable)
    const { activityId } = await order()
    expect(await refusal(order())).toMatchObject({ code: 'CONFLICT' })
    await desk.app.until(
      async () => desk.app.db.sql.get(`select 1 as one from approvals where content_of = ?`, [activityId]),
      'the text is written',
    )
    expect(await sequence()).toBeUndefined()
    await decide(activityId, 'approved')
    // Its agent ends its work after the verdict.
    const found = await desk.app.until(() => sequence(), 'the sequence is there')
    expect(found).toMatchObject({ kind: 'review', released: 0, status: 'draft' })
    expect(found?.steps.map(({ subject, approved }) => [subject, approved])).toEqual([
      ['Your experience with us', true],
      ['A reminder: your review', true],
      ['A last reminder', true],
    ])
    expect(found?.steps[0]?.body).toContain(
      'honest review on City Guide. It takes about two minutes: https://guide.example/oats',
    )
    expect(found?.steps.map(({ approvedBy }) => approvedBy)).toEqual(['Ada Admin', 'Ada Admin', 'Ada Admin'])
  })

  it('refuses text messages without a provider, and campaigns that ask for no reviews', async () => {
    expect(await refusal(order({ channel: 'sms' }))).toEqual({ code: 'UNPROCESSABLE', field: 'channel' })
    expect(await refusal(order({ stepCount: 6 }))).toMatchObject({ field: 'stepCount' })
    expect(await refusal(order({ reviewUrl: 'javascript:alert(1)' }))).toMatchObject({ field: 'reviewUrl' })
    expect(await refusal(order({}, await campaign('email_marketing')))).toEqual(unprocessable)
  })
})

describe('tenant.campaigns.send_review_requests', () => {
  it('lets one request after the other go out to customers, each once', async () => {
    await addCustomers('Ann', 'Bea')
    await desk.addLeads('Prospect')
    expect(await send()).toMatchObject({ position: 0, subject: 'Your experience with us', left: 2 })
    await desk.pass(day)
    await addCustomers('Late')
    expect(await subjectsTo('Ann')).toEqual(['Your experience with us'])
    expect(await subjectsTo('Prospect')).toEqual([])
    expect(await send()).toMatchObject({ position: 1, left: 1 })
    await desk.pass(day)
    expect(await send()).toMatchObject({ position: 2, left: 0 })
    await desk.pass(day)
    expect((await subjectsTo('Bea')).toSorted()).toEqual(
      ['A last reminder', 'A reminder: your review', 'Your experience with us'].toSorted(),
    )
    expect(await subjectsTo('Late')).toEqual([])
    expect(await sequence()).toMatchObject({
      status: 'completed',
      contacts: { waiting: 0, done: 2, stopped: 0 },
    })
    expect(await refusal(send())).toMatchObject({ code: 'CONFLICT' })
  })

  it('is the only way in which they go out, as they were approved', async () => {
    const found = await sequence()
    const params = { campaignId, sequenceId: found?.id ?? '', stepId: found?.steps[0]?.id ?? '' }
    const activate = desk.people.admin.call('tenant.campaigns.activate_sequence', { params })
    expect(await refusal(activate)).toEqual(unprocessable)
    const change = desk.people.admin.call('tenant.campaigns.change_sequence_step', {
      params,
      body: { subject: 'x' },
    })
    expect(await refusal(change)).toEqual(unprocessable)
    // What is on its way is not replaced by a text that is approved later.
    const { activityId } = await order({ tone: 'casual' })
    await decide(activityId, 'approved')
    const done = `select 1 as one from activities where id = ? and status = 'done'`
    await desk.app.until(() => desk.app.db.sql.get(done, [activityId]), 'its agent is done')
    expect((await sequence())?.steps[0]?.subject).toBe('Your experience with us')
    const other = await campaign('review_generation')
    const rejected = await order({}, other)
    await decide(rejected.activityId, 'rejected')
    expect(await refusal(send(other))).toEqual(unprocessable)
  })

  it('lets one step go for a double click, and the next one once everyone has got that', async () => {
    const twice = await campaign('review_generation')
    await decide((await order({}, twice)).activityId, 'approved')
    await desk.app.until(() => sequence(twice), 'the sequence is there')
    await addCustomers('Cleo')
    const released = async () => (await sequence(twice))?.released
    const click = async (step?: number) => {
      const both = await Promise.allSettled([send(twice, step), send(twice, step)])
      return both.map(({ status }) => status).toSorted()
    }
    expect(await refusal(send(twice, 2))).toMatchObject({ code: 'CONFLICT' })
    expect(await refusal(send(twice, 0))).toMatchObject({ code: 'VALIDATION_ERROR', field: 'step' })
    expect(await released()).toBe(0)
    expect(await click()).toEqual(['fulfilled', 'rejected'])
    expect(await released()).toBe(1)
    await desk.rests()
    // Everyone has got it, and the second click of two may still come.
    expect(await refusal(send(twice))).toMatchObject({ code: 'CONFLICT' })
    await desk.pass(day)
    expect(await refusal(send(twice, 1))).toMatchObject({ code: 'CONFLICT' })
    const moveContacts = (by: number) =>
      desk.app.db.write((tx) =>
        tx.run(
          `update sequence_contacts set next_position = next_position + ? where sequence_id in (select id from campaign_sequences where campaign_id = ?)`,
          [by, twice],
        ),
      )
    // As long as they have not got it.
    await moveContacts(-1)
    expect(await refusal(send(twice, 2))).toMatchObject({ code: 'CONFLICT' })
    await moveContacts(1)
    expect(await click(2)).toEqual(['fulfilled', 'rejected'])
    await desk.pass(day)
    expect(await released()).toBe(2)
    expect(await subjectsTo('Cleo')).toEqual(['Your experience with us', 'A reminder: your review'])
  })
})
