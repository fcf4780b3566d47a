import { describe, expect, it } from 'vitest'
import { mailSections } from '../../../packages/core/src/domain/delivery/mailing/sections.ts'
import {
  unknownPlaceholders,
  wordMail,
} from '../../../packages/core/src/domain/delivery/mailing/word-mail.ts'
import { NewSequence } from '../../../packages/core/src/domain/delivery/sequences/schemas.ts'

const values = { firstName: 'Ann', lastName: 'Field', company: '' }
const worded = (body: string) =>
  wordMail({ subject: 'Hello', body }, { values, from: 'Oats', link: 'https://desk.example/u' }).text

describe('wordMail', () => {
  it('shows pictures where they have an address, and their words where they have none', () => {
    const [one, gone] = ['asset:01HZZZZZZZZZZZZZZZZZZZZZZZ', 'asset:../x']
    const body = `See ![a "loaf" & https://oats.example.](${one})!\n\n![](${one}) ![Words](${gone}) ![](${gone})`
    const about = { values, from: 'Oats', link: 'https://desk.example/u' }
    const addresses = new Map([[one, 'https://desk.example/a?b&c']])
    const { html, text } = wordMail({ subject: 'Hello', body }, about, addresses)
    const image = (alt: string) => `<img src="https://desk.example/a?b&amp;c" alt="${alt}">`
    expect(html).toContain(
      `<p>See ${image('a &quot;loaf&quot; &amp; https://oats.example.')}!</p>\n<p>${image('')} Words </p>`,
    )
    expect(text).toContain('See a "loaf" & https://oats.example.!\n\n Words ')
    expect(worded(body)).toContain('Words')
  })
})

describe('addresses in a mail', () => {
  it.each([
    ['<https://oats.example/a?b=1&c>', '&lt;', 'https://oats.example/a?b=1&amp;c', '&gt;'],
    ['"https://oats.example/rye"', '&quot;', 'https://oats.example/rye', '&quot;'],
    ["'https://oats.example/it's'", '&#39;', 'https://oats.example/it&#39;s', '&#39;'],
    ['(see https://oats.example/rye).', '(see ', 'https://oats.example/rye', ').'],
  ])('%s lead where they say', (body, before, address, after) => {
    const { html } = wordMail(
      { subject: 'Hello', body },
      { values, from: 'Oats', link: 'https://desk.example/u' },
    )
    expect(html).toContain(`<p>${before}<a href="${address}">${address}</a>${after}</p>`)
  })
})

// A pattern that tries each way to part what it has read would not come back from these.
describe('hostile texts of mails', () => {
  const spaces = ' '.repeat(19_990)

  it.each([
    ['braces that do not close, and spaces', `{{${spaces}x`],
    ['many braces', '{{'.repeat(10_000)],
    ['braces within braces', '{{ {{ '.repeat(3_000)],
  ])('%s have no placeholder, and go out as they are', (_, body) => {
    expect(unknownPlaceholders(body)).toEqual([])
    const steps = [{ subject: 'Hello', body, delay: 0 }]
    expect(NewSequence.safeParse({ name: 'A', triggerType: 'manual', steps }).success).toBe(true)
    expect(worded(body)).toContain(body.trim())
  })

  it('placeholders with a great deal of space are filled and checked as any', () => {
    expect(worded(`Dear {{${spaces}firstName${spaces}}}!`)).toMatch(/^Dear Ann!/)
    expect(unknownPlaceholders(`{{${spaces}nickname }}`)).toEqual(['nickname'])
  })

  it('a text of blank lines and stars is read once', () => {
    const head = '## Letter\nSubject: Hello\n'
    const blank = `${head}${'\n'.repeat(90_000)}x\n${'To: a\n'.repeat(10_000)}`
    expect(mailSections(blank)).toMatchObject([{ to: '', subject: 'Hello', isTooLong: true }])
    const stars = `${head}Subject: ${'*'.repeat(190_000)}x`
    expect(mailSections(stars)).toMatchObject([{ subject: 'Hello', isTooLong: true }])
  })
})

describe('mailSections', () => {
  it('reads the address and the subject above a text, and neither in it', () => {
    const text =
      '# Title\n\n## One\n\n**To:** ann@site.example\n**Subject:** Hello\n\nTo: whom it concerns\n\n---\nNotes'
    expect(mailSections(text)).toEqual([
      { to: 'ann@site.example', subject: 'Hello', body: 'To: whom it concerns', isTooLong: false },
    ])
  })

  it('leaves out a mail in the middle of which reading ends', () => {
    const text = `## One\nSubject: A\n\nFirst\n\n## Two\nSubject: B\n\n${'word '.repeat(50_000)}`
    expect(mailSections(text).map(({ subject }) => subject)).toEqual(['A'])
  })
})
