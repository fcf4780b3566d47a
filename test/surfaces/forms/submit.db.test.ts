import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { changedTables, fingerprint } from '../../kit/rows.ts'

const site = 'https://www.shop.example'
let app: TestApp
let team: Team
let form: Form

beforeAll(async () => {
  app = await createTestApp({ corsOrigins: [site, 'https://desk.example'] })
  team = await app.team()
  form = await createForm({ consentText: 'We may call you.' })
})

afterAll(() => app[Symbol.asyncDispose]())

type Form = Awaited<ReturnType<typeof createForm>>
const createForm = (more: object = {}, { admin }: Team = team) =>
  admin.call('dashboard', 'POST /lead-forms', { body: { name: 'Contact', allowedOrigins: [site], ...more } })

let senders = 0
/** Sends a form, each time from another address. */
function send({ id }: { id: string }, body: BodyInit | object, headers: Record<string, string> = {}) {
  senders += 1
  const isRaw = typeof body === 'string' || body instanceof FormData || body instanceof URLSearchParams
  const init = {
    method: 'POST',
    headers: { origin: site, ...(!isRaw && { 'content-type': 'application/json' }), ...headers },
    body: isRaw ? body : JSON.stringify(body),
  }
  return app.fetch(`/forms/v1/${id}`, init, { ip: `10.9.${senders >> 8}.${senders & 255}` })
}

const leadsOf = async ({ member }: Team, search: string) =>
  (await member.call('dashboard', 'GET /leads', { query: { search } })).data
const timelineOf = async ({ member }: Team, leadId: string) =>
  (await member.call('dashboard', 'GET /leads/:leadId', { params: { leadId } })).timeline
const codeOf = async (response: Response) => {
  const { error } = (await response.json()) as { error: { code: string; field?: string } }
  return [response.status, error.code, ...(error.field === undefined ? [] : [error.field])]
}

describe('forms.submit and forms.thanks', () => {
  it('makes a lead of what was filled in, in each of the three forms in which browsers send it', async () => {
    const person = (n: number) => ({ name: `Ina Kern${n}`, email: `ina${n}@kern.example`, message: 'Hello' })
    const multipart = new FormData()
    for (const [name, value] of Object.entries(person(3))) multipart.append(name, value)
    multipart.append('upload', new File([], ''))
    for (const body of [person(1), new URLSearchParams(person(2)), multipart]) {
      const answer = await send(form, body)
      expect([answer.status, await answer.json()]).toEqual([200, { received: true }])
    }
    const found = await leadsOf(team, 'ina')
    expect(found.map(({ lastName, source, sourceRef }) => [lastName, source, sourceRef])).toEqual([
      ['Kern3', 'form', 'Contact'],
      ['Kern2', 'form', 'Contact'],
      ['Kern1', 'form', 'Contact'],
    ])
  })

  it('keeps the message, the consent with its time and the page, and nothing that could act', async () => {
    const own = await createForm({
      name: 'Quote',
      consentText: 'We may call you.',
      fields: [
        { input: 'who', fills: 'name', required: true },
        { input: 'tel', fills: 'phone' },
        { input: 'text', fills: 'message' },
        { input: 'ok', fills: 'consent', required: true },
        { input: 'budget', fills: 'other' },
      ],
    })
    const sent = {
      who: 'Eva\u0000 \u0007Stein\r\n',
      tel: '+49 30 5550001',
      text: '<b>Hi</b>\r\n{{name}}\u0008',
      budget: '=1+1',
      ok: 'on',
      unknown: 'left out',
      _page: `${site}/contact?utm=1#top`,
    }
    expect((await send(own, sent)).status).toBe(200)
    const [lead] = await leadsOf(team, 'stein')
    expect(lead).toMatchObject({ firstName: 'Eva', lastName: 'Stein', phone: '+49 30 5550001' })
    const [said, entry] = await timelineOf(team, lead?.id ?? '')
    expect(said).toMatchObject({ kind: 'agreed', actor: { id: null } })
    expect(entry).toMatchObject({ kind: 'comment', actor: { id: null, name: 'Quote' } })
    expect(entry?.text).toMatch(
      /^<b>Hi<\/b>\n\{\{name\}\}\n\nbudget: =1\+1\nAgreed on \S+Z to: We may call you\.\nPage: https:\/\/www\.shop\.example\/contact\?utm=1$/,
    )
    expect(await codeOf(await send(own, { ...sent, ok: 'false' }))).toEqual([400, 'VALIDATION_ERROR', 'ok'])
    expect(await codeOf(await send(own, { ...sent, who: ' ' }))).toEqual([400, 'VALIDATION_ERROR', 'who'])
  })

  it('answers alike whether someone is known, and adds to the timeline in place of a second lead', async () => {
    const first = { name: 'Kai Blum', email: 'Kai@blum.example', message: 'First' }
    const made = await send(form, first)
    const again = await send(form, { name: 'Someone Else', email: 'kai@BLUM.example', message: 'Second' })
    const told = async (answer: Response) => [
      answer.status,
      await answer.json(),
      [...answer.headers.keys()].toSorted(),
    ]
    expect(await told(again)).toEqual(await told(made))
    const found = await leadsOf(team, 'kai')
    expect(found.map(({ firstName, lastName, email }) => [firstName, lastName, email])).toEqual([
      ['Kai', 'Blum', 'Kai@blum.example'],
    ])
    const texts = (await timelineOf(team, found[0]?.id ?? '')).map(({ text }) => text)
    expect(texts).toEqual([
      'Was asked, and did not agree to: We may call you.',
      'Second',
      'Was asked, and did not agree to: We may call you.',
      'First',
      'Created, source form',
    ])
    const { data } = await team.admin.call('tenant', 'GET /notifications')
    expect(data.map(({ title }) => title)).toEqual(
      expect.arrayContaining(['New lead: Kai Blum', 'A lead has written again: Someone Else']),
    )
  })

  it('answers programs as people and keeps nothing of theirs', async () => {
    const own = await createForm({ honeypot: 'homepage' })
    const person = { name: 'Max Robot', email: 'max@robot.example' }
    const programs = [
      { ...person, homepage: 'https://spam.example' },
      { ...person, _opened: Date.now() },
      { ...person, name: 'Win https://spam.example' },
      { ...person, message: 'https://a.example '.repeat(6) },
    ]
    for (const body of programs) {
      const answer = await send(own, body)
      expect([answer.status, await answer.json()]).toEqual([200, { received: true }])
    }
    expect(await leadsOf(team, 'robot')).toEqual([])
    expect((await send(own, { ...person, homepage: '', _opened: Date.now() - 60_000 })).status).toBe(200)
    expect(await leadsOf(team, 'robot')).toHaveLength(1)
    const params = { formId: own.id }
    const state = await team.admin.call('dashboard', 'GET /lead-forms/:formId', { params })
    expect(state).toMatchObject({ received: 1, dropped: 4 })
  })

  it('takes it from pages of its own sites only, and lets only those read the answer', async () => {
    const preflight = (origin: string) =>
      app.fetch(`/forms/v1/${form.id}`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      })
    const allowed = await preflight(site)
    expect([
      allowed.status,
      allowed.headers.get('access-control-allow-origin'),
      allowed.headers.get('access-control-allow-methods'),
    ]).toEqual([204, site, 'POST'])
    // One that the server is configured with is none of the form's.
    const other = await preflight('https://desk.example')
    expect(other.headers.get('access-control-allow-origin')).toBeNull()
    const before = await fingerprint(app.db)
    for (const origin of ['https://desk.example', 'https://www.shop.example.evil.example', 'null']) {
      const refused = await send(form, { name: 'Eve', email: 'eve@evil.example' }, { origin })
      expect(refused.headers.get('access-control-allow-origin')).toBeNull()
      expect(await codeOf(refused)).toEqual([403, 'FORBIDDEN'])
    }
    expect(changedTables(before, await fingerprint(app.db))).toEqual([])
    const wrong = await send(form, { email: 'none' })
    expect(wrong.headers.get('access-control-allow-origin')).toBe(site)
    expect(await codeOf(wrong)).toEqual([400, 'VALIDATION_ERROR', 'email'])
  })

  it('sends browsers on: to a redirect URL of the form, to its thank-you page, or to a page that says what is wrong', async () => {
    const asPage = { accept: 'text/html,application/xhtml+xml;q=0.9' }
    const one = `${site}/thanks`
    const two = `${site}/danke`
    const own = await createForm({ redirectUrls: [one, two] })
    const person = (n: number) => new URLSearchParams({ name: `Uwe Page${n}`, email: `uwe${n}@page.example` })
    const first = await send(own, person(1), asPage)
    expect([first.status, first.headers.get('location')]).toEqual([303, one])
    const wanted = person(2)
    wanted.append('_redirect', two)
    expect((await send(own, wanted, asPage)).headers.get('location')).toBe(two)
    wanted.set('_redirect', 'https://evil.example/')
    const refused = await send(own, wanted, asPage)
    expect([refused.status, refused.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8'])
    expect(await refused.text()).toContain('Is none of the redirect URLs')
    const plain = await createForm({ thankYou: 'Danke <b>sehr</b>' })
    const place = (await send(plain, person(3), asPage)).headers.get('location') ?? ''
    const page = await app.fetch(new URL(place, 'http://copydesk.test/forms/v1/').pathname)
    expect([page.status, await page.text()]).toEqual([
      200,
      expect.stringContaining('Danke &lt;b&gt;sehr&lt;/b&gt;'),
    ])
  })

  it('refuses what is no form, with the reason', async () => {
    const cases: Array<[BodyInit | object, Record<string, string>, unknown[]]> = [
      ['hello', { 'content-type': 'text/plain' }, [415, 'UNSUPPORTED_MEDIA_TYPE']],
      ['{"name":', { 'content-type': 'application/json' }, [400, 'VALIDATION_ERROR']],
      ['[]', { 'content-type': 'application/json' }, [400, 'VALIDATION_ERROR']],
      [{ name: { first: 'Ann' } }, {}, [400, 'VALIDATION_ERROR', 'name']],
      ['x', { 'content-type': 'multipart/form-data' }, [400, 'VALIDATION_ERROR']],
      [{}, {}, [400, 'VALIDATION_ERROR', 'email']],
      [{ name: 'x'.repeat(17_000) }, {}, [413, 'PAYLOAD_TOO_LARGE']],
      [{ name: 'A', message: 'x'.repeat(5_001) }, {}, [400, 'VALIDATION_ERROR', 'message']],
      [
        Object.fromEntries(Array.from({ length: 61 }, (_, n) => [`a${n}`, '1'])),
        {},
        [400, 'VALIDATION_ERROR'],
      ],
    ]
    const file = new FormData()
    file.append('cv', new File(['%PDF'], 'cv.pdf'))
    for (const [body, headers, told] of [...cases, [file, {}, [400, 'VALIDATION_ERROR', 'cv']] as const])
      expect(await codeOf(await send(form, body, headers))).toEqual(told)
  })

  it('takes ten a minute from one address, and a hundred an hour by one form', async () => {
    const own = await createForm({ notify: false })
    const statuses: number[] = []
    for (let n = 0; n < 11; n += 1) {
      const body = new URLSearchParams({ email: 'one@address.example' })
      const answer = await app.fetch(`/forms/v1/${own.id}`, { method: 'POST', body }, { ip: '10.8.0.1' })
      statuses.push(answer.status)
    }
    expect(statuses).toEqual([...Array<number>(10).fill(200), 429])
    for (let n = 10; n < 100; n += 1) await send(own, { email: 'one@address.example' })
    const refused = await send(own, { email: 'two@address.example' })
    expect(await codeOf(refused)).toEqual([429, 'RATE_LIMITED'])
    expect(await leadsOf(team, 'two@address')).toEqual([])
  })

  it('stores nothing while the form is closed or its tenant is suspended or in arrears, and says so', async () => {
    const other = await app.team()
    const own = await createForm({}, other)
    const params = { formId: own.id }
    const set = (sql: string) =>
      app.db.write((tx) => tx.run(`update tenants set ${sql} where id = ?`, [other.tenantId]))
    const refused = async () => codeOf(await send(own, { email: 'late@shut.example' }))
    const closed = [422, 'UNPROCESSABLE']
    await other.admin.call('dashboard', 'PATCH /lead-forms/:formId', { params, body: { active: false } })
    expect(await refused()).toEqual(closed)
    await other.admin.call('dashboard', 'PATCH /lead-forms/:formId', { params, body: { active: true } })
    await set('awaits_payment = true')
    expect(await refused()).toEqual(closed)
    await set(`awaits_payment = false, status = 'suspended'`)
    expect(await refused()).toEqual(closed)
    await set(`status = 'active'`)
    expect(await leadsOf(other, 'late')).toEqual([])
    expect((await send(own, { email: 'late@shut.example' })).status).toBe(200)
    await other.admin.call('dashboard', 'DELETE /lead-forms/:formId', { params })
    expect(await codeOf(await send(own, { email: 'gone@shut.example' }))).toEqual([404, 'NOT_FOUND'])
    expect(await leadsOf(other, 'late')).toHaveLength(1)
  })
})
