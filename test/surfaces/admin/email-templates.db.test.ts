import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { createTestMailServer, type TestMailServer } from '../../kit/mail.ts'
import { createOperator, expectRefused, type Operator } from '../../kit/operator.ts'

const path = '/admin/v1/email-templates'
let server: TestMailServer
let app: TestApp
let operator: Operator

beforeAll(async () => {
  server = await createTestMailServer()
  app = await createTestApp({
    worker: false,
    mail: { from: 'Copydesk <desk@sender.example>', smtp: { host: '127.0.0.1', port: server.port } },
  })
  operator = await createOperator(app)
})

afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await server[Symbol.asyncDispose]()
})

const send = (method: string, rest = '', body?: object) => operator.send(method, `${path}${rest}`, body)

let count = 0
const template = (changes: object = {}) => ({
  name: 'Welcome',
  slug: `welcome-${(count += 1)}`,
  subject: 'Welcome, {{ name }}',
  bodyHtml: '<p>Hello {{ name }}{% if company %} of {{ company }}{% endif %}</p>',
  bodyText: 'Hello {{ name }}{% if company %} of {{ company }}{% endif %}',
  variables: [
    { key: 'name', description: 'The reader', required: true },
    { key: 'company', description: 'Where the reader works', required: false },
  ],
  category: 'custom',
  sendVia: 'smtp',
  ...changes,
})

interface Row {
  id: string
  slug: string
  tenantId: string | null
}

async function created(changes: object = {}): Promise<Row> {
  const { status, json } = await send('POST', '', template(changes))
  expect(status).toBe(201)
  return json
}

describe('admin.email_templates.list', () => {
  it('lists the shipped templates, and those of a tenant when it is named', async () => {
    const shipped: Row[] = (await send('GET')).json.data
    expect(shipped.map(({ slug }) => slug)).toEqual(
      expect.arrayContaining(['invitation', 'password-reset', 'invoice', 'report', 'approval-created']),
    )
    expect(shipped[0]).toEqual({
      id: expect.any(String),
      name: expect.any(String),
      slug: expect.any(String),
      subject: expect.any(String),
      category: expect.any(String),
      isActive: true,
      tenantId: null,
      sendVia: 'smtp',
      updatedOn: expect.any(String),
    })
    const { tenantId } = await app.team()
    const own = await created({ ...ownOf('activity-completed'), tenantId })
    const seen: Row[] = (await send('GET', `?filter.tenantId=${tenantId}`)).json.data
    expect(seen).toHaveLength(shipped.length + 1)
    expect(seen.filter((one) => one.tenantId !== null)).toMatchObject([{ id: own.id, tenantId }])
    expect((await send('GET')).json.data).toHaveLength(shipped.length)
    const billing: Row[] = (await send('GET', '?filter.category=billing')).json.data
    expect(billing.map(({ slug }) => slug)).toEqual(['invoice', 'payment-overdue', 'payment-reminder'])
  })
})

/** A template in place of a shipped one. */
function ownOf(slug: string) {
  return {
    slug,
    subject: 'Done: {{ title }}',
    bodyHtml: '<p>{{ title }}</p>',
    bodyText: '{{ title }}',
    variables: [{ key: 'title', description: 'What is done', required: true }],
  }
}

describe('admin.email_templates.get', () => {
  it('returns the texts and variables', async () => {
    const { id } = await created()
    const { tenantId, ...rest } = (await send('GET', `/${id}`)).json
    expect(tenantId).toBeNull()
    expect(rest).toMatchObject({ ...template(), slug: expect.any(String), id, isActive: true })
  })
})

describe('admin.email_templates.create', () => {
  it('rejects a slug that is taken, and a tenant’s template without one that it replaces', async () => {
    const { slug } = await created()
    const { tenantId } = await app.team()
    await expectRefused(app, () => send('POST', '', template({ slug })), { status: 409, code: 'CONFLICT' })
    await created({ slug, tenantId })
    await expectRefused(app, () => send('POST', '', template({ slug, tenantId })), {
      status: 409,
      code: 'CONFLICT',
    })
    await expectRefused(app, () => send('POST', '', template({ tenantId })), {
      status: 422,
      code: 'UNPROCESSABLE',
    })
    const unknown = template({ slug, tenantId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' })
    await expectRefused(app, () => send('POST', '', unknown), { status: 404, code: 'NOT_FOUND' })
  })

  it.each([
    ['a variable that is not declared', { bodyText: 'Hello {{ nickname }}' }, 'bodyText', /nickname/],
    ['a tag that is not closed', { bodyHtml: '<p>{% if name %}</p>' }, 'bodyHtml', /if/],
    ['an unknown filter', { subject: '{{ name | shout }}' }, 'subject', /shout/],
    ['another template', { bodyText: "{% include 'invitation' %}" }, 'bodyText', /include/],
    ['a file', { bodyText: "{% render '/etc/passwd' %}" }, 'bodyText', /render/],
    [
      'a loop that is too long',
      { bodyText: '{% for i in (1..900) %}{% for j in (1..900) %}x{% endfor %}{% endfor %}' },
      'bodyText',
      /limit/,
    ],
    [
      'a range that is too long',
      { bodyText: '{% for i in (1..90000000) %}{% endfor %}' },
      'bodyText',
      /limit/,
    ],
    [
      'the same variable twice',
      { variables: [0, 1].map(() => ({ key: 'name', description: '', required: true })) },
      'variables',
      /once/,
    ],
    [
      'a variable that its mails do not have',
      { slug: 'invoice', variables: [{ key: 'shoe', description: '', required: true }] },
      'variables.0.key',
      /shoe/,
    ],
    ['an unknown way out', { sendVia: 'pigeon' }, 'sendVia', /./],
    ['a slug that is none', { slug: 'Not a slug' }, 'slug', /./],
  ])('rejects %s', async (_, changes, field, message) => {
    const { status, json } = await send('POST', '', template(changes))
    expect([status, json.error.code, json.error.field]).toEqual([400, 'VALIDATION_ERROR', field])
    expect(json.error.message).toMatch(message)
  })

  it('rejects a way out that is not configured', async () => {
    const call = () => send('POST', '', template({ sendVia: 'cloud_mail' }))
    await expectRefused(app, call, { status: 422, code: 'UNPROCESSABLE' })
    expect((await call()).json.error.message).toContain('cloud_mail')
  })
})

describe('admin.email_templates.change', () => {
  it('changes what is named, and keeps the rest', async () => {
    const { id } = await created()
    const { json } = await send('PATCH', `/${id}`, { subject: 'Hi {{ name }}', isActive: false })
    expect(json).toMatchObject({ subject: 'Hi {{ name }}', isActive: false, name: 'Welcome' })
    const refused = await send('PATCH', `/${id}`, { variables: [] })
    expect([refused.status, refused.json.error.field]).toEqual([400, 'subject'])
    expect((await send('GET', `/${id}`)).json).toEqual(json)
  })
})

describe('admin.email_templates.delete', () => {
  it('deletes a template of the installation only when no tenant has its own', async () => {
    const { id, slug } = await created()
    const { tenantId } = await app.team()
    const own = await created({ slug, tenantId })
    await expectRefused(app, () => send('DELETE', `/${id}`), { status: 409, code: 'CONFLICT' })
    expect((await send('DELETE', `/${own.id}`)).json).toEqual({ deleted: true })
    expect(await send('DELETE', `/${id}`)).toMatchObject({ status: 200, json: { deleted: true } })
    expect((await send('GET', `/${id}`)).status).toBe(404)
  })
})

describe('admin.email_templates.preview', () => {
  it('mails the template with the sample variables, without anything that runs', async () => {
    const { id } = await created({
      bodyHtml:
        '<style>p{}</style><script>alert(1)</script><p onclick="x()" style="color: red; background: url(http://x)">{{ name }}</p><a href="javascript:x">Go</a><form><input></form>',
    })
    const body = { to: 'ada@test.example', sampleVariables: { name: '<b>Ada</b>\r\nBcc: eve@evil.example' } }
    const before = server.taken.length
    const { status, json } = await send('POST', `/${id}/preview`, body)
    expect([status, json]).toEqual([
      200,
      { sent: true, messageId: expect.stringMatching(/^<.+@sender\.example>$/) },
    ])
    const taken = server.taken[before]
    expect(taken?.to).toEqual(['ada@test.example'])
    expect(taken?.mail.headers.get('message-id')).toBe(json.messageId)
    expect(taken?.mail.headers.has('bcc')).toBe(false)
    expect(taken?.mail.subject).toBe('Welcome, <b>Ada</b> Bcc: eve@evil.example')
    expect(taken?.mail.html).toContain('<p style="color:red">&lt;b&gt;Ada&lt;/b&gt;')
    expect(taken?.mail.html).not.toMatch(/script|onclick|url\(|<form|<input|p\{\}/)
  })

  it.each([
    ['a required variable is missing', {}, 'sampleVariables.name'],
    ['one is not declared', { name: 'Ada', age: '7' }, 'sampleVariables.age'],
  ])('is rejected when %s', async (_, sampleVariables, field) => {
    const { id } = await created()
    const before = server.taken.length
    const { status, json } = await send('POST', `/${id}/preview`, { to: 'ada@test.example', sampleVariables })
    expect([status, json.error.field]).toEqual([400, field])
    expect(server.taken).toHaveLength(before)
  })

  it('reports what the mail server answers', async () => {
    await using refusing = await createTestMailServer({
      recipient: () => ({ code: 550, text: 'no mailbox' }),
    })
    await using other = await createTestApp({
      worker: false,
      mail: { from: 'desk@sender.example', smtp: { host: '127.0.0.1', port: refusing.port } },
    })
    const own = await createOperator(other)
    const { data } = (await own.send('GET', path)).json
    const id = data.find(({ slug }: Row) => slug === 'password-changed').id
    const body = { to: 'gone@test.example', sampleVariables: { name: 'Ada', time: 'now' } }
    const { status, json } = await own.send('POST', `${path}/${id}/preview`, body)
    expect([status, json.error.code]).toEqual([422, 'UNPROCESSABLE'])
    expect(json.error.message).toContain('no mailbox')
  })
})

describe('admin.email_templates.versions', () => {
  it('lists every state, newest first', async () => {
    const { id } = await created()
    await send('PATCH', `/${id}`, { name: 'Second' })
    const { data } = (await send('GET', `/${id}/versions`)).json
    expect(data.map(({ version }: { version: number }) => version)).toEqual([2, 1])
  })
})

describe('admin.email_templates.version', () => {
  it('returns a state with what changed', async () => {
    const { id } = await created()
    await send('PATCH', `/${id}`, { name: 'Second' })
    const { json } = await send('GET', `/${id}/versions/2?against=1`)
    expect(json).toMatchObject({ version: 2, data: { name: 'Second' } })
    expect(JSON.stringify(json.changes)).toContain('name')
  })
})

describe('admin.email_templates.restore', () => {
  it('puts a state back, and a shipped text after a change', async () => {
    const { data } = (await send('GET')).json
    const id = data.find(({ slug }: Row) => slug === 'budget-alert').id
    const before = (await send('GET', `/${id}`)).json
    await send('PATCH', `/${id}`, { subject: 'Money!' })
    const { status, json } = await send('POST', `/${id}/versions/1/restore`)
    expect(status).toBe(200)
    expect(json).toEqual({ ...before, updatedOn: json.updatedOn })
    expect((await send('POST', `/${id}/versions/9/restore`)).status).toBe(404)
  })
})
