import { describe, expect, it } from 'vitest'
import { contents } from '../../domain/contents.ts'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { mailsOf, nthMail, quiet, tokenIn } from '../../kit/mail.ts'
import { admin, member, send, traces } from './accounts.ts'

const minute = 60_000
const everything = [...traces, 'audit_records']

const forgot = (app: TestApp, email: string) => send(app, 'POST /forgot-password', { body: { email } })
const reset = (app: TestApp, token: string) =>
  send(app, 'POST /reset-password', { body: { token, newPassword: 'Another-horse-2' } })

/** Asks for a link and reads the mail, the `count`th of all. */
async function linkFor(app: TestApp, email = admin, count = 1): Promise<string> {
  await forgot(app, email)
  return tokenIn(await nthMail(app, count))
}

const worthless = { status: 400, json: { error: { code: 'VALIDATION_ERROR', field: 'token' } } }

describe('auth.password.forgot', () => {
  it('mails a link to the base URL by default', async () => {
    await using app = await createTestApp({ baseUrl: 'https://desk.test.example/' })
    await app.team()
    const token = await linkFor(app)
    const [mail] = await mailsOf(app)
    expect(mail?.text).toContain(`\nhttps://desk.test.example/reset-password?token=${token}\n`)
  })

  it('responds and writes alike with and without an account', async () => {
    await using app = await createTestApp({ worker: false })
    await app.team()
    const shape = async (email: string) => {
      const before = await contents(app, everything)
      const { status, text } = await forgot(app, email)
      const after = await contents(app, everything)
      const added = Object.fromEntries(
        everything.map((table) => {
          const known = new Set((before[table] as object[]).map((row) => JSON.stringify(row)))
          const rows = (after[table] as Array<Record<string, unknown>>).filter(
            (row) => !known.has(JSON.stringify(row)),
          )
          return [table, rows.map(({ kind, action, actor_id }) => ({ kind, action, actor_id }))]
        }),
      )
      return { status, text, added }
    }
    const known = await shape(admin)
    expect(known).toMatchObject({
      status: 204,
      added: {
        job: [{ kind: 'password.forgot' }],
        audit_records: [{ action: 'auth.password.forgot', actor_id: 'anonymous' }],
        users: [],
        password_resets: [],
      },
    })
    expect(await shape('nobody@test.example')).toEqual(known)
    expect(JSON.stringify(await contents(app, ['job']))).not.toContain('@test.example')
  })

  it.each([
    ['an unknown e-mail', ''],
    ['a suspended user', `update users set status = 'suspended'`],
    ['a deactivated user', `update users set status = 'deactivated'`],
    ['a suspended tenant', `update tenants set status = 'suspended'`],
    ['a cancelled tenant', `update tenants set status = 'cancelled'`],
  ])('sends no e-mail to %s', async (_, statement) => {
    await using app = await createTestApp()
    await app.team()
    if (statement !== '') await app.db.write((tx) => tx.run(statement))
    expect((await forgot(app, statement === '' ? 'nobody@test.example' : admin)).status).toBe(204)
    await quiet(app)
    expect(await mailsOf(app)).toEqual([])
    expect(await contents(app, ['password_resets'])).toEqual({ password_resets: [] })
  })

  it('sends one e-mail in twenty minutes, then another with a link that replaces the first', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock })
    await app.team()
    const first = await linkFor(app)
    for (const ms of [0, 10 * minute, 10 * minute - 1]) {
      clock.advance(ms)
      expect((await forgot(app, admin)).status).toBe(204)
      await quiet(app)
    }
    expect(await mailsOf(app)).toHaveLength(1)
    await linkFor(app, member, 2)
    clock.advance(1)
    const second = await linkFor(app, admin, 3)
    expect(await reset(app, first)).toMatchObject(worthless)
    expect((await reset(app, second)).status).toBe(204)
  })

  it('allows five requests per address in 15 minutes', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock })
    await app.team()
    const ask = (i: number, ip = '192.0.2.1') =>
      send(app, 'POST /forgot-password', { body: { email: `someone.${i}@test.example` }, ip })
    for (let i = 0; i < 5; i += 1) expect((await ask(i)).status).toBe(204)
    const refused = await ask(5)
    expect(refused).toMatchObject({ status: 429, json: { error: { code: 'RATE_LIMITED' } } })
    expect(refused.headers.get('retry-after')).toBe('900')
    expect((await ask(5, '192.0.2.2')).status).toBe(204)
    clock.advance(15 * minute)
    expect((await ask(0)).status).toBe(204)
  })

  it.each([
    [{}, 'email'],
    [{ email: 'nobody' }, 'email'],
  ])('rejects %j with the name of the field', async (body, field) => {
    await using app = await createTestApp()
    expect(await send(app, 'POST /forgot-password', { body })).toMatchObject({
      status: 400,
      json: { error: { code: 'VALIDATION_ERROR', field } },
    })
  })
})
