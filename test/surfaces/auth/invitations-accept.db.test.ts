import { describe, expect, it } from 'vitest'
import { acceptInvitation } from '../../../packages/core/src/domain/accounts/identity/invitation-accept.ts'
import { parts } from '../../domain/agents.ts'
import { createTestApp, password, type TestApp } from '../../kit/app.ts'
import { dialect } from '../../kit/database.ts'
import { audits, logIn, member, send, whileHashing } from './accounts.ts'
import { email, invited, of } from './invitations.ts'

const next = 'Another-horse-2'

const view = (app: TestApp, token: string) => send(app, `GET /invitations/${token}`)
const accept = (app: TestApp, token: string, given: unknown = next) =>
  send(app, `POST /invitations/${token}/accept`, { body: { password: given } })

const gone = { status: 404, json: { error: { code: 'NOT_FOUND' } } }
/** Tokens that no invitation has. */
const worthless = ['x', 'cdk_invite_', `cdk_invite_${'A'.repeat(43)}`, '%00', 'x'.repeat(3_000)]

describe('auth.invitations.get', () => {
  it('returns invited address and tenant until the invitation is accepted, any number of times', async () => {
    await using app = await createTestApp()
    const { token } = await invited(app, await app.team())
    const shown = { email, name: 'Eve New', tenantName: 'Tenant 1', role: 'member', account: 'new' }
    for (let times = 0; times < 2; times += 1)
      expect(await view(app, token)).toMatchObject({ status: 200, json: shown })
    await accept(app, token)
    expect(await view(app, token)).toMatchObject(gone)
  })

  it.each(worthless)('returns 404 for the token %.20s', async (token) => {
    await using app = await createTestApp()
    expect(await view(app, token)).toMatchObject(gone)
  })
})

describe('auth.invitations.accept', () => {
  it('creates a user with the password, logged in, once', async () => {
    await using app = await createTestApp()
    const team = await app.team()
    const { token } = await invited(app, team)
    const accepted = await accept(app, token)
    expect(accepted.status).toBe(200)
    expect(accepted.json.user).toMatchObject({ email, role: 'member', tenantId: team.tenantId })
    const me = await send(app, 'GET /me', { token: accepted.json.accessToken })
    expect(me.json).toMatchObject({ id: accepted.json.user.id, email })
    expect((await logIn(app, email, next)).status).toBe(200)
    expect(await accept(app, token, 'Third-horse-33')).toMatchObject(gone)
    expect((await logIn(app, email, 'Third-horse-33')).status).toBe(401)
  })

  it('creates one user when two invitations of one address, or one invitation twice, are accepted concurrently', async () => {
    await using app = await createTestApp()
    const [first, second] = [await app.team(), await app.team()]
    const other = await app.another({ worker: false })
    const tokens = [(await invited(app, first)).token, (await invited(app, second, 2)).token]
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ password }),
    }
    const answers = await Promise.all(
      [...tokens, tokens[0]].map((token, index) => {
        const path = `/auth/v1/invitations/${token}/accept`
        return index === 1
          ? other.fetch(new Request(`http://copydesk.test${path}`, init))
          : app.fetch(path, init)
      }),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 404 || status === 409)).toHaveLength(2)
    expect(await app.db.sql.all('select id from users where email = ?', [email])).toHaveLength(1)
    expect(await audits(app, 'invitation.accept')).toHaveLength(1)
  })

  it('creates no user when the address is taken concurrently', async () => {
    await using app = await createTestApp()
    const { token } = await invited(app, await app.team())
    const waits = `select 1 as one from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    const answer = await app.db.write(async (tx) => {
      await tx.run('update users set email = ? where email = ?', [email, member])
      const accepted = accept(app, token)
      // On SQLite it waits for us to commit before it looks; here it has looked, and found no one.
      if (dialect === 'postgresql') await app.until(() => app.db.sql.get(waits), 'the row is waited for')
      return { accepted }
    })
    expect(await answer.accepted).toMatchObject({ status: 409, json: { error: { code: 'CONFLICT' } } })
    expect((await view(app, token)).status).toBe(200)
  })

  it('creates no user when the invitation is revoked while the password is hashed', async () => {
    await using app = await createTestApp()
    const team = await app.team()
    const { id, token } = await invited(app, team)
    await using assembled = await parts(app)
    const late = whileHashing(assembled.system(), () => of(app, team).revoke(id))
    await expect(acceptInvitation(late, token, next)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect((await logIn(app, email, next)).status).toBe(401)
  })

  it.each(['', 'seven77', 'x'.repeat(201), 5, undefined])(
    'rejects the password %j, and keeps the invitation valid',
    async (given) => {
      await using app = await createTestApp()
      const { token } = await invited(app, await app.team())
      expect(await accept(app, token, given ?? null)).toMatchObject({
        status: 400,
        json: { error: { code: 'VALIDATION_ERROR', field: 'password' } },
      })
      expect((await view(app, token)).status).toBe(200)
    },
  )

  it.each(worthless)('returns 404 for the token %.20s', async (token) => {
    await using app = await createTestApp()
    expect(await accept(app, token)).toMatchObject(gone)
  })
})
