import { describe, expect, it } from 'vitest'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { bounceReport } from '../../kit/bounces.ts'
import { createTestMailServer, mailsOf, quiet, type TestMailServer } from '../../kit/mail.ts'
import { createOperator } from '../../kit/operator.ts'
import { admin, send } from '../../surfaces/auth/accounts.ts'

const by = ({ port }: TestMailServer) => ({
  from: 'Copydesk <desk@sender.example>',
  smtp: { host: '127.0.0.1', port },
})
const bytes = (text: string) => new TextEncoder().encode(text)

const invite = (app: TestApp, tenantId: string, email: string) =>
  app.copydesk.asSystem().invitations.create({ email, name: 'Eve', role: 'member', tenantId })
const suppressed = async (app: TestApp) =>
  (await app.copydesk.asSystem().mail.suppressed()).data.map(({ address, reason }) => [address, reason])
const forgot = (app: TestApp, email: string) => send(app, 'POST /forgot-password', { body: { email } })
const newest = async (app: TestApp, to: string) =>
  (
    await app.db.sql.get<{ id: string }>(
      'select id from sent_mails where address = ? order by id desc limit 1',
      [to],
    )
  )?.id ?? ''
const report = async (app: TestApp, to: string, parts: Partial<Parameters<typeof bounceReport>[0]> = {}) =>
  app.copydesk.asSystem().mail.receive(bytes(bounceReport({ mailId: await newest(app, to), ...parts })))

describe('an address that a mail server refuses', () => {
  it('is off: no further mail goes there, those concerned are told once, and an operator turns it on', async () => {
    let refuses = true
    let asked = 0
    await using server = await createTestMailServer({
      recipient(address) {
        if (address !== 'gone@test.example') return undefined
        asked += 1
        return refuses ? { code: 550, text: '5.1.1 no such mailbox' } : undefined
      },
    })
    await using app = await createTestApp({ mail: by(server), allowErrors: true })
    const { tenantId, ...team } = await app.team()
    const other = await app.team()
    const operator = await createOperator(app)
    const invited = await invite(app, tenantId, 'Gone@test.example')
    await quiet(app)
    expect(await suppressed(app)).toEqual([['gone@test.example', 'hard_bounce']])
    const told = (await team.admin.call('tenant', 'GET /notifications', { query: {} })).data
    expect(told).toMatchObject([{ title: 'No more e-mails go to gone@test.example' }])
    expect((await other.admin.call('tenant', 'GET /notifications', { query: {} })).data).toEqual([])

    const { mail, audit, invitations } = app.copydesk.asSystem()
    await invitations.resend(invited.id)
    await invite(app, tenantId, 'gone.too@test.example')
    await quiet(app)
    expect(asked).toBe(1)
    expect(server.taken.map(({ to }) => to[0])).toEqual([operator.email, 'gone.too@test.example'])
    expect(server.taken[0]?.mail.text).toContain('gone@test.example')
    expect(await app.copydesk.doctor()).toContainEqual(
      expect.objectContaining({
        name: 'mail addresses',
        ok: true,
        message: expect.stringMatching(/^1 turned off/),
      }),
    )

    refuses = false
    await mail.lift(' GONE@test.example ')
    await expect(mail.lift('gone@test.example')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await invitations.resend(invited.id)
    await quiet(app)
    expect(server.taken.at(-1)?.to).toEqual(['gone@test.example'])
    const { data } = await audit.list({})
    const acts = data.map(({ action }) => action).filter((action) => action.startsWith('mail.'))
    expect(acts).toEqual(['mail.unsuppressed', 'mail.suppressed'])
  })

  it('stays on where the server blames the mail, or its sender', async () => {
    const answers = [
      { code: 550, text: '5.7.1 relay access denied' },
      { code: 554, text: 'bad reputation' },
    ]
    await using server = await createTestMailServer({ recipient: () => answers.shift() })
    await using app = await createTestApp({ mail: by(server), allowErrors: true })
    const { tenantId } = await app.team()
    for (const name of ['one', 'two', 'three']) {
      await invite(app, tenantId, `${name}@test.example`)
      await quiet(app)
    }
    expect(await suppressed(app)).toEqual([])
    expect(server.taken).toHaveLength(1)
  })
})

describe('a mail that comes back', () => {
  it('turns the address off for good: hard at once, softly after three in a row, in any order', async () => {
    await using app = await createTestApp()
    const { tenantId } = await app.team()
    await invite(app, tenantId, 'hard@test.example')
    const { invitations } = app.copydesk.asSystem()
    const { id: invitation } = await invite(app, tenantId, 'soft@test.example')
    for (let i = 0; i < 3; i += 1) {
      await quiet(app)
      await invitations.resend(invitation)
    }
    await quiet(app)
    const full = { status: '5.2.2', said: 'smtp; 552 5.2.2 Mailbox full' }
    const ids = (
      await app.db.sql.all<{ id: string }>(
        `select id from sent_mails where address = 'soft@test.example' order by id`,
      )
    ).map(({ id }) => id)
    const [first = '', , third = '', fourth = ''] = ids
    const back = (mailId: string) => report(app, 'soft@test.example', { ...full, mailId })
    for (const id of [first, fourth, third, third])
      expect(await back(id)).toEqual({ outcome: 'noted', mailId: id })
    expect(await back(ids[1] ?? '')).toMatchObject({ outcome: 'suppressed' })
    const [one, two] = await Promise.all([report(app, 'hard@test.example'), report(app, 'hard@test.example')])
    expect([one?.outcome, two?.outcome].toSorted()).toEqual(['noted', 'suppressed'])
    expect(await suppressed(app)).toEqual([
      ['hard@test.example', 'hard_bounce'],
      ['soft@test.example', 'soft_bounces'],
    ])
    // Only its reader knows the id of a mail: a made-up report is about none.
    expect(await report(app, '', { mailId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' })).toMatchObject({
      outcome: 'unknown',
    })
    expect(await app.copydesk.asSystem().mail.receive(bytes('Subject: Hello\r\n\r\nHello'))).toEqual({
      outcome: 'other',
      mailId: null,
    })
    const before = await mailsOf(app)
    await invitations.resend(invitation)
    await quiet(app)
    expect(await mailsOf(app)).toHaveLength(before.length)
  })

  it('is not told to who asks for a new password, and nothing is sent', async () => {
    await using app = await createTestApp()
    await app.team()
    const address = admin
    await forgot(app, address)
    await quiet(app)
    expect(await report(app, address)).toMatchObject({ outcome: 'suppressed' })
    await quiet(app)
    const before = (await mailsOf(app)).length
    const answers = await Promise.all([forgot(app, address), forgot(app, 'nobody@test.example')])
    for (const { status, text } of answers) expect([status, text]).toEqual([204, ''])
    await quiet(app)
    expect(await mailsOf(app)).toHaveLength(before)
    const test = app.copydesk.asSystem().emailTemplates
    const template = (await test.list({})).data.find(({ slug }) => slug === 'test-mail')
    await expect(
      test.preview(template?.id ?? '', { to: address, sampleVariables: { url: 'https://desk.example' } }),
    ).rejects.toMatchObject({ code: 'UNPROCESSABLE' })
  })
})
