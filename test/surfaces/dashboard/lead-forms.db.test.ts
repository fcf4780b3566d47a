import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { refusal } from '../refusal.ts'

const site = 'https://www.shop.example'
let app: TestApp

beforeAll(async () => {
  app = await createTestApp()
})

afterAll(() => app[Symbol.asyncDispose]())

const createForm = (more: object, { admin }: Team) =>
  admin.call('dashboard', 'POST /lead-forms', { body: { name: 'Contact', allowedOrigins: [site], ...more } })

describe('dashboard.lead_forms.list, dashboard.lead_forms.get and dashboard.lead_forms.delete', () => {
  it('are for admins, show where a form is sent to, and forget what is deleted', async () => {
    const team = await app.team()
    const form = await createForm({ allowedOrigins: [site, site] }, team)
    expect(form).toMatchObject({ allowedOrigins: [site], honeypot: 'website', active: true, received: 0 })
    expect(new URL(form.url).pathname).toBe(`/forms/v1/${form.id}`)
    const params = { formId: form.id }
    const get = () => team.admin.call('dashboard', 'GET /lead-forms/:formId', { params })
    expect((await team.admin.call('dashboard', 'GET /lead-forms')).data).toEqual([await get()])
    expect(await refusal(team.member.call('dashboard', 'GET /lead-forms'))).toMatchObject({ status: 403 })
    await team.admin.call('dashboard', 'DELETE /lead-forms/:formId', { params })
    expect(await refusal(get())).toMatchObject({ status: 404 })
  })
})

describe('dashboard.lead_forms.create and dashboard.lead_forms.change', () => {
  it('rejects inputs that contradict each other, and more than fifty forms', async () => {
    const other = await app.team()
    const tried = (more: object) => refusal(createForm(more, other))
    const at = (field: string) => ({ status: 400, code: 'VALIDATION_ERROR', field })
    const email = { input: 'email', fills: 'email' as const }
    expect(await tried({ allowedOrigins: ['https://shop.example/'] })).toEqual(at('allowedOrigins.0'))
    expect(await tried({ redirectUrls: ['javascript:alert(1)'] })).toEqual(at('redirectUrls.0'))
    expect(await tried({ fields: [email, { input: 'email', fills: 'phone' }] })).toEqual(at('fields.1.input'))
    expect(await tried({ fields: [email, { input: 'mail', fills: 'email' }] })).toEqual(at('fields.1.fills'))
    expect(await tried({ fields: [{ input: 'text', fills: 'message' }] })).toEqual(at('fields'))
    expect(await tried({ fields: [email], honeypot: 'email' })).toEqual(at('honeypot'))
    expect(await tried({ fields: [email], consentText: 'Yes' })).toEqual(at('consentText'))
    const own = await createForm({}, other)
    const params = { formId: own.id }
    const change = { honeypot: 'email' }
    expect(
      await refusal(other.admin.call('dashboard', 'PATCH /lead-forms/:formId', { params, body: change })),
    ).toEqual(at('honeypot'))
    for (let n = 1; n < 50; n += 1) await createForm({ name: `Form ${n}` }, other)
    expect(await tried({})).toMatchObject({ status: 422 })
  })
})
