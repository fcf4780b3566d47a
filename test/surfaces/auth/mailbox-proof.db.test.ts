import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, password, type Team, type TestApp } from '../../kit/app.ts'
import { mailsOf, type ReadMail, tokenIn } from '../../kit/mail.ts'
import { accept, join, logIn } from '../joining.ts'
import { send } from './accounts.ts'

let app: TestApp
/** Whose admin takes addresses, and the real company. */
let taker: Team
let company: Team

beforeAll(async () => {
  app = await createTestApp()
  taker = await app.team('Taker')
  company = await app.team('Company')
})
afterAll(() => app[Symbol.asyncDispose]())

type Invited = 'admin' | 'member' | 'reviewer'
const next = 'Another-horse-2'

const invite = (team: Team, email: string, role: Invited = 'reviewer') =>
  team.admin.call('dashboard', 'POST /team/invite', { body: { email, name: 'Vic Victim', role } })

const tokenOf = (url: string) => new URL(url).searchParams.get('token') ?? ''

/** The token of the one mail to an address with some words in its subject and, for an invitation, the tenant's name in its text. */
function mailed(email: string, words: string, name = ''): Promise<string> {
  const fits = (mail: ReadMail) =>
    mail.to.includes(email) && mail.subject.includes(words) && mail.text.includes(name)
  return app.until(async () => {
    const mail = (await mailsOf(app)).find(fits)
    return mail && tokenIn(mail)
  }, `a mail about “${words}” is sent to ${email}`)
}

const invitation = (email: string, to = 'Company') => mailed(email, 'You are invited', `“${to}”`)

const acceptWith = (token: string, given = password) =>
  send(app, `POST /invitations/${token}/accept`, { body: { password: given } })

const forgot = async (email: string) => {
  await send(app, 'POST /forgot-password', { body: { email } })
  const token = await mailed(email, 'new password')
  return send(app, 'POST /reset-password', { body: { token, newPassword: next } })
}

/** The tenants that a reviewer sees, by a token. */
async function seen(token: string): Promise<string[]> {
  const { data } = await app.clientFor(token).call('dm', 'GET /team')
  return [...new Set(data.map(({ tenantId }) => tenantId))].toSorted()
}

const log = async (email: string, given: string, to = 'dm-portal') =>
  send(app, 'POST /login', { body: { email, password: given, app: to } })

describe('the link shown to an inviter', () => {
  it('differs from the mailed link; the first one used counts', async () => {
    const [one, two] = ['both.one@test.example', 'both.two@test.example']
    for (const email of [one, two]) {
      const { inviteUrl } = await invite(company, email, 'member')
      const fromMail = await invitation(email)
      expect(tokenOf(inviteUrl)).not.toBe(fromMail)
      const [used, other] = email === one ? [tokenOf(inviteUrl), fromMail] : [fromMail, tokenOf(inviteUrl)]
      const { status, json } = await acceptWith(used)
      expect(status).toBe(200)
      const me = await send(app, 'GET /me', { token: json.accessToken })
      expect(me.json.mailboxProved).toBe(email === two)
      expect((await acceptWith(other)).status).toBe(404)
    }
  })

  it('creates an account that reaches the inviting tenant only, whatever roles it is given later', async () => {
    const email = 'victim@bigcorp.example'
    const { inviteUrl } = await invite(taker, email)
    const thief = await accept(app, inviteUrl)
    expect(await seen(thief.accessToken)).toEqual([taker.tenantId])
    const { id } = thief.user
    const { key } = await app.copydesk.asSystem().apiKeys.create({ userId: id, name: 'Program' })
    // The operator takes the account for the person, and the company invites the person.
    expect(await app.copydesk.asSystem().users.assign(id, company.tenantId)).toEqual({ pending: true })
    const { inviteUrl: link } = await invite(company, email)
    expect(await seen(thief.accessToken)).toEqual([taker.tenantId])
    expect(await seen((await logIn(app, email, 'dm-portal')).accessToken)).toEqual([taker.tenantId])
    const handed = await acceptWith(tokenOf(link))
    expect(handed).toMatchObject({ status: 409, json: { error: { code: 'CONFLICT' } } })
    expect(await seen(thief.accessToken)).toEqual([taker.tenantId])

    expect((await forgot(email)).status).toBe(204)
    expect((await send(app, 'GET /me', { token: thief.accessToken })).status).toBe(401)
    const { refreshToken } = thief
    expect((await send(app, 'POST /refresh', { body: { refreshToken } })).status).toBe(401)
    const byKey = await app.fetch('/cli/v1/status', { headers: { authorization: `ApiKey ${key}` } })
    expect(byKey.status).toBe(401)
    expect((await log(email, password)).status).toBe(401)
    const owner = await log(email, next)
    expect(await seen(owner.json.accessToken)).toEqual([taker.tenantId, company.tenantId].toSorted())
  })

  it('does not change an existing account, whose owner accepts the next invitation by e-mail', async () => {
    const email = 'rita.real@bigcorp.example'
    const thief = await accept(app, (await invite(taker, email)).inviteUrl)
    await invite(company, email)
    const token = await invitation(email)
    const shown = await send(app, `GET /invitations/${token}`)
    expect(shown.json).toMatchObject({ email, tenantName: 'Company', account: 'new' })
    const owner = await acceptWith(token, next)
    expect(owner.status).toBe(200)
    expect(await seen(owner.json.accessToken)).toEqual([taker.tenantId, company.tenantId].toSorted())
    expect((await send(app, 'GET /me', { token: thief.accessToken })).status).toBe(401)
    expect((await log(email, password)).status).toBe(401)
  })

  it('does not reserve the address: the owner’s mailed invitation creates another account', async () => {
    const email = 'mia.real@bigcorp.example'
    const thief = await accept(app, (await invite(taker, email, 'member')).inviteUrl)
    await invite(company, email, 'admin')
    const owner = await acceptWith(await invitation(email), next)
    expect(owner).toMatchObject({
      status: 200,
      json: { user: { role: 'admin', tenantId: company.tenantId } },
    })
    expect(owner.json.user.id).not.toBe(thief.user.id)
    expect((await send(app, 'GET /me', { token: thief.accessToken })).status).toBe(401)
    expect((await log(email, password, 'dashboard')).status).toBe(401)
    const left = await taker.admin.call('dashboard', 'GET /team', {
      query: { 'filter.status': 'terminated' },
    })
    expect(left.data).toMatchObject([{ id: thief.user.id }])
    expect(JSON.stringify(left)).not.toContain(email)
  })

  it('grants no higher role before the mailbox is verified', async () => {
    const email = 'mo.member@test.example'
    const mo = await accept(app, (await invite(taker, email, 'member')).inviteUrl)
    const change = (role: 'admin' | 'member') =>
      taker.admin.call('dashboard', 'PATCH /team/users/:userId', {
        params: { userId: mo.user.id },
        body: { role },
      })
    expect(await change('admin')).toMatchObject({ role: 'member', pendingRole: 'admin' })
    const body = { email: 'friend@test.example', name: 'F', role: 'member' as const }
    await expect(mo.client.call('dashboard', 'POST /team/invite', { body })).rejects.toMatchObject({
      status: 403,
    })
    expect((await logIn(app, email)).user.role).toBe('member')
    // Taken back, and given again.
    expect(await change('member')).not.toHaveProperty('pendingRole')
    await change('admin')
    expect((await forgot(email)).status).toBe(204)
    expect((await log(email, next, 'dashboard')).json.user.role).toBe('admin')
  })

  it('verifies nothing for a returning user, whatever was verified before', async () => {
    const other = await join(app, company, 'back-again', 'member')
    await forgot(other.email)
    const remove = { params: { userId: other.id } }
    await company.admin.call('dashboard', 'DELETE /team/users/:userId', remove)
    const back = await accept(app, (await invite(company, other.email, 'member')).inviteUrl)
    expect(back.user.id).toBe(other.id)
    expect((await back.client.call('auth', 'GET /me')).mailboxProved).toBe(false)
  })
})

describe('an account with a verified mailbox', () => {
  it('joins a tenant that invites it once the mailed link is accepted with its password', async () => {
    const email = 'rob.reviewer@test.example'
    await invite(taker, email)
    const rob = await acceptWith(await invitation(email, 'Taker'))
    const { inviteUrl } = await invite(company, email)
    expect((await acceptWith(tokenOf(inviteUrl))).status).toBe(409)
    const token = await invitation(email)
    expect(await seen(rob.json.accessToken)).toEqual([taker.tenantId])
    expect((await send(app, `GET /invitations/${token}`)).json.account).toBe('existing')
    expect((await send(app, `GET /invitations/${tokenOf(inviteUrl)}`)).json.account).toBe('new')
    expect(await acceptWith(token, next)).toMatchObject({
      status: 400,
      json: { error: { field: 'password' } },
    })
    const both = await acceptWith(token)
    expect(both).toMatchObject({ status: 200, json: { user: { id: rob.json.user.id } } })
    expect(await seen(both.json.accessToken)).toEqual([taker.tenantId, company.tenantId].toSorted())
    await expect(invite(company, email)).rejects.toMatchObject({ status: 409, code: 'CONFLICT' })
  })

  it('belongs to one team: invitations of another team are rejected, without revealing the reason to the inviter', async () => {
    const other = await join(app, taker, 'belongs-here', 'member')
    const { inviteUrl, ...rest } = await invite(company, other.email, 'member')
    const unknown = await invite(company, 'nobody.yet@test.example', 'member')
    expect(Object.keys({ inviteUrl, ...rest }).toSorted()).toEqual(Object.keys(unknown).toSorted())
    const token = await invitation(other.email)
    for (const link of [token, tokenOf(inviteUrl)]) expect((await acceptWith(link)).status).toBe(409)
    expect((await logIn(app, other.email)).user.tenantId).toBe(taker.tenantId)
    await expect(invite(taker, other.email)).rejects.toMatchObject({ status: 409, code: 'CONFLICT' })
  })

  it('that an operator created gets roles from operators at once', async () => {
    const email = 'ola.operated@test.example'
    const system = app.copydesk.asSystem()
    const { id } = await system.users.create({
      email,
      name: 'Ola',
      password,
      role: 'reviewer',
      tenantIds: [taker.tenantId],
    })
    expect(await system.users.assign(id, company.tenantId)).toEqual({ pending: false })
    const { accessToken } = await logIn(app, email, 'dm-portal')
    expect(await seen(accessToken)).toEqual([taker.tenantId, company.tenantId].toSorted())
  })
})

describe('auth.mailbox.confirm', () => {
  const confirm = (token: string, bearer: string) =>
    send(app, 'POST /me/mailbox', { body: { token }, token: bearer })

  it('accepts the mailed token only from its logged-in user', async () => {
    const email = 'cora.confirms@test.example'
    const cora = await accept(app, (await invite(taker, email)).inviteUrl)
    await app.copydesk.asSystem().users.assign(cora.user.id, company.tenantId)
    const token = await mailed(email, 'Confirm your address')
    const wrong = { status: 400, json: { error: { code: 'VALIDATION_ERROR', field: 'token' } } }
    expect(await confirm(token, taker.adminToken)).toMatchObject(wrong)
    expect(await confirm('garbage', cora.accessToken)).toMatchObject(wrong)
    expect(await confirm(cora.accessToken, cora.accessToken)).toMatchObject(wrong)
    expect((await confirm(token, token)).status).toBe(401)
    expect(await seen(cora.accessToken)).toEqual([taker.tenantId])
    for (let time = 0; time < 2; time += 1)
      expect(await confirm(token, cora.accessToken)).toMatchObject({
        status: 200,
        json: { mailboxProved: true },
      })
    const { accessToken } = await logIn(app, email, 'dm-portal')
    expect(await seen(accessToken)).toEqual([taker.tenantId, company.tenantId].toSorted())
  })

  it('is sent one verification e-mail a day', async () => {
    const email = 'flo.flooded@test.example'
    const flo = await accept(app, (await invite(taker, email, 'member')).inviteUrl)
    const params = { userId: flo.user.id }
    for (const role of ['admin', 'member', 'admin', 'member'] as const)
      await taker.admin.call('dashboard', 'PATCH /team/users/:userId', { params, body: { role } })
    await mailed(email, 'Confirm your address')
    const asked = await app.db.sql.all(
      `select id from job where kind = 'mail.mailbox_proof' and cast(payload as text) like '%${flo.user.id}%'`,
    )
    expect(asked).toHaveLength(1)
  })
})
