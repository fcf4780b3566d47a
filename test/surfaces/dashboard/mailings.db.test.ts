import { describe, expect, it } from 'vitest'
import { sha256Hex } from '../../../packages/core/src/platform/crypto/hash.ts'
import { silentLogger } from '../../../packages/core/src/platform/logger.ts'
import { mailsOf } from '../../kit/mail.ts'
import { type Newsroom, newsletterText, openNewsroom } from '../../kit/mailings.ts'
import { minute } from '../../kit/sequences.ts'

/** How a call is refused. */
const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'was not refused',
    ({ code, field }: { code: string; field?: string }) => ({ code, ...(field && { field }) }),
  )
const unprocessable = { code: 'UNPROCESSABLE' }
const conflict = { code: 'CONFLICT' }

/** The mails to leads, by the first part of their addresses. */
const received = async ({ app }: Newsroom) =>
  (await mailsOf(app))
    .filter(({ to }) => to.toLowerCase().includes('@site.example'))
    .map(({ to }) => to.toLowerCase().split('@')[0] ?? '')
    .toSorted((a, b) => (a < b ? -1 : 1))

describe('dashboard.mailings.create, dashboard.mailings.get, dashboard.mailings.list', () => {
  it('sends an approved newsletter to each lead once, in its words and with a way out', async () => {
    await using room = await openNewsroom()
    await room.addLeads('Ann', '<b>Bea')
    const activityId = await room.newsletter()
    const mailing = await room.mail(activityId)
    expect(mailing).toMatchObject({
      activityId,
      subject: 'News from the bakery',
      status: 'sending',
      scheduledFor: null,
      audience: { statuses: [], sources: [], tag: null },
      mails: { sent: 0, failed: 0, unknown: 0 },
      approvedBy: expect.any(String),
    })
    await room.quiet()
    const [ann, bea, ...more] = (await mailsOf(room.app)).filter(({ to }) => /site\.example/i.test(to))
    expect(more).toEqual([])
    expect(ann).toMatchObject({ subject: 'News from the bakery' })
    expect(ann?.headers.get('from')).toMatch(/^Tenant 1 <.+@.+>$/)
    expect(ann?.text).toContain('Dear Ann,')
    expect(ann?.text).toContain('see them https://oats.example/rye')
    expect(ann?.text).toMatch(/Unsubscribe: http:\/\/127\.0\.0\.1:1\/forms\/v1\/unsubscribe\/\w{32}/)
    expect(ann?.html).toContain('<strong>ovens</strong>')
    // What is said about a text is none of it.
    expect(`${ann?.text}${ann?.html}`).not.toMatch(/Subject|Preview/)
    expect(ann?.html).toContain('<div style="display:none">The ovens are on &amp; hot</div>')
    expect(ann?.html).toContain('<a href="https://oats.example/rye">see them</a>')
    expect(ann?.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
    // Neither a text nor the name of a lead is HTML.
    expect(ann?.html).not.toContain('<script')
    expect(bea?.html).toContain('Dear &lt;b&gt;Bea,')
    const sent = await room.showMailing(mailing.id)
    expect(sent).toMatchObject({
      status: 'sent',
      recipients: { waiting: 0, done: 2, stopped: 0 },
      mails: { sent: 2, failed: 0, unknown: 0 },
    })
    const { data } = await room.admin.call('dashboard.mailings.list', {
      query: { 'filter.activityId': activityId },
    })
    expect(data).toEqual([sent])
    expect(await room.notices()).toEqual([])
    // Neither those who come later nor another mailing get it again.
    await room.addLeads('Cleo')
    await room.pass(60 * minute)
    expect(await refusal(room.mail(activityId))).toEqual(conflict)
    expect(await received(room)).toHaveLength(2)
    // It is no sequence of its campaign.
    const params = { campaignId: mailing.campaignId }
    expect((await room.admin.call('tenant.campaigns.sequences', { params })).data).toEqual([])
    const campaign = await room.admin.call('tenant.campaigns.get', { params })
    expect(campaign.sequences).toEqual([])
    const activate = room.admin.call('tenant.campaigns.activate_sequence', {
      params: { ...params, sequenceId: mailing.id },
    })
    expect(await refusal(activate)).toEqual({ code: 'NOT_FOUND' })
  })

  it('is for whom it is meant: customers as well, but no one who is unqualified, has unsubscribed or has no such tag', async () => {
    await using room = await openNewsroom()
    const [won = '', lost = '', gone = ''] = await room.addLeads('Won', 'Lost', 'Gone', 'Plain')
    const change = (leadId: string, body: object) =>
      room.admin.call('dashboard.leads.change', { params: { leadId }, body })
    await change(won, { status: 'converted', tags: ['club'] })
    await change(lost, { status: 'unqualified', tags: ['club'] })
    await change(gone, { tags: ['club'] })
    await room.app.db.write((tx) =>
      tx.run('insert into mail_opt_outs (tenant_id, address, at) values (?, ?, ?)', [
        room.team.tenantId,
        'gone@site.example',
        room.clock.date(),
      ]),
    )
    await room.mail(await room.newsletter(), { audience: { tag: 'club' } })
    await room.quiet()
    expect(await received(room)).toEqual(['won'])
  })

  it('waits for its time, and goes to those who are leads then', async () => {
    await using room = await openNewsroom()
    const scheduleFor = new Date(room.clock.now() + 90 * minute).toISOString()
    const { id, status } = await room.mail(await room.newsletter(), { scheduleFor })
    expect(status).toBe('scheduled')
    await room.pass(80 * minute)
    await room.addLeads('Late')
    expect(await received(room)).toEqual([])
    await room.pass(15 * minute)
    expect(await received(room)).toEqual(['late'])
    expect(await room.showMailing(id)).toMatchObject({ status: 'sent', scheduledFor: scheduleFor })
  })

  it('refuses what no one has approved, what is no newsletter, and what no lead could read', async () => {
    await using room = await openNewsroom()
    expect(await refusal(room.mail(await room.approved('# A post')))).toEqual(unprocessable)
    const unknown = await room.newsletter('# News\n\nDear {{lead.password}}')
    expect(await refusal(room.mail(unknown))).toEqual(unprocessable)
    const long = await room.newsletter(`# News\n\n${'x'.repeat(100_000)}`)
    expect(await refusal(room.mail(long))).toEqual(unprocessable)
    const edited = await room.newsletter()
    await edit(room, edited)
    expect(await refusal(room.mail(edited))).toEqual(unprocessable)
    expect((await room.admin.call('dashboard.mailings.list', {})).data).toEqual([])
  })
})

describe('dashboard.mailings.pause, dashboard.mailings.resume, dashboard.mailings.cancel', () => {
  it('stop in the middle, go on without a double, and end for good', async () => {
    await using room = await openNewsroom()
    const names = Array.from({ length: 103 }, (_, n) => `Lead${n}`)
    await room.addLeads(...names)
    const activityId = await room.newsletter()
    const { id } = await room.mail(activityId)
    await room.quiet()
    // A hundred a minute.
    expect(await received(room)).toHaveLength(100)
    expect(await room.change(id, 'pause')).toMatchObject({ status: 'paused' })
    expect(await refusal(room.change(id, 'pause'))).toEqual(conflict)
    await room.pass(30 * minute)
    expect(await received(room)).toHaveLength(100)
    expect(await room.change(id, 'resume')).toMatchObject({ status: 'sending' })
    await room.quiet()
    const all = await received(room)
    expect(all).toHaveLength(103)
    expect(new Set(all).size).toBe(103)
    expect(await refusal(room.change(id, 'cancel'))).toEqual(conflict)
  })

  it('leaves a newsletter free for another mailing where no mail of the first was handed over', async () => {
    await using room = await openNewsroom()
    await room.addLeads('Ann')
    const activityId = await room.newsletter()
    const scheduleFor = new Date(room.clock.now() + 60 * minute).toISOString()
    const first = await room.mail(activityId, { scheduleFor })
    expect(await refusal(room.mail(activityId))).toEqual(conflict)
    expect(await room.change(first.id, 'cancel')).toMatchObject({ status: 'cancelled' })
    const second = await room.mail(activityId)
    await room.pass(120 * minute)
    expect(await received(room)).toEqual(['ann'])
    expect(await room.showMailing(first.id)).toMatchObject({ status: 'cancelled', mails: { sent: 0 } })
    expect(await refusal(room.change(first.id, 'resume'))).toEqual(conflict)
    expect(await room.showMailing(second.id)).toMatchObject({ status: 'sent' })
  })

  it('loses no mail that could not be written, and sends each once when it can be', async () => {
    await using room = await openNewsroom({ log: silentLogger })
    await room.addLeads('Ann', 'Bea')
    const activityId = await room.newsletter()
    await room.admin.call('dashboard.publications.set_link_tags', { body: { hosts: ['oats.example'] } })
    // As no request could leave it: links cannot be tagged, and so no mail can be made.
    await room.app.db.write((tx) => tx.run(`update link_tagging set hosts = '5'`))
    const { id } = await room.mail(activityId)
    await room.quiet()
    expect(await room.showMailing(id)).toMatchObject({ status: 'sending', mails: { sent: 0, unknown: 0 } })
    await room.app.db.write((tx) => tx.run(`update link_tagging set hosts = '["oats.example"]'`))
    await room.pass(2 * minute)
    expect(await received(room)).toEqual(['ann', 'bea'])
    expect(await room.showMailing(id)).toMatchObject({
      status: 'sent',
      mails: { sent: 2, failed: 0, unknown: 0 },
    })
  })

  it('pauses by itself when the text is not the approved one any more, and says so', async () => {
    await using room = await openNewsroom()
    await room.addLeads('Ann')
    const activityId = await room.newsletter()
    const scheduleFor = new Date(room.clock.now() + 60 * minute).toISOString()
    const { id } = await room.mail(activityId, { scheduleFor })
    await edit(room, activityId)
    await room.pass(120 * minute)
    expect(await received(room)).toEqual([])
    expect(await room.showMailing(id)).toMatchObject({ status: 'paused', recipients: { waiting: 1 } })
    expect(await refusal(room.change(id, 'resume'))).toEqual(unprocessable)
    const told = await room.app.db.sql.all<{ title: string }>(
      `select title from notifications where user_id = ? and title like 'Paused%'`,
      [room.team.adminId],
    )
    expect(told).toEqual([{ title: 'Paused: the mailing “News from the bakery”' }])
  })
})

describe('dashboard.mailings.test', () => {
  it('mails a newsletter to the one who asks and to no lead, before anyone has approved it', async () => {
    await using room = await openNewsroom()
    await room.addLeads('Ann')
    const activityId = await room.newsletter()
    await edit(room, activityId, `${newsletterText}\nAnd rye.`)
    const params = { activityId }
    const answer = await room.admin.call('dashboard.mailings.test', { params })
    expect(answer).toMatchObject({ subject: 'News from the bakery', to: expect.stringContaining('@') })
    await room.quiet()
    const mails = (await mailsOf(room.app)).filter(({ subject }) => subject.startsWith('[Test]'))
    expect(mails.map(({ to }) => to)).toEqual([answer.to])
    expect(mails[0]?.text).toContain('And rye.')
    expect(mails[0]?.text).toContain('only you get')
    expect(mails[0]?.headers.has('list-unsubscribe')).toBe(false)
    expect(await received(room)).toEqual([])
    const post = { activityId: await room.approved('# A post') }
    expect(await refusal(room.admin.call('dashboard.mailings.test', { params: post }))).toEqual(unprocessable)
  })
})

/** Changes the text, so that no verdict covers it. */
const edit = ({ app }: Newsroom, activityId: string, text = '# Other news') =>
  app.db.write((tx) =>
    tx.run('update outputs set text = ?, sha256 = ? where activity_id = ?', [
      text,
      sha256Hex(text),
      activityId,
    ]),
  )
