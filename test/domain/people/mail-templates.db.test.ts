import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mailKinds } from '../../../packages/core/src/composition/mails.ts'
import { mailOf, shippedTemplate } from '../../../packages/core/src/domain/people/mail/templates/kinds.ts'
import { fillTemplate } from '../../../packages/core/src/domain/people/mail/templates/render.ts'
import { namesIn, renderTemplate } from '../../../packages/core/src/platform/mail/liquid.ts'
import { createTestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { nthMail } from '../../kit/mail.ts'
import { createOperator, type Operator } from '../../kit/operator.ts'
import { admin } from '../../surfaces/auth/accounts.ts'

const path = '/admin/v1/email-templates'
const kinds = [...mailKinds.values()].map((kind) => [kind.slug, kind] as const)

const paragraphs = (html: string) => [...html.matchAll(/<p>([\s\S]*?)<\/p>/g)].map(([, inside]) => inside)

describe('a shipped mail', () => {
  it.each(kinds)(
    '%s uses what it declares, and has both parts, with all variables and with the required ones',
    async (_, kind) => {
      const source = shippedTemplate(kind)
      const names = await Promise.all([source.subject, source.bodyText, source.bodyHtml].map(namesIn))
      const declared = source.variables.map(({ key }) => key)
      expect(new Set(names.flat()).difference(new Set(declared))).toEqual(new Set())
      expect(names[1]?.toSorted()).toEqual(names[2]?.toSorted())
      const least = source.variables.filter(({ required }) => required).map(({ key }) => key)
      const [all] = await Promise.all(
        [declared, least].map(async (keys) => {
          const values = Object.fromEntries(keys.map((key) => [key, `value-of-${key}`]))
          const written = await fillTemplate(source, mailOf(kind, values).values)
          expect(written.subject).not.toBe('')
          for (const part of Object.values(written)) expect(part).not.toMatch(/\{\{|\{%|undefined/)
          return written
        }),
      )
      for (const [, key] of source.bodyText.matchAll(/\{\{ (\w+)/g))
        for (const part of [all?.text, all?.html]) expect(part).toContain(`value-of-${key}`)
    },
  )

  it.each(kinds)('%s lets no value add markup, a header, or a paragraph of ours', async (_, kind) => {
    const source = shippedTemplate(kind)
    const keys = source.variables.map(({ key }) => key)
    const plain = await fillTemplate(source, mailOf(kind, valuesFor(keys, 'x')).values)
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: hostile, maxLength: 60 }), async (text) => {
        const evil = await fillTemplate(source, mailOf(kind, valuesFor(keys, `x${text}x`)).values)
        expect(evil.subject).not.toMatch(/[\r\n]/)
        expect(evil.html.match(/<[a-z/!][^>]*>/g)?.length).toBe(plain.html.match(/<[a-z/!][^>]*>/g)?.length)
        expect(paragraphs(evil.html)).toHaveLength(paragraphs(plain.html).length)
        expect(evil.text.split('\n')).toHaveLength(plain.text.split('\n').length)
      }),
      { numRuns: 30 },
    )
  })
})

const hostile = fc.constantFrom(
  '\n',
  '\r\n',
  '<p>',
  '</p>',
  '"',
  "'",
  '&',
  '{{ name }}',
  '{% raw %}',
  '> ',
  '\u2028',
  'a',
)

/** Values of one paragraph each. */
const valuesFor = (keys: readonly string[], value: string) =>
  Object.fromEntries(keys.map((key) => [key, key === 'text' || key === 'message' ? 'x' : value]))

describe('a template', () => {
  it.each([
    ['{{ name.constructor }}', ''],
    ['{{ name.__proto__ }}', ''],
    ['{{ __proto__ }}{{ constructor }}{{ toString }}', ''],
    ['{{ process }}{{ global }}{{ tenant }}{{ settings.secret }}', ''],
    ['{{ "a" | date: "%Y" }}', 'a'],
  ])('%s knows nothing but its variables', async (source, seen) => {
    expect(await renderTemplate(source, 'text', { name: 'Ada' })).toBe(seen)
  })

  it('escapes its variables in HTML, also by the detour of other filters', async () => {
    const name = '<img src=x onerror=alert(1)>'
    expect(
      await renderTemplate('{{ name }}|{{ name | upcase }}|{{ name | quoted }}', 'html', { name }),
    ).not.toMatch(/<img/i)
    const { html } = await fillTemplate(
      { subject: 's', bodyText: 't', bodyHtml: '{{ name | raw }}' },
      { name },
    )
    expect(html).not.toMatch(/onerror/)
  })

  it('ends with an error in place of a loop that would hold up the server', async () => {
    for (const source of [
      '{% for i in (1..100000) %}{% for j in (1..100000) %}{% endfor %}{% endfor %}',
      '{% assign a = "0123456789" %}{% for i in (1..60) %}{% assign a = a | append: a %}{% endfor %}{{ a }}',
      '{% for i in (1..19000) %}{{ name | replace: "o", "0123456789012345678901234567890123456789" }}{% endfor %}',
    ])
      await expect(renderTemplate(source, 'text', { name: 'o'.repeat(100) }), source).rejects.toMatchObject({
        name: 'TemplateError',
      })
  })
})

describe('the templates of a tenant', () => {
  const changed = (slug: string, changes: object) => ({
    name: 'Ours',
    slug,
    subject: 'Ours',
    bodyHtml: '<p>Ours: {{ url }}</p>',
    bodyText: 'Ours: {{ url }}',
    variables: [{ key: 'url', description: '', required: true }],
    category: 'custom',
    sendVia: 'smtp',
    ...changes,
  })
  const forgot = (app: Awaited<ReturnType<typeof createTestApp>>, email: string) =>
    app.clientFor().call('auth', 'POST /forgot-password', { body: { email } })

  async function globalOf({ send }: Operator, slug: string): Promise<string> {
    const { data } = (await send('GET', path)).json
    return data.find((one: { slug: string }) => one.slug === slug).id
  }

  it('word its mails and no one else’s, before those of the installation and what is shipped', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock })
    const operator = await createOperator(app)
    const ours = await app.team()
    await app.team('Others')
    const own = (await operator.send('POST', path, changed('password-reset', { tenantId: ours.tenantId })))
      .json
    await forgot(app, admin)
    expect(await nthMail(app, 1)).toMatchObject({
      subject: 'Ours',
      text: expect.stringMatching(/^Ours: https?:/),
    })
    await forgot(app, 'olga@test.example')
    expect((await nthMail(app, 2)).subject).toBe('Choose a new password for Copydesk')

    // One that is switched off is passed over.
    await operator.send('PATCH', `${path}/${own.id}`, { isActive: false })
    const id = await globalOf(operator, 'password-reset')
    await operator.send('PATCH', `${path}/${id}`, { subject: 'Of the installation' })
    clock.advance(3_600_000)
    await operator.renew()
    await forgot(app, admin)
    expect((await nthMail(app, 3)).subject).toBe('Of the installation')
    await operator.send('PATCH', `${path}/${id}`, { isActive: false })
    clock.advance(3_600_000)
    await forgot(app, admin)
    expect((await nthMail(app, 4)).subject).toBe('Choose a new password for Copydesk')
  })

  it('keep no mail from its reader when they cannot be rendered', async () => {
    await using app = await createTestApp({ allowErrors: true })
    await app.team()
    await app.db.write((tx) =>
      tx.run(`update email_templates set body_text = '{% if' where slug = 'password-reset'`, []),
    )
    await forgot(app, admin)
    expect((await nthMail(app, 1)).subject).toBe('Choose a new password for Copydesk')
  })

  it('are brought to what the product says by a newer version, unless they were changed', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const id = await globalOf(operator, 'invitation')
    await operator.send('PATCH', `${path}/${id}`, { subject: 'Come in' })
    await app.db.write((tx) =>
      tx.run(
        `update email_templates set body_text = 'of last year' where slug in ('invitation', 'report')`,
        [],
      ),
    )
    await app.copydesk.setUp()
    const textOf = async (slug: string) =>
      (await operator.send('GET', `${path}/${await globalOf(operator, slug)}`)).json.bodyText
    expect(await textOf('invitation')).toBe('of last year')
    expect(await textOf('report')).toContain('A report for')
  })
})
