import { describe, expect, it } from 'vitest'
import { mailsOf } from '../../kit/mail.ts'
import type { Platform } from '../../kit/platforms/frame.ts'
import { createBrevo, createMailchimp } from '../../kit/platforms/mailings.ts'
import { day, type MailDesk, minute, openMailDesk } from '../../kit/sequences.ts'

interface PlatformMails extends AsyncDisposable {
  desk: MailDesk
  brevo: Platform
  /** The subjects of the mails that the platform has taken, in order. */
  subjects(): string[]
  /** Those of the mails to leads that this server has sent. */
  own(): Promise<string[]>
  connect(): Promise<void>
  channelId(): Promise<string>
  /** The titles of what the admin was told about a sequence. */
  told(): Promise<string[]>
}

/** A desk for mails with Brevo connected. */
async function openPlatformMails(): Promise<PlatformMails> {
  await using stack = new AsyncDisposableStack()
  const brevo = stack.use(await createBrevo())
  const mailchimp = stack.use(await createMailchimp())
  const channels = { email_platform_b: { baseUrl: brevo.url }, email_platform_a: { baseUrl: mailchimp.url } }
  const desk = stack.use(await openMailDesk({ channels, allowHosts: ['127.0.0.1'] }))
  brevo.now = () => desk.clock.now()
  const connect = async ({ type: platform, login }: Platform) => {
    const body = login === 'consent' ? { secret: '' } : login
    await desk.people.admin.call('dashboard.integrations.credentials', { params: { platform }, body })
  }
  // It takes mails to its lists only.
  await connect(mailchimp)
  await connect(brevo)
  const owned = stack.move()
  return {
    desk,
    brevo,
    subjects: () => (brevo.mails ?? []).map(({ subject }) => subject),
    async own() {
      const mails = await mailsOf(desk.app)
      return mails.filter(({ to }) => /@site\.example$/i.test(to)).map(({ subject }) => subject)
    },
    connect: () => connect(brevo),
    async channelId() {
      const { data } = await desk.people.admin.call('dashboard.channels.list', {})
      return data.find(({ type }) => type === 'email_platform_b')?.id ?? ''
    },
    async told() {
      const sql = `select title from notifications where user_id = ? and title like '%Welcome%' order by id`
      const rows = await desk.app.db.sql.all<{ title: string }>(sql, [desk.team.adminId])
      return rows.map(({ title }) => title)
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

describe('tenant.campaigns.activate_sequence with an e-mail platform', () => {
  it('hands the first mail to the platform, and the later ones when they are due', async () => {
    await using mails = await openPlatformMails()
    const { desk, brevo } = mails
    await desk.addLeads('Ann', 'Bea')
    const { id } = await desk.create()
    expect(await desk.activate(id)).toMatchObject({
      platform: { channelId: await mails.channelId(), name: 'E-mail platform B (Oats Inc.)' },
      held: null,
    })
    await desk.rests()
    expect(mails.subjects()).toEqual(['Hello Ann', 'Hello Bea'])
    const [first] = brevo.mails ?? []
    expect(first).toMatchObject({ to: 'Ann@Site.example' })
    const [, link = ''] = /Unsubscribe: (\S+)/.exec(first?.text ?? '') ?? []
    expect(first?.html).toContain(`<a href="${link}">Unsubscribe</a>`)
    expect(first?.headers['List-Unsubscribe']).toBe(`<${link}>`)
    await desk.pass(3 * day)
    expect(mails.subjects().slice(2)).toEqual(['Still there?', 'Still there?'])
    expect(await mails.own()).toEqual([])
    expect(await desk.show(id)).toMatchObject({ status: 'completed', steps: [{ sent: 2 }, { sent: 2 }] })
  })

  it('leaves mails to this server where no platform takes them, and changes the way at an activation only', async () => {
    await using mails = await openPlatformMails()
    const { desk } = mails
    const params = { channelId: await mails.channelId() }
    await desk.people.admin.call('dashboard.channels.disconnect', { params })
    await desk.addLeads('Ann')
    const sequence = await desk.create()
    expect(await desk.activate(sequence.id)).toMatchObject({ platform: null })
    await mails.connect()
    await desk.rests()
    expect(await mails.own()).toEqual(['Hello Ann'])
    await desk.change(sequence, 1, { subject: 'Still here' })
    expect(await desk.activate(sequence.id)).toMatchObject({ platform: { name: /B/ } })
    await desk.pass(3 * day)
    expect(mails.subjects()).toEqual(['Still here'])
  })

  it('ends the sequence for a lead that answers or unsubscribes', async () => {
    await using mails = await openPlatformMails()
    const { desk, brevo } = mails
    await desk.addLeads('Ann', 'Bea', 'Cleo')
    const { id } = await desk.create()
    await desk.activate(id)
    await desk.rests()
    const [first, second] = brevo.mails ?? []
    const raw = Buffer.from(`In-Reply-To: ${first?.messageId}\r\nSubject: Re: Hello\r\n\r\nThank you`)
    expect(await desk.app.copydesk.asSystem().mail.receive(raw)).toMatchObject({ outcome: 'answered' })
    const [, link = ''] = /Unsubscribe: (\S+)/.exec(second?.text ?? '') ?? []
    await desk.app.fetch(new URL(link).pathname, { method: 'POST', body: 'List-Unsubscribe=One-Click' })
    await desk.pass(3 * day)
    expect(mails.subjects().filter((subject) => subject === 'Still there?')).toHaveLength(1)
    expect(brevo.mails?.at(-1)?.to).toBe('Cleo@Site.example')
    expect((await desk.show(id)).contacts).toMatchObject({ done: 1, stopped: 2 })
  })
})

describe('mails that go by an e-mail platform', () => {
  it.each(['cut before', 'cut after'] as const)('arrive once when the answer is lost: %s', async (mishap) => {
    await using mails = await openPlatformMails()
    const { desk, brevo } = mails
    await desk.addLeads('Ann')
    const { id } = await desk.create()
    brevo.mishaps.push(mishap)
    await desk.activate(id)
    for (let minutes = 0; minutes < 10; minutes += 1) await desk.pass(minute)
    expect(mails.subjects()).toEqual(['Hello Ann'])
    expect((await desk.show(id)).steps[0]).toMatchObject({ sent: 1, unknown: 0 })
  })

  it('leave one in doubt while the platform is down, and all arrive once when it is there again', async () => {
    await using mails = await openPlatformMails()
    const { desk, brevo } = mails
    await desk.addLeads('Ann', 'Bea', 'Cleo')
    const { id } = await desk.create()
    brevo.mishaps.push({ status: 503 }, { status: 502 })
    await desk.activate(id)
    await desk.pass(30_000)
    expect(brevo.requests.filter((request) => request.endsWith('/smtp/email'))).toHaveLength(1)
    expect((await desk.show(id)).held).toMatchObject({ reason: expect.stringContaining('answered 503') })
    for (let minutes = 0; minutes < 8; minutes += 1) await desk.pass(minute)
    expect(mails.subjects()).toEqual(['Hello Ann', 'Hello Bea', 'Hello Cleo'])
    expect(await desk.show(id)).toMatchObject({ held: null, steps: [{ sent: 3, unknown: 0 }, {}] })
  })

  it('are given up as unknown before the platform forgets them', async () => {
    await using mails = await openPlatformMails()
    const { desk, brevo } = mails
    await desk.addLeads('Ann')
    const { id } = await desk.create()
    brevo.mishaps.push('cut after', 'cut before', 'cut before', 'cut before')
    await desk.activate(id)
    for (let minutes = 0; minutes < 60; minutes += 2) await desk.pass(2 * minute)
    expect(mails.subjects()).toEqual(['Hello Ann'])
    expect((await desk.show(id)).steps[0]).toMatchObject({ sent: 0, unknown: 1 })
    expect(await mails.told()).toEqual(['Perhaps not sent: step 1 of Welcome'])
  })

  it('wait while the platform takes none, without being given up, and the admins are told once', async () => {
    await using mails = await openPlatformMails()
    const { desk, brevo } = mails
    await desk.addLeads('Ann', 'Bea')
    const { id } = await desk.create()
    brevo.mishaps.push(...Array.from({ length: 12 }, () => brevo.says.policy))
    await desk.activate(id)
    await desk.rests()
    const { held } = await desk.show(id)
    expect(held).toMatchObject({ reason: 'No: not_enough_credits' })
    expect(Date.parse(held?.until ?? '') - desk.clock.now()).toBe(60 * minute)
    for (let hours = 0; hours < 12; hours += 1) await desk.pass(60 * minute)
    expect(mails.subjects().toSorted()).toEqual(['Hello Ann', 'Hello Bea'])
    expect(await desk.show(id)).toMatchObject({ held: null, steps: [{ sent: 2, failed: 0 }, {}] })
    expect(await mails.told()).toEqual(['Held back: the mails of “Welcome”'])
  })

  it('wait as long as the platform says when it was asked too often', async () => {
    await using mails = await openPlatformMails()
    const { desk, brevo } = mails
    await desk.addLeads('Ann')
    const { id } = await desk.create()
    brevo.mishaps.push({ ...brevo.says.quota, headers: { 'retry-after': '1800' } })
    await desk.activate(id)
    await desk.pass(29 * minute)
    expect(mails.subjects()).toEqual([])
    await desk.pass(minute)
    expect(mails.subjects()).toEqual(['Hello Ann'])
    expect(await mails.told()).toEqual([])
  })

  it('fail for an address that the platform does not take, and no other', async () => {
    await using mails = await openPlatformMails()
    const { desk, brevo } = mails
    await desk.addLeads('Ann', 'Bea')
    const { id } = await desk.create()
    brevo.mishaps.push({
      status: 400,
      body: { code: 'invalid_parameter', message: 'email is not valid in to' },
    })
    await desk.activate(id)
    await desk.rests()
    expect(mails.subjects()).toEqual(['Hello Bea'])
    expect((await desk.show(id)).steps[0]).toMatchObject({ sent: 1, failed: 1 })
  })

  it('wait for a grant that has ended, and go on once it is given again', async () => {
    await using mails = await openPlatformMails()
    const { desk, brevo } = mails
    await desk.addLeads('Ann')
    const { id } = await desk.create()
    brevo.mishaps.push(brevo.says.expired)
    await desk.activate(id)
    await desk.pass(2 * day)
    expect(mails.subjects()).toEqual([])
    await mails.connect()
    await desk.pass(10 * minute)
    expect(mails.subjects()).toEqual(['Hello Ann'])
    expect(await mails.own()).toEqual([])
  })

  it('are not sent again by another way that is chosen while one is handed over', async () => {
    await using mails = await openPlatformMails()
    const { desk, brevo } = mails
    await desk.addLeads('Ann')
    const sequence = await desk.create()
    const params = { channelId: await mails.channelId() }
    brevo.watchers?.push(async ({ path }) => {
      if (!path.endsWith('/smtp/email')) return
      await desk.people.admin.call('dashboard.channels.disconnect', { params })
      await desk.change(sequence, 1, { subject: 'Still here' })
      await desk.activate(sequence.id)
    })
    brevo.mishaps.push('cut after')
    await desk.activate(sequence.id)
    for (let minutes = 0; minutes < 10; minutes += 1) await desk.pass(minute)
    expect(mails.subjects()).toEqual(['Hello Ann'])
    expect(await mails.own()).toEqual([])
    expect((await desk.show(sequence.id)).steps[0]).toMatchObject({ sent: 0, unknown: 1 })
    await desk.pass(3 * day)
    expect(await mails.own()).toEqual(['Still here'])
  })

  it('are not sent by another way when a person disconnects the platform', async () => {
    await using mails = await openPlatformMails()
    const { desk } = mails
    await desk.addLeads('Ann')
    const { id } = await desk.create()
    await desk.activate(id)
    await desk.rests()
    const params = { channelId: await mails.channelId() }
    await desk.people.admin.call('dashboard.channels.disconnect', { params })
    await desk.pass(3 * day)
    expect(await desk.show(id)).toMatchObject({ status: 'paused' })
    expect(await mails.own()).toEqual([])
    expect(await mails.told()).toEqual(['Paused: the sequence “Welcome”'])
    await desk.activate(id)
    await desk.rests()
    expect(await mails.own()).toEqual(['Still there?'])
  })
})
