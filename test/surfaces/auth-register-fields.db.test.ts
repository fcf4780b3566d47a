import { describe, expect, it } from 'vitest'

import { contents } from '../domain/contents.ts'
import {
  createOpenApp,
  begin,
  company,
  complete,
  person,
  place,
  ready,
  registrationTables,
  send,
} from './registering.ts'

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

const without = (body: object, [field, value]: Wrong[number]) => ({ ...body, [field]: value })

describe('what a visitor answers', () => {
  it('is refused when a person does not hold what it must, and nothing is begun', async () => {
    await using app = await createOpenApp({ worker: false })
    const before = await contents(app, registrationTables)
    for (const wrong of wrongPeople) {
      const answer = await send(app, 'POST /register/start', { body: without(person, wrong) })
      expect(answer, wrong.join(' ')).toMatchObject({
        status: 400,
        json: { error: { code: 'VALIDATION_ERROR', field: wrong[0] } },
      })
    }
    expect(await contents(app, registrationTables)).toEqual(before)
  })

  it('is refused when a company or a place does not hold what it must, and the step stays open', async () => {
    await using app = await createOpenApp({ worker: false })
    const token = await begin(app)
    const refused = async (route: string, body: object, wrong: Wrong) => {
      const before = await contents(app, registrationTables)
      for (const one of wrong) {
        expect(await send(app, route, { token, body: without(body, one) }), one.join(' ')).toMatchObject({
          status: 400,
          json: { error: { code: 'VALIDATION_ERROR', field: one[0] } },
        })
      }
      expect(await contents(app, registrationTables)).toEqual(before)
    }
    await refused('POST /register/step/2', company, wrongCompanies)
    await send(app, 'POST /register/step/2', { token, body: company })
    await refused('POST /register/step/3', place, wrongPlaces)
    await send(app, 'POST /register/step/3', { token, body: place })
    await refused('POST /register/complete', { plan: 'free' }, [
      ['plan', undefined],
      ['plan', 'enterprise'],
      ['plan', 'Pro'],
      ['plan', '__proto__'],
      ['coupon', ''],
      ['coupon', 'NOSUCH'],
      ['coupon', 5],
    ])
    expect((await complete(app, token)).status).toBe(201)
  })

  it('is refused when it is rubbish', async () => {
    await using app = await createOpenApp({ worker: false })
    const token = await ready(app)
    const before = await contents(app, registrationTables)
    const rubbish = ['{', '[]', '"text"', 'null', '', '{"__proto__":{"step":3}}', '['.repeat(5_000)]
    for (const body of rubbish)
      for (const path of ['start', 'step/2', 'step/3', 'complete']) {
        const answer = await send(app, `POST /register/${path}`, { token, body })
        expect(answer, `${path} ${body.slice(0, 20)}`).toMatchObject({
          status: 400,
          json: { error: { code: 'VALIDATION_ERROR' } },
        })
      }
    expect(await contents(app, registrationTables)).toEqual(before)
  })

  it('is taken as people write it', async () => {
    await using app = await createOpenApp({ worker: false })
    const token = await begin(app, {
      firstName: '  Ines ',
      email: ' INES@Hearth.Example ',
      country: 'in',
      phone: '(080) 4567-8901',
      password: 'Größe-1-über',
    })
    const body = { ...company, website: 'Hearth.Example' }
    expect((await send(app, 'POST /register/step/2', { token, body })).status).toBe(200)
    const home = { state: 'in-ka', timezone: 'Asia/Kolkata', gstNumber: '27aapfu0939f1zv' }
    expect((await send(app, 'POST /register/step/3', { token, body: home })).status).toBe(200)
    expect((await send(app, 'GET /register/session', { token })).json.prefilled).toMatchObject({
      firstName: 'Ines',
      email: 'ines@hearth.example',
      country: 'IN',
      website: 'https://hearth.example/',
      state: 'KA',
      timezone: 'Asia/Kolkata',
      gstNumber: '27AAPFU0939F1ZV',
    })
    expect((await complete(app, token)).status).toBe(201)
    expect(await app.db.sql.all('select state, gstin from tenant_profiles')).toEqual([
      { state: 'KA', gstin: '27AAPFU0939F1ZV' },
    ])
  })

  it('in India takes a tax number whose check character is right', async () => {
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

  it('forgets a tax number when the step is taken again without one', async () => {
    await using app = await createOpenApp({ worker: false })
    const token = await ready(app, { place: { gstNumber: 'GB 123 4567 89' } })
    await send(app, 'POST /register/step/3', { token, body: place })
    expect((await send(app, 'GET /register/session', { token })).json.prefilled).not.toHaveProperty(
      'gstNumber',
    )
  })
})
