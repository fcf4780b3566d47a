import { describe, expect, it } from 'vitest'
import { contents } from '../../domain/contents.ts'
import { begin, company, complete, createOpenApp, ready, registrationTables, send } from './registrations.ts'

describe('input of a visitor', () => {
  it('is rejected when it is invalid', async () => {
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

  it('is accepted in the usual spellings', async () => {
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
})
