import type { CopydeskOptions } from '@copydesk/core'
import { describe, expect, it } from 'vitest'
import { createTestApp, password, type Team, type TestApp } from '../kit/app.ts'
import { createTestClock } from '../kit/clock.ts'
import { nthMail } from '../kit/mail.ts'
import { of } from './auth/invitations.ts'

const noon = Date.parse('2026-03-10T12:00:00Z')

const opened = (limits?: NonNullable<CopydeskOptions['mail']>['limits']) => {
  const clock = createTestClock(noon)
  const app = createTestApp({ clock, worker: false, mail: limits ? { limits } : {} })
  return { clock, app }
}

let invited = 0

/** Invites someone new over HTTP, at one of the servers. */
async function invite(server: Pick<TestApp['copydesk'], 'fetch'>, { adminToken }: Team) {
  invited += 1
  const response = await server.fetch(
    new Request('http://copydesk.test/dashboard/v1/team/invite', {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email: `stranger.${invited}@test.example`, name: 'Stranger', role: 'member' }),
    }),
  )
  const json = (await response.json()) as { error?: { code: string; message: string; details?: unknown } }
  return { status: response.status, retryAfter: response.headers.get('retry-after'), error: json.error }
}

const statuses = async (answers: Promise<Array<{ status: number }>>) =>
  (await answers).map(({ status }) => status).toSorted((a, b) => a - b)

const count = async (app: TestApp, what: string) =>
  Number((await app.db.sql.get<{ n: number }>(`select count(*) as n from ${what}`))?.n)

describe('e-mails to people without an account', () => {
  it('are limited for each tenant and day, exactly, on every server and after a restart', async () => {
    const { clock, app: opening } = opened({ perTenant: 3, total: 100 })
    await using app = await opening
    const team = await app.team()
    const other = await app.another()
    const at = (n: number) => (n % 2 === 0 ? app.copydesk : other)
    const all = Promise.all(Array.from({ length: 8 }, (_, n) => invite(at(n), team)))
    expect(await statuses(all)).toEqual([201, 201, 201, 429, 429, 429, 429, 429])
    expect(await count(app, 'invitations')).toBe(3)
    expect(await count(app, `job where kind = 'mail.invitation'`)).toBe(3)
    const restarted = await app.another()
    expect(await invite(restarted, team)).toEqual({
      status: 429,
      retryAfter: '43200',
      error: {
        code: 'RATE_LIMITED',
        message: expect.stringMatching(/^This tenant has sent 3 mails to people outside today/),
        details: { limit: 'mails_per_day_tenant' },
      },
    })
    expect((await invite(app.copydesk, await app.team())).status).toBe(201)
    clock.advance(12 * 3_600_000)
    const again = { ...team, adminToken: (await logInAgain(app)).accessToken }
    expect((await invite(app.copydesk, again)).status).toBe(201)
  })

  it('are limited for all tenants together, except for operators', async () => {
    const { app: opening } = opened({ perTenant: 3, total: 4 })
    await using app = await opening
    const [one, two] = [await app.team(), await app.team()]
    for (let n = 0; n < 3; n += 1) expect((await invite(app.copydesk, one)).status).toBe(201)
    expect((await invite(app.copydesk, two)).status).toBe(201)
    expect(await invite(app.copydesk, two)).toMatchObject({
      status: 429,
      retryAfter: '43200',
      error: {
        code: 'RATE_LIMITED',
        message: expect.stringContaining('its operator allows in a day'),
        details: { limit: 'mails_per_day_installation' },
      },
    })
    const input = { email: 'late@test.example', role: 'member' as const, tenantId: two.tenantId }
    await app.copydesk.asSystem().invitations.create(input)
  })

  it('count when they are sent again', async () => {
    const { app: opening } = opened({ perTenant: 3, total: 100 })
    await using app = await opening
    const team = await app.team()
    const invitations = of(app, team)
    const { id } = await invitations.create({ email: 'eve@test.example', role: 'member' })
    await invitations.resend(id)
    await invitations.resend(id)
    await expect(invitations.resend(id)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    expect(await count(app, `job where kind = 'mail.invitation'`)).toBe(3)
  })

  it('are limited to fifty a day and tenant by default, or to the configured number', async () => {
    const { app: opening } = opened()
    await using app = await opening
    const team = await app.team()
    await app.db.write((tx) =>
      tx.run(`insert into outside_mail_counts (day, scope, mails) values ('2026-03-10', ?, 49)`, [
        team.tenantId,
      ]),
    )
    expect((await invite(app.copydesk, team)).status).toBe(201)
    expect((await invite(app.copydesk, team)).status).toBe(429)
    const closed = await app.another({ mail: { limits: { total: 0 } } })
    expect((await invite(closed, await app.team())).status).toBe(429)
  })
})

describe('an e-mail to a person without an account', () => {
  it('has a fixed subject, and contains text of others only as names', async () => {
    await using app = await createTestApp()
    const team = await app.team()
    // As it may have been taken by an earlier version.
    const hostile = 'You have won” 1000 EUR!\r\nCollect at https://evil.example/now “'
    await app.db.write(async (tx) => {
      await tx.run('update tenants set name = ? where id = ?', [hostile, team.tenantId])
      await tx.run('update users set name = ? where id = ?', ['www.evil.example <b>', team.adminId])
    })
    await of(app, team).create({ email: 'eve@test.example', name: 'Pay 3 EUR', role: 'member' })
    const mail = await nthMail(app, 1)
    expect(mail.subject).toBe('You are invited to work on Copydesk')
    expect(mail.text).toMatch(/^Hello,\n/)
    expect(mail.text).not.toContain('Pay 3 EUR')
    expect(mail.text).toContain(
      `“www evil example <b>” invites you to work with “You have won' 1000 EUR! Collect at https evil example now '” on Copydesk`,
    )
    for (const part of [mail.text, mail.html]) expect(part).not.toMatch(/evil\.example/)
    expect(mail.html).not.toContain('<b>')
    expect(mail.text.match(/https?:\/\//g)).toHaveLength(1)
  })
})

async function logInAgain(app: TestApp) {
  return app.clientFor().call('auth', 'POST /login', {
    body: { email: 'admin.1.tenant-1@test.example', password, app: 'dashboard' },
  })
}
