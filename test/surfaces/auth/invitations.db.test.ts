import { describe, expect, it } from 'vitest'
import { contents } from '../../domain/contents.ts'
import { createTestApp, password, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { nthMail, tokenIn } from '../../kit/mail.ts'
import { audits, claimsOf, logIn, send, traces } from './accounts.ts'
import { email, eve, invited, of } from './invitations.ts'

const next = 'Another-horse-2'
const day = 24 * 3_600_000
const everything = [...traces, 'audit_records']

const view = (app: TestApp, token: string) => send(app, `GET /invitations/${token}`)
const accept = (app: TestApp, token: string, given: unknown = next) =>
  send(app, `POST /invitations/${token}/accept`, { body: { password: given } })

const gone = { status: 404, json: { error: { code: 'NOT_FOUND' } } }

describe('an invitation', () => {
  it('is mailed, shows address and tenant, and creates a user who is logged in', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, mail: { links: 'https://app.test.example' } })
    const team = await app.team()
    const { tenantId, adminId } = team
    const made = await of(app, team).create({ email: ` ${eve} `, name: 'Eve New', role: 'member' })
    expect(made).toMatchObject({ tenantId, email, role: 'member', status: 'pending', invitedBy: adminId })
    expect(made.expiresAt.getTime()).toBe(clock.now() + 7 * day)
    const mail = await nthMail(app, 1)
    const token = tokenIn(mail)
    expect(mail).toMatchObject({ to: email, subject: 'You are invited to work on Copydesk' })
    expect(mail.text).toContain('Hello,\n\n“Ada Admin” invites you to work with “Tenant 1” on Copydesk')
    expect(mail.text).toContain(`\nhttps://app.test.example/accept-invitation?token=${token}\n`)
    expect(mail.text).toContain('until 17 April 2026 at 09:00 UTC')
    const shown = await view(app, token)
    expect(shown.status).toBe(200)
    expect(shown.json).toEqual({
      email,
      name: 'Eve New',
      tenantName: 'Tenant 1',
      role: 'member',
      account: 'new',
    })

    const accepted = await accept(app, token)
    expect(accepted.status).toBe(200)
    const user = {
      email,
      name: 'Eve New',
      role: 'member',
      appAccess: ['dashboard'],
      tenantId,
      tenantName: 'Tenant 1',
    }
    expect(accepted.json).toEqual({
      accessToken: expect.any(String),
      refreshToken: expect.any(String),
      user: { ...user, id: expect.any(String) },
    })
    const me = await send(app, 'GET /me', { token: accepted.json.accessToken })
    expect(me.json).toMatchObject({ id: accepted.json.user.id, email, role: 'member' })
    expect(
      (await send(app, 'POST /refresh', { body: { refreshToken: accepted.json.refreshToken } })).status,
    ).toBe(200)
    expect((await logIn(app, email, next)).json.user).toEqual(accepted.json.user)
    expect(await of(app, team).list()).toMatchObject([
      { id: made.id, status: 'accepted', acceptedOn: clock.date() },
    ])
    expect(claimsOf(accepted.json.accessToken)).toMatchObject({ tenantId, role: 'member' })

    expect(await audits(app, 'invitation.accept')).toMatchObject([
      {
        actor_id: accepted.json.user.id,
        tenant_id: tenantId,
        resource_type: 'user',
        resource_id: accepted.json.user.id,
      },
    ])
    expect(await audits(app, 'invitation.create')).toMatchObject([{ actor_id: adminId, tenant_id: tenantId }])
    for (const again of [await view(app, token), await accept(app, token)]) expect(again).toMatchObject(gone)
  })

  it('leaves its token in no row, log line or audit record, though it is in the path', async () => {
    const lines: string[] = []
    const write = (...line: unknown[]) => void lines.push(JSON.stringify(line))
    const log = { debug: write, info: write, warn: write, error: write, child: () => log }
    await using app = await createTestApp({ log })
    const { token } = await invited(app, await app.team())
    await view(app, token)
    await accept(app, token, 'short')
    await accept(app, token)
    await accept(app, token)
    // A method that there is not.
    expect((await app.fetch(`/auth/v1/invitations/${token}`, { method: 'PUT' })).status).toBe(405)
    const paths = lines.filter((line) => line.includes('/invitations/'))
    expect(paths.length).toBeGreaterThanOrEqual(4)
    expect(paths[0]).toContain('/auth/v1/invitations/:token')
    const kept = JSON.stringify([lines, await contents(app, everything)])
    for (const secret of [token, token.slice(-43), next]) expect(kept).not.toContain(secret)
  })

  it('expires after seven days; another one can be sent then', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock })
    const team = await app.team()
    const { token } = await invited(app, team)
    clock.advance(7 * day - 1)
    expect((await view(app, token)).status).toBe(200)
    clock.advance(1)
    expect(await view(app, token)).toMatchObject(gone)
    expect(await accept(app, token)).toMatchObject(gone)
    expect(await of(app, team).list()).toMatchObject([{ status: 'expired' }])
    const second = await invited(app, team, 2)
    expect(await of(app, team).list()).toMatchObject([
      { id: second.id, status: 'pending' },
      { status: 'revoked' },
    ])
    expect((await accept(app, second.token)).status).toBe(200)
  })

  it('is valid only with the link of its latest e-mail', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock })
    const team = await app.team()
    const { id, token } = await invited(app, team)
    clock.advance(8 * day)
    const sent = await of(app, team).resend(id)
    expect(sent).toMatchObject({ id, status: 'pending', expiresAt: new Date(clock.now() + 7 * day) })
    const latest = tokenIn(await nthMail(app, 2))
    expect(await view(app, token)).toMatchObject(gone)
    expect((await accept(app, latest)).status).toBe(200)
    await expect(of(app, team).resend(id)).rejects.toMatchObject({ code: 'CONFLICT' })
    await expect(of(app, team).revoke(id)).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  it('is invalid once it was revoked, and stays so', async () => {
    await using app = await createTestApp()
    const team = await app.team()
    const { id, token } = await invited(app, team)
    await of(app, team).revoke(id)
    expect(await view(app, token)).toMatchObject(gone)
    expect(await accept(app, token)).toMatchObject(gone)
    const before = await contents(app, everything)
    await of(app, team).revoke(id)
    await expect(of(app, team).resend(id)).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(await contents(app, everything)).toEqual(before)
    expect((await invited(app, team, 2)).id).not.toBe(id)
  })

  it('is invalid for an address that was taken meanwhile, and for a suspended tenant', async () => {
    await using app = await createTestApp()
    const team = await app.team()
    const { token } = await invited(app, team)
    const shut = (status: string) => app.db.write((tx) => tx.run('update tenants set status = ?', [status]))
    for (const status of ['suspended', 'cancelled']) {
      await shut(status)
      for (const answer of [await view(app, token), await accept(app, token)])
        expect(answer).toMatchObject({ status: 403, json: { error: { code: 'FORBIDDEN' } } })
      await expect(of(app, team).create({ email: 'x@test.example', role: 'member' })).rejects.toMatchObject({
        code: 'UNPROCESSABLE',
      })
    }
    await shut('active')
    await app.copydesk.asSystem().users.create({ email, name: 'Eve', password, role: 'reviewer' })
    const before = await contents(app, everything)
    expect(await accept(app, token)).toMatchObject({ status: 409, json: { error: { code: 'CONFLICT' } } })
    expect(await contents(app, everything)).toEqual(before)
  })
})
