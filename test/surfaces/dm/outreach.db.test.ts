import { describe, expect, it } from 'vitest'
import { createTestMailServer, mailsOf, type TestMailServer } from '../../kit/mail.ts'
import { letter, openOutreachDesk } from '../../kit/outreach.ts'
import { day, minute } from '../../kit/sequences.ts'

const unprocessable = { code: 'UNPROCESSABLE' }
const refusal = (call: Promise<unknown>) =>
  call.then(
    () => 'was not refused',
    (error: unknown) => error,
  )
const by = ({ port }: TestMailServer) => ({
  mail: { smtp: { host: '127.0.0.1', port }, from: 'desk@sender.example' },
})
/** To strangers, beside the mails that tell people. */
const outside = ({ taken }: TestMailServer) =>
  taken.flatMap(({ to }) => to.filter((address) => !address.endsWith('@test.example')))

describe('dm.campaigns.send', () => {
  it('sends what was written to the addresses of the brief, once approved, and each mail once', async () => {
    await using desk = await openOutreachDesk()
    expect(await refusal(desk.send())).toMatchObject(unprocessable)
    const activityId = await desk.write()
    expect(await refusal(desk.send())).toMatchObject(unprocessable)
    await desk.approve(activityId)
    expect(await desk.said(activityId)).toEqual(['2 outreach mails can be sent'])
    expect(await desk.became()).toEqual({
      'ann@weekly.example': 'approved',
      'bea@crumbs.example': 'approved',
    })

    const params = { campaignId: desk.campaignId }
    const sent = await desk.team.reviewer.call('dm', 'POST /campaigns/:campaignId/send', { params })
    expect(sent).toEqual({ queued: 2, skipped: [] })
    await desk.pass(minute)
    expect(await desk.send()).toEqual({ queued: 0, skipped: [] })
    await desk.pass(minute)
    const mails = (await mailsOf(desk.app)).filter(({ to }) => /weekly|crumbs/i.test(to))
    expect(mails.map(({ to }) => to).toSorted()).toEqual(['Bea@crumbs.example', 'ann@weekly.example'])
    expect(mails[0]?.text).toContain('Would a link to it fit on one of your pages?')
    expect(mails[0]?.text).not.toMatch(/^(To|Subject):|Before this goes out|Editor/m)
    const reviewer = await desk.app.db.sql.get<{ email: string }>('select email from users where id = ?', [
      desk.team.reviewerId,
    ])
    expect(mails[0]?.headers.get('reply-to')).toBe(reviewer?.email)
    expect(mails[0]?.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
    expect((await desk.said(activityId)).filter((line) => line.startsWith('Sent: '))).toHaveLength(2)
  })

  it('sends each mail once when several ask at the same moment', async () => {
    await using desk = await openOutreachDesk()
    const names = Array.from({ length: 20 }, (_, n) => `guest${n}@site.example`)
    await desk.approved(names.map((name) => letter(name)).join(''))
    const answers = await Promise.all([desk.send(), desk.send(), desk.send()])
    expect(answers.map(({ queued }) => queued).toSorted((a, b) => a - b)).toEqual([0, 0, 20])
    await desk.pass(minute)
    const to = (await mailsOf(desk.app)).map((mail) => mail.to).filter((one) => one.endsWith('@site.example'))
    expect(to.toSorted()).toEqual(names.toSorted())
  })

  it('sends the letters of a text that can be sent, and says why not the others', async () => {
    await using desk = await openOutreachDesk()
    const activityId = await desk.approved(
      [
        letter('ok@site.example'),
        letter('(the address of the editor)'),
        letter('ok@site.example', 'Again'),
        letter('"Dot" <dot@site.example>', 'Hello [name], hello.'),
        letter('open@site.example', 'Hello {{firstName}}'),
        letter('a@site.example, b@site.example'),
        letter('long@site.example', 'x'.repeat(20_001)),
        '## Notes\n\nNot a letter.\n',
      ].join(''),
    )
    expect(await desk.became()).toEqual({ 'ok@site.example': 'approved' })
    const [said] = await desk.said(activityId)
    expect(said).toMatch(/^1 outreach mail can be sent; not taken: /)
    for (const why of ['no e-mail address', 'second one', 'not filled in', 'too long'])
      expect(said).toContain(why)
  })

  it('sends nothing of a text that is not the approved one any more, and what is approved in its place', async () => {
    await using desk = await openOutreachDesk()
    const activityId = await desk.approved(letter('ann@site.example', 'The approved words'))
    await desk.app.db.write((tx) =>
      tx.run(`update outputs set sha256 = ? where activity_id = ?`, ['0'.repeat(64), activityId]),
    )
    expect(await desk.send()).toMatchObject({
      queued: 0,
      skipped: [{ to: 'ann@site.example', reason: 'changed' }],
    })
    expect(await desk.became()).toEqual({ 'ann@site.example': 'approved' })
  })

  it('lays a letter up once when two texts to the same address are approved at the same moment', async () => {
    await using desk = await openOutreachDesk()
    const texts = [await desk.write(), await desk.write(), await desk.write()]
    const to = ['ann@site.example', 'bea@site.example', 'cid@site.example']
    await Promise.all(
      texts.map((activityId, n) =>
        desk.approve(activityId, (n % 2 === 0 ? to : to.toReversed()).map((one) => letter(one)).join('')),
      ),
    )
    expect(Object.keys(await desk.became())).toEqual(to)
    expect(await desk.send()).toMatchObject({ queued: 3, skipped: [] })
  })

  it('sends what is approved though many letters before it are not any more', async () => {
    await using desk = await openOutreachDesk()
    const changed: string[] = []
    for (const text of ['a', 'b'])
      changed.push(
        await desk.approved(
          Array.from({ length: 50 }, (_, n) => letter(`${text}${n}@site.example`)).join(''),
        ),
      )
    await desk.approved(letter('ann@other.example'))
    await desk.app.db.write(async (tx) => {
      for (const activityId of changed)
        await tx.run('update outputs set sha256 = ? where activity_id = ?', ['0'.repeat(64), activityId])
    })
    const { queued, skipped } = await desk.send()
    expect([queued, skipped.length]).toEqual([1, 100])
    await desk.pass(minute)
    expect((await desk.became())['ann@other.example']).toBe('sent')
  })

  it('sends a newer text in place of one that was stopped because it had changed', async () => {
    await using desk = await openOutreachDesk()
    await desk.approved(letter('ann@site.example', 'The first words'))
    // As the mail of an older text of the same piece that was found changed right before it left.
    const later = await desk.write()
    await desk.app.db.write((tx) =>
      tx.run(`update outreach_mails set status = 'stopped', activity_id = ?`, [later]),
    )
    await desk.approve(later, letter('ann@site.example', 'The second words'))
    await desk.send()
    await desk.pass(minute)
    const [mail] = (await mailsOf(desk.app)).filter((one) => one.to === 'ann@site.example')
    expect(mail?.text).toContain('The second words')
  })

  it('waits while the campaign stands still, and refuses to begin', async () => {
    await using desk = await openOutreachDesk()
    await desk.approved(letter('ann@site.example'))
    await desk.setCampaign('paused')
    expect(await refusal(desk.send())).toMatchObject(unprocessable)
    await desk.setCampaign('active')
    await desk.app.db.write((tx) => tx.run(`update tenants set awaits_payment = ?`, [true]))
    await desk.send()
    await desk.pass(30 * minute)
    expect(await desk.became()).toEqual({ 'ann@site.example': 'waiting' })
    await desk.app.db.write((tx) => tx.run(`update tenants set awaits_payment = ?`, [false]))
    await desk.pass(30 * minute)
    expect(await desk.became()).toEqual({ 'ann@site.example': 'sent' })
  })

  it('writes to no one who has unsubscribed, in this campaign or any other', async () => {
    await using desk = await openOutreachDesk()
    await desk.approved(letter('ann@site.example'))
    await desk.send()
    await desk.pass(minute)
    const [mail] = (await mailsOf(desk.app)).filter(({ to }) => to === 'ann@site.example')
    const link = new URL((mail?.headers.get('list-unsubscribe') ?? '').replace(/^<|>$/g, '')).pathname
    expect(await (await desk.app.fetch(link)).text()).toContain('no more messages of this kind from Oats')
    // Programs that read mails ask several times at once.
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => desk.app.fetch(link, { method: 'POST' })),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
    expect(await desk.app.db.sql.all('select address from mail_opt_outs')).toEqual([
      { address: 'ann@site.example' },
    ])
    await desk.app.db.write((tx) => tx.run(`update outreach_mails set status = 'approved'`))
    expect(await desk.send()).toMatchObject({ queued: 0, skipped: [{ reason: 'unsubscribed' }] })
    expect(await desk.became()).toEqual({ 'ann@site.example': 'stopped' })
  })
})

describe('outreach when mail servers fail', () => {
  it('is never sent again when no answer came, and the sender is told', async () => {
    await using server = await createTestMailServer({ hangUp: true })
    await using desk = await openOutreachDesk(by(server))
    await desk.approved(letter('ann@site.example'))
    await desk.send()
    await desk.pass(2 * day)
    expect(await desk.became()).toEqual({ 'ann@site.example': 'unknown' })
    const attempts = await desk.app.db.sql.get<{ n: number }>('select attempts as n from outreach_mails')
    expect(attempts?.n).toBe(1)
    const told = await desk.app.db.sql.all(
      `select 1 from notifications where user_id = ? and title like 'Perhaps not sent%'`,
      [desk.team.reviewerId],
    )
    expect(told).toHaveLength(1)
  })

  it('is tried again when it was certainly not taken, and arrives once', async () => {
    const answers = [451, 421, 450].map((code) => ({ code, text: 'try again later' }))
    await using server = await createTestMailServer({ refusal: () => answers.shift() })
    await using desk = await openOutreachDesk(by(server))
    await desk.approved(letter('ann@site.example'))
    await desk.send()
    for (let minutes = 0; minutes < 30; minutes += 5) await desk.pass(5 * minute)
    expect(outside(server)).toEqual(['ann@site.example'])
    expect(await desk.became()).toEqual({ 'ann@site.example': 'sent' })
  })

  it('is in doubt when the server died with it', async () => {
    await using server = await createTestMailServer()
    await using desk = await openOutreachDesk(by(server))
    await desk.approved(letter('ann@site.example'))
    await desk.send()
    await desk.pass(minute)
    // As a process leaves it that dies between the answer of the mail server and its note of it.
    await desk.app.db.write((tx) =>
      tx.run(`update outreach_mails set status = 'sending', until = ?`, [desk.clock.date()]),
    )
    for (let minutes = 0; minutes < 20; minutes += 5) await desk.pass(5 * minute)
    expect(outside(server)).toEqual(['ann@site.example'])
    expect(await desk.became()).toEqual({ 'ann@site.example': 'unknown' })
  })
})
