import { describe, expect, it } from 'vitest'
import { contents } from '../../domain/contents.ts'
import { signingKeys, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { createTestTokens } from '../../kit/test-tokens.ts'
import {
  begin,
  company,
  complete,
  createOpenApp,
  person,
  place,
  ready,
  registrationTables,
  send,
} from './registrations.ts'

/** What is wrong, field by field; `undefined` leaves the field out. */
type Wrong = ReadonlyArray<readonly [field: string, value: unknown]>

const wrongPeople: Wrong = [
  ['firstName', undefined],
  ['firstName', ''],
  ['firstName', '   '],
  ['firstName', 'Ines\nBcc: everybody@test.example'],
  ['firstName', 'x'.repeat(101)],
  ['lastName', 7],
  ['email', 'ines'],
  ['email', 'ines@'],
  ['email', `${'x'.repeat(250)}@test.example`],
  ['phone', ''],
  ['phone', 'call me'],
  ['phone', '123'],
  ['phone', '1'.repeat(16)],
  ['phone', null],
  ['password', 'Short-1'],
  ['password', 'no-capital-1'],
  ['password', 'No-digit-here'],
  ['password', 'ALLUPPER'],
  ['password', '12345678'],
  ['password', `A1${'x'.repeat(199)}`],
  ['country', 'ZZ'],
  ['country', 'UK'],
  ['country', 'GBR'],
  ['country', ''],
]

const wrongCompanies: Wrong = [
  ['companyName', ''],
  ['companyName', 'Hearth\u0000Oat'],
  ['website', ''],
  ['website', 'hearth'],
  ['website', 'not a website'],
  ['website', 'javascript:alert(1)'],
  ['website', 'ftp://hearth.example'],
  ['website', 'https://'],
  ['website', 'https://user:secret@hearth.example'],
  ['website', 'http://127.0.0.1/'],
  ['website', 'http://localhost'],
  ['website', 'https://[::1]/'],
  ['website', `https://hearth.example/${'x'.repeat(2_000)}`],
  ['industry', ' '],
  ['companySize', '11 to 50'],
  ['businessType', 'bakery'],
]

const wrongPlaces: Wrong = [
  ['state', ''],
  ['state', 'England'],
  ['state', 'US-CA'],
  ['timezone', 'London'],
  ['timezone', 'Mars/North'],
  ['timezone', '+01:00'],
  ['timezone', ''],
  ['gstNumber', ''],
  ['gstNumber', '!'],
]

const wrongPlans: Wrong = [
  ['plan', undefined],
  ['plan', 'enterprise'],
  ['plan', 'Pro'],
  ['plan', '__proto__'],
  ['coupon', ''],
  ['coupon', 'NOSUCH'],
  ['coupon', 5],
]

const without = (body: object, [field, value]: Wrong[number]) => ({ ...body, [field]: value })

/** Each answer with one thing wrong is refused by the name of the field, and keeps nothing. */
async function expectRefused(app: TestApp, route: string, body: object, wrong: Wrong, token?: string) {
  const before = await contents(app, registrationTables)
  for (const one of wrong) {
    const answer = await send(app, route, { body: without(body, one), ...(token && { token }) })
    expect(answer, one.join(' ')).toMatchObject({
      status: 400,
      json: { error: { code: 'VALIDATION_ERROR', field: one[0] } },
    })
  }
  expect(await contents(app, registrationTables)).toEqual(before)
}

/** A step is refused with what comes first, and keeps nothing. */
async function expectRefusedStep(
  app: TestApp,
  route: string,
  body: object,
  token: string,
  currentStep: number,
) {
  const before = await contents(app, registrationTables)
  expect(await send(app, route, { token, body }), route).toMatchObject({
    status: 409,
    json: { error: { code: 'CONFLICT', details: { currentStep } } },
  })
  expect(await contents(app, registrationTables)).toEqual(before)
}

describe('auth.register.start', () => {
  it('creates a registration, and returns the token for its next steps', async () => {
    await using app = await createOpenApp({ worker: false })
    const started = await send(app, 'POST /register/start', { body: person })
    expect(started).toMatchObject({ status: 201, json: { step: 1, sessionToken: expect.any(String) } })
    const session = await send(app, 'GET /register/session', { token: started.json.sessionToken })
    expect(session.json).toMatchObject({ currentStep: 2, prefilled: { email: person.email } })
    expect(await app.db.sql.all('select id from users')).toEqual([])
  })

  it('rejects incomplete data of a person, and creates nothing', async () => {
    await using app = await createOpenApp({ worker: false })
    await expectRefused(app, 'POST /register/start', person, wrongPeople)
  })
})

describe('auth.register.company', () => {
  it('stores the company, also when sent again', async () => {
    await using app = await createOpenApp({ worker: false })
    const token = await begin(app)
    for (const companyName of ['Hearth & Oat', 'Oat & Hearth']) {
      const body = { ...company, companyName }
      const answer = await send(app, 'POST /register/step/2', { token, body })
      expect(answer).toMatchObject({ status: 200, json: { step: 2 } })
      const { json } = await send(app, 'GET /register/session', { token })
      expect(json).toMatchObject({ currentStep: 3, prefilled: body })
    }
  })

  it('rejects incomplete data of a company, and a completed registration', async () => {
    await using app = await createOpenApp({ worker: false })
    await expectRefused(app, 'POST /register/step/2', company, wrongCompanies, await begin(app))
    const token = await ready(app, { person: { email: 'done@hearth.example' } })
    await complete(app, token)
    await expectRefusedStep(app, 'POST /register/step/2', company, token, 4)
  })
})

describe('auth.register.place', () => {
  it('stores the location', async () => {
    await using app = await createOpenApp({ worker: false })
    const token = await begin(app)
    await send(app, 'POST /register/step/2', { token, body: company })
    const answer = await send(app, 'POST /register/step/3', { token, body: place })
    expect(answer).toMatchObject({ status: 200, json: { step: 3 } })
    const { json } = await send(app, 'GET /register/session', { token })
    expect(json).toMatchObject({ currentStep: 4, prefilled: place })
  })

  it('rejects incomplete data of a location, a missing company, and a completed registration', async () => {
    await using app = await createOpenApp({ worker: false })
    const token = await begin(app)
    await expectRefusedStep(app, 'POST /register/step/3', place, token, 2)
    await send(app, 'POST /register/step/2', { token, body: company })
    await expectRefused(app, 'POST /register/step/3', place, wrongPlaces, token)
    await send(app, 'POST /register/step/3', { token, body: place })
    await complete(app, token)
    await expectRefusedStep(app, 'POST /register/step/3', place, token, 4)
  })

  it('accepts an Indian tax number with a valid check character', async () => {
    await using app = await createOpenApp({ worker: false })
    const token = await begin(app, { country: 'IN' })
    await send(app, 'POST /register/step/2', { token, body: company })
    const given = async (gstNumber: string) =>
      (await send(app, 'POST /register/step/3', { token, body: { ...place, state: 'KA', gstNumber } })).status
    expect(await given('29AAGCB7383J1Z4')).toBe(200)
    for (const wrong of [
      '29AAGCB7383J1Z5',
      '29AAGCB7384J1Z4',
      '29AAGCB7383J1Z',
      'GB123456789',
      '9AAGCB7383J1Z4A',
    ])
      expect(await given(wrong), wrong).toBe(400)
  })

  it('removes the tax number when the step is repeated without one', async () => {
    await using app = await createOpenApp({ worker: false })
    const token = await ready(app, { place: { gstNumber: 'GB 123 4567 89' } })
    await send(app, 'POST /register/step/3', { token, body: place })
    expect((await send(app, 'GET /register/session', { token })).json.prefilled).not.toHaveProperty(
      'gstNumber',
    )
  })
})

describe('auth.register.complete', () => {
  it('creates a tenant with an admin who is logged in, once', async () => {
    await using app = await createOpenApp({ worker: false })
    const token = await ready(app)
    const done = await complete(app, token)
    expect(done).toMatchObject({ status: 201, json: { plan: 'free' } })
    const { tenantId, userId, accessToken } = done.json
    expect(await app.clientFor(accessToken).call('auth', 'GET /me')).toMatchObject({
      id: userId,
      email: person.email,
      role: 'admin',
    })
    expect(await app.db.sql.all('select id, name from tenants')).toEqual([
      { id: tenantId, name: company.companyName },
    ])
    await expectRefusedStep(app, 'POST /register/complete', { plan: 'free' }, token, 4)
  })

  it('rejects unknown plans and coupons, and a registration with missing steps', async () => {
    await using app = await createOpenApp({ worker: false })
    const token = await begin(app)
    const free = { plan: 'free' }
    await expectRefusedStep(app, 'POST /register/complete', free, token, 2)
    await send(app, 'POST /register/step/2', { token, body: company })
    await expectRefusedStep(app, 'POST /register/complete', free, token, 3)
    await send(app, 'POST /register/step/3', { token, body: place })
    await expectRefused(app, 'POST /register/complete', free, wrongPlans, token)
    expect((await complete(app, token)).status).toBe(201)
  })
})

describe('auth.register.session', () => {
  it('returns the progress and data of a registration', async () => {
    await using app = await createOpenApp({ worker: false })
    const { password: _, ...known } = person
    const token = await begin(app, { email: 'Ines@Hearth.Example' })
    const session = async () => (await send(app, 'GET /register/session', { token })).json
    expect(await session()).toEqual({ currentStep: 2, completedSteps: [1], prefilled: known })
    await send(app, 'POST /register/step/2', { token, body: company })
    const prefilled = { ...known, ...company }
    expect(await session()).toEqual({ currentStep: 3, completedSteps: [1, 2], prefilled })
    await send(app, 'POST /register/step/3', { token, body: place })
    expect(await session()).toEqual({
      currentStep: 4,
      completedSteps: [1, 2, 3],
      prefilled: { ...prefilled, ...place },
    })
    await complete(app, token)
    expect(await session()).toMatchObject({ currentStep: 4, completedSteps: [1, 2, 3, 4] })
  })

  it('rejects an access token, and the token of an unknown registration', async () => {
    const clock = createTestClock()
    await using app = await createOpenApp({ worker: false, clock })
    const { adminToken, adminId } = await app.team()
    const nobody = createTestTokens({ signingKeys, clock }).sign('registration', { sub: adminId })
    for (const [token, code] of [
      [adminToken, 'INVALID_TOKEN'],
      [nobody, 'UNAUTHORIZED'],
    ] as const)
      expect(await send(app, 'GET /register/session', { token })).toMatchObject({
        status: 401,
        json: { error: { code } },
      })
  })
})
