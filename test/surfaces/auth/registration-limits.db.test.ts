import type { CopydeskOptions } from '@copydesk/core'
import { describe, expect, it } from 'vitest'
import { contents } from '../../domain/contents.ts'
import { brief, createTestApp, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { asJson } from '../../kit/columns.ts'
import { mailsOf, tokenIn } from '../../kit/mail.ts'
import { createOperator } from '../../kit/operator.ts'
import {
  type Answer,
  company,
  complete,
  confirm,
  createOpenApp,
  person,
  place,
  ready,
  registrationTables,
  send,
} from './registrations.ts'

const forbidden = { status: 403, json: { error: { code: 'FORBIDDEN' } } }

describe('an installation without a registration setting', () => {
  it('rejects every step of a registration, and lists its plans', async () => {
    await using app = await createTestApp({ worker: false })
    const before = await contents(app, registrationTables)
    const start = await send(app, 'POST /register/start', { body: person })
    expect(start).toMatchObject(forbidden)
    expect(start.json.error.message).toMatch(/closed.*invitation.*operator/)
    expect(await contents(app, registrationTables)).toEqual(before)
    // Begun while it was open.
    const open = await app.another({ registration: 'open' })
    const token = await ready({
      ...app,
      fetch: (path, init, from) => open.fetch(new Request(`http://x${path}`, init), from),
    })
    for (const [route, body] of [
      ['POST /register/step/2', company],
      ['POST /register/step/3', place],
      ['POST /register/complete', { plan: 'free' }],
      ['GET /register/session', undefined],
    ] as const)
      expect(await send(app, route, { token, ...(body && { body }) }), route).toMatchObject(forbidden)
    expect(await app.db.sql.all('select id from tenants')).toEqual([])
    expect((await send(app, 'GET /plans')).status).toBe(200)
  })
})

/** A registered tenant on the free plan, with its admin's token. */
async function register(app: TestApp, email: string = person.email, plan = 'free') {
  const website = `https://${email.split('@')[1]}`
  const token = await ready(app, { person: { email }, company: { website } })
  return complete(app, token, { plan })
}

const orderFor = (app: TestApp, accessToken: string) =>
  app.clientFor(accessToken).call('dashboard', 'POST /campaigns', {
    body: { name: 'Spring', brief, deliverables: [{ type: 'social_post', quantity: 2 }] },
  })

/** The blockers of a tenant's activities, once there are so many. */
const blockers = (app: TestApp, tenantId: string, count: number) =>
  app.until(async () => {
    const rows = await app.db.sql.all<{ blocker: unknown }>(
      `select blocker from activities where status = 'blocked' and tenant_id = ?`,
      [tenantId],
    )
    return (
      rows.length >= count &&
      rows.map(({ blocker }) => asJson<{ type: string; description: string; resolution?: string }>(blocker))
    )
  }, `${count} activities are blocked`)

const isWritten = async (app: TestApp, tenantId: string) => {
  const rows = await app.db.sql.all(`select id from outputs where tenant_id = ?`, [tenantId])
  return rows.length > 0
}

/** Sets another password with the link of a mail. */
async function chooseAnother(app: TestApp, email: string): Promise<Answer> {
  await send(app, 'POST /forgot-password', { body: { email } })
  const link = await app.until(
    async () => (await mailsOf(app)).find(({ subject }) => subject.includes('new password')),
    'the link is sent',
  )
  return send(app, 'POST /reset-password', { body: { token: tokenIn(link), newPassword: 'Another-horse-2' } })
}

describe('a registered tenant', () => {
  it.each([
    ['the confirmation of the address', (app, token) => confirm(app, person.email, token)],
    ['a new password', (app) => chooseAnother(app, person.email)],
  ] satisfies Array<[string, (app: TestApp, token: string) => Promise<Answer>]>)(
    'starts no runs before %s; queued activities start automatically then',
    async (_, prove) => {
      await using app = await createOpenApp()
      const { tenantId, accessToken } = (await register(app)).json
      expect((await send(app, 'GET /me', { token: accessToken })).json.mailboxProved).toBe(false)
      await orderFor(app, accessToken)
      const [held] = await blockers(app, tenantId, 1)
      expect(held).toMatchObject({
        type: 'mailbox_unproved',
        description: expect.stringContaining('confirmed'),
        resolution: expect.stringContaining('Confirm your address'),
      })
      expect(await app.db.sql.all('select id from llm_calls')).toEqual([])
      expect(await isWritten(app, tenantId)).toBe(false)
      // Trying again changes nothing about it.
      const { data } = await app.clientFor(accessToken).call('dashboard', 'GET /activities', {
        query: { 'filter.status': 'blocked' },
      })
      const params = { activityId: data[0]?.id ?? '' }
      await app.clientFor(accessToken).call('dashboard', 'POST /activities/:activityId/retry', { params })
      await blockers(app, tenantId, 1)
      // One e-mail asks for the verification; none is sent for each activity.
      const mails = await app.db.sql.all(`select kind from job where kind like 'mail.%'`)
      expect(mails).toEqual([{ kind: 'mail.mailbox_proof' }])

      expect((await prove(app, accessToken)).status).toBeLessThan(300)
      await app.until(() => isWritten(app, tenantId), 'the work goes on')
      const left = await app.db.sql.all(
        `select id from activities where status = 'blocked' and blocker is not null`,
      )
      expect(left).toEqual([])
    },
  )
})

describe('an address that another person has registered', () => {
  it('can be taken over by a password reset, and used by another company once its tenant is suspended', async () => {
    await using app = await createOpenApp()
    const system = app.copydesk.asSystem()
    const taken = (await register(app, person.email, 'pro')).json
    const company = await app.team('Company')
    const body = { email: person.email, name: 'Ines', role: 'admin' as const }
    await company.admin.call('dashboard', 'POST /team/invite', { body })
    const token = await app.until(async () => {
      const mail = (await mailsOf(app)).find(({ subject }) => subject.includes('You are invited'))
      return mail && tokenIn(mail)
    }, 'the invitation is sent')
    const accept = () =>
      send(app, `POST /invitations/${token}/accept`, { body: { password: 'Another-horse-2' } })
    expect(await accept()).toMatchObject({
      status: 409,
      json: { error: { code: 'CONFLICT', field: 'email' } },
    })
    expect((await send(app, 'GET /me', { token: taken.accessToken })).status).toBe(200)
    await system.tenants.suspend(taken.tenantId, 'registered with the address of someone else')
    expect(await accept()).toMatchObject({ status: 200, json: { user: { tenantId: company.tenantId } } })
    expect((await send(app, 'GET /me', { token: taken.accessToken })).status).toBe(401)
  })
})

describe('free tenants', () => {
  const atOnce = { mail: { smtp: 'smtp://127.0.0.1:9' } } satisfies Partial<CopydeskOptions>

  it('are limited per day: 429 RATE_LIMITED until the next day, paid plans are still accepted', async () => {
    const clock = createTestClock(Date.UTC(2026, 3, 10, 18, 0, 0))
    await using app = await createOpenApp({ clock, worker: false, freeTenants: { perDay: 2 } })
    const emails = ['a', 'b', 'c'].map((name) => `${name}@${name}.example`)
    const tokens = await Promise.all(
      emails.map((email) =>
        ready(app, { person: { email }, company: { website: `https://${email.split('@')[1]}` } }),
      ),
    )
    const answers = await Promise.all(tokens.map((token) => complete(app, token)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 201, 429])
    const at = answers.findIndex(({ status }) => status === 429)
    expect(answers[at]?.json.error.code).toBe('RATE_LIMITED')
    expect(answers[at]?.headers.get('retry-after')).toBe(String(6 * 3_600))
    expect(await app.db.sql.all('select id from tenants')).toHaveLength(2)
    expect((await register(app, 'paid@d.example', 'pro')).status).toBe(201)
    clock.advance(6 * 3_600_000)
    expect((await register(app, 'e@e.example')).status).toBe(201)
  })

  it('count during a trial too', async () => {
    await using app = await createOpenApp({ worker: false, freeTenants: { perDay: 0 } })
    await app.copydesk.asSystem().plans.setPrice({ plan: 'pro', region: 'GB', trialDays: 14 })
    expect((await register(app, 'trial@a.example', 'pro')).status).toBe(429)
    expect((await register(app, 'paid@b.example', 'agency')).status).toBe(201)
  })

  it('share a monthly budget: further runs are blocked, and admins and operators are notified', async () => {
    await using app = await createOpenApp({ freeTenants: { monthlyUsd: 3 } })
    const operator = await createOperator(app)
    const [one, two] = [(await register(app)).json, (await register(app, 'b@b.example')).json]
    expect((await confirm(app, person.email, one.accessToken)).status).toBe(200)
    expect((await confirm(app, 'b@b.example', two.accessToken)).status).toBe(200)
    await orderFor(app, one.accessToken)
    await app.until(() => isWritten(app, one.tenantId), 'the first one works')
    const cost = (micros: number, adapter = 'local') =>
      app.db.write((tx) =>
        tx.run(
          `update runs set cost_micros = ?, adapter = ? where id = (select min(id) from runs where tenant_id = ? and started_at is not null)`,
          [micros, adapter, one.tenantId],
        ),
      )
    // What a runtime of the tenant's own says is none of the operator's money.
    await cost(9_000_000, 'adapter_b')
    await orderFor(app, two.accessToken)
    await app.until(() => isWritten(app, two.tenantId), 'the second one works')
    await cost(3_000_000)
    await orderFor(app, two.accessToken)
    const held = await blockers(app, two.tenantId, 2)
    expect(held[0]).toMatchObject({ type: 'budget', resolution: expect.stringContaining('paid plan') })
    expect(JSON.stringify(held)).not.toContain('$')
    const told = await app.db.sql.all(
      `select n.id from notifications n where n.type = 'budget_alert' and n.tenant_id = ?`,
      [two.tenantId],
    )
    expect(told).toHaveLength(1)
    const subject = 'The budget of the free plans is used up'
    await app.until(
      async () => (await mailsOf(app)).find((mail) => mail.to === operator.email && mail.subject === subject),
      'the operator is told',
    )
    expect(await app.db.sql.all(`select id from job where kind = 'mail.free_pool'`)).toHaveLength(1)
    // Others are not held up.
    const team = await app.team()
    await team.admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Spring', brief, deliverables: [{ type: 'social_post', quantity: 1 }] },
    })
    await app.until(() => isWritten(app, team.tenantId), 'a tenant of the operator works')
  })

  it('are reported by doctor, with the registration setting', async () => {
    const found = async (changes: Partial<CopydeskOptions>) => {
      await using app = await createTestApp({ worker: false, ...changes })
      return (await app.copydesk.doctor()).find(({ name }) => name === 'registration')
    }
    expect(await found({})).toMatchObject({ ok: true, message: expect.stringMatching(/^closed/) })
    expect(await found({ registration: 'open' })).toMatchObject({
      ok: false,
      remedy: expect.stringContaining('mail.smtp'),
    })
    expect(await found({ registration: 'open', ...atOnce })).toMatchObject({
      ok: true,
      message: 'open: 10 free tenants a day, together $0.00 of $50 spent this month',
    })
  })
})

describe('the check whether an e-mail address has an account', () => {
  it('returns 409 CONFLICT ten times an hour per address, then 429 RATE_LIMITED', async () => {
    await using app = await createOpenApp({ worker: false })
    await app.team()
    const body = JSON.stringify({ ...person, email: 'admin.1.tenant-1@test.example' })
    const ask = (ip: string) =>
      app.fetch(
        '/auth/v1/register/start',
        { method: 'POST', headers: { 'content-type': 'application/json' }, body },
        { ip },
      )
    for (let time = 0; time < 10; time += 1) expect((await ask('10.9.9.9')).status).toBe(409)
    const limited = await ask('10.9.9.9')
    expect(limited.status).toBe(429)
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(3_000)
    expect((await ask('10.9.9.8')).status).toBe(409)
  })
})
