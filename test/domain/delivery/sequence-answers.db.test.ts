import { describe, expect, it } from 'vitest'
import { mailsOf } from '../../kit/mail.ts'
import { day, type MailDesk, openMailDesk } from '../../kit/sequences.ts'

/** A mail as it comes to the address that the desk sends from. */
const answerTo = (messageId: string, ...headers: string[]) =>
  Buffer.from([`In-Reply-To: ${messageId}`, 'Subject: Re: Hello', ...headers, '', 'Thank you'].join('\r\n'))

const receive = ({ app }: MailDesk, raw: Uint8Array) => app.copydesk.asSystem().mail.receive(raw)

const lastTo = async ({ app }: MailDesk, name: string) =>
  (await mailsOf(app)).findLast(({ to }) => to.toLowerCase().startsWith(name))

const messageId = async (desk: MailDesk, name: string) =>
  (await lastTo(desk, name))?.headers.get('message-id') ?? ''

const told = ({ app, team }: MailDesk) =>
  app.db.sql.all(`select 1 from notifications where user_id = ? and title = 'Ann Field has answered'`, [
    team.adminId,
  ])

describe('an answer to a mail of a sequence', () => {
  it('ends the sequence for its sender alone, and is told once', async () => {
    await using desk = await openMailDesk()
    const [annId = ''] = await desk.addLeads('Ann', 'Bea')
    const { id } = await desk.create()
    await desk.activate(id)
    await desk.rests()
    const raw = answerTo(await messageId(desk, 'ann@'))
    for (let n = 0; n < 2; n += 1) expect(await receive(desk, raw)).toMatchObject({ outcome: 'answered' })
    await desk.pass(4 * day)
    expect((await lastTo(desk, 'ann@'))?.subject).toBe('Hello Ann')
    expect((await lastTo(desk, 'bea@'))?.subject).toBe('Still there?')
    expect(await desk.show(id)).toMatchObject({ contacts: { done: 1, stopped: 1 } })
    expect(await told(desk)).toHaveLength(1)
    const { timeline } = await desk.people.member.call('dashboard.leads.get', { params: { leadId: annId } })
    expect(JSON.stringify(timeline)).toContain('Answered a mail of Welcome')
  })

  it('changes nothing when a program has answered, or when it answers no mail of a sequence', async () => {
    await using desk = await openMailDesk()
    await desk.addLeads('Ann')
    const { id } = await desk.create()
    await desk.activate(id)
    await desk.rests()
    const sent = await messageId(desk, 'ann@')
    for (const raw of [
      answerTo(sent, 'Auto-Submitted: auto-replied'),
      answerTo('<01KNV9X7M0Y8TPXHY4N74S82MZ@sender.example>'),
      Buffer.from('Subject: Hello\r\n\r\nHello'),
    ])
      expect(await receive(desk, raw)).toEqual({ outcome: 'other', mailId: null })
    await desk.pass(4 * day)
    expect((await lastTo(desk, 'ann@'))?.subject).toBe('Still there?')
    expect(await told(desk)).toEqual([])
  })
})
