import { describe, expect, it } from 'vitest'
import { contents } from '../../domain/contents.ts'
import { createTestApp, password, type TestApp } from '../../kit/app.ts'
import { nthMail, tokenIn } from '../../kit/mail.ts'
import { createOperator } from '../../kit/operator.ts'
import { onboard } from '../onboarding.ts'
import { admin, send, session, traces } from './accounts.ts'
import { email as eve, invited } from './invitations.ts'
import { createOpenApp, person } from './registrations.ts'

/** Which of the passwords that guessers try first are refused, in whatever spelling. */
const common = ['Password1', 'PASSWORD1!', 'qwerty123', 'P@ssw0rd', 'iloveyou1', 'Ｐａｓｓｗｏｒｄ1']

type Try = (given: string) => Promise<{ status: number; json: any }>

/** Every password is refused on its field, and nothing changes. */
async function expectRefused(app: TestApp, field: string, passwords: readonly string[], attempt: Try) {
  const before = await contents(app, [...traces, 'registrations', 'tenants'])
  for (const given of passwords)
    expect(await attempt(given), given).toMatchObject({
      status: 400,
      json: { error: { code: 'VALIDATION_ERROR', field } },
    })
  expect(await contents(app, [...traces, 'registrations', 'tenants'])).toEqual(before)
}

describe('a common password is rejected with 400 VALIDATION_ERROR', () => {
  it('when someone registers', async () => {
    await using app = await createOpenApp({ worker: false })
    const start: Try = (given) => send(app, 'POST /register/start', { body: { ...person, password: given } })
    const own = ['Ines@hearth.example1', 'Hearth2026', 'Hearth-1']
    const withUpperCase = common.filter((one) => /\p{Lu}/u.test(one))
    await expectRefused(app, 'password', [...withUpperCase, ...own], start)
    expect((await start(person.password)).status).toBe(201)
  })

  it('when it is changed', async () => {
    await using app = await createTestApp({ worker: false })
    await app.team('Hearth & Oat')
    const email = 'admin.0.hearth-oat@test.example'
    const { accessToken: token } = await session(app, email)
    const change: Try = (newPassword) =>
      send(app, 'PATCH /me/password', { token, body: { currentPassword: password, newPassword } })
    const own = ['Hearth & Oat 1', 'hearthoat2026', 'ADMIN.0.hearth-oat', email]
    // Ten tries in a quarter of an hour are all that anybody has here.
    await expectRefused(app, 'newPassword', [...common.slice(0, 3), ...own], change)
    expect((await change('Hearth, oats & 7 horses')).status).toBe(200)
  })

  it('when it is reset, and the link can be used again', async () => {
    await using app = await createTestApp()
    await app.team('Hearth & Oat')
    const email = 'admin.0.hearth-oat@test.example'
    await send(app, 'POST /forgot-password', { body: { email } })
    const token = tokenIn(await nthMail(app, 1))
    const reset: Try = (newPassword) => send(app, 'POST /reset-password', { body: { token, newPassword } })
    await expectRefused(app, 'newPassword', [...common, 'HearthOat-99'], reset)
    expect((await reset('Another-horse-2')).status).toBe(204)
  })

  it('when an invitation is accepted, and the link can be used again', async () => {
    await using app = await createTestApp()
    const team = await app.team('Hearth & Oat')
    const { token } = await invited(app, team)
    const accept: Try = (given) =>
      send(app, `POST /invitations/${token}/accept`, { body: { password: given } })
    await expectRefused(
      app,
      'password',
      [...common, 'hearth-oat', eve.replace('@test.example', '.123')],
      accept,
    )
    expect((await accept('Another-horse-2')).status).toBe(200)
  })

  it('when an operator creates a tenant', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const create: Try = (given) =>
      onboard(app, operator, { password: given, displayName: 'Rye & Seed', legalName: 'Rye Bakers Ltd.' })
    await expectRefused(app, 'password', [...common, 'rye-seed-1', 'RyeBakersLtd1', 'hearth00'], create)
    expect((await create('Correct-horse-1')).status).toBe(201)
  })

  it('when a user is created on the command line', async () => {
    await using app = await createTestApp({ worker: false })
    const { tenantId } = await app.team('Hearth & Oat')
    const { users } = app.copydesk.asSystem()
    const person = { email: 'mia.baker@test.example', name: 'Mia', role: 'member' as const, tenantId }
    for (const given of [...common, 'hearth & oat', 'MiaBaker2026'])
      await expect(users.create({ ...person, password: given })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        field: 'password',
      })
    await users.create({ ...person, password: 'Mia bakes 12 loaves' })
  })

  it('but an existing user with such a password can still log in', async () => {
    await using app = await createTestApp({ worker: false })
    await app.team()
    const { createPasswords } = await import('../../../packages/core/src/platform/crypto/password.ts')
    const hash = await createPasswords().hashPassword('Password1')
    await app.db.write((tx) => tx.run('update users set password_hash = ? where email = ?', [hash, admin]))
    const body = { email: admin, password: 'Password1', app: 'dashboard' }
    expect((await send(app, 'POST /login', { body })).status).toBe(200)
  })
})
