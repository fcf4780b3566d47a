import { describe, expect, it } from 'vitest'
import { faultOfName, nameOfAddress, shownName } from '../../packages/core/src/kernel/names.ts'

const links = [
  'https://evil.example',
  'Win at http://evil',
  'evil.example',
  'Pay at evil.co now',
  'EVIL.COM',
  'www.evil',
  'ev\u200Bil.com',
  'evil\uFF0Ecom',
  'evil\u3002com',
  'evil.xn--p1ai',
  'пример.рф',
  'eve@evil.example',
  'mailto:eve',
  'tel:+4912345',
  'go to 192.0.2.7',
]
const broken = [
  'two\nlines',
  'tab\tbed',
  'bell\u0007',
  'line\u2028separator',
  'turned \u202Etxet',
  'nul\u0000',
]
const honest = [
  'Hearth & Oat',
  'J. R. R. Tolkien',
  'J.R.R. Tolkien',
  'Dr. Smith, Ph.D.',
  'Müller & Söhne GmbH & Co. KG',
  'Acme, Inc.',
  'S.p.A. Rossi',
  'Web 2.0 Ltd',
  '3.5 Degrees',
  'علی\u200Cرضا',
  'O’Brien-Łukasiewicz',
  '東京ベーカリー',
  'Tenant 1: the second',
]

describe('the name of a person or a company', () => {
  it.each(honest)('may be %j', (name) => expect(faultOfName(name)).toBeUndefined())

  it.each(links)('is no link: %j', (name) => expect(faultOfName(name)).toContain('no web or e-mail address'))

  it.each(broken)('is one line of text: %j', (name) => expect(faultOfName(name)).toContain('one line'))
})

describe('a name in an e-mail', () => {
  it.each(honest)('keeps %j unchanged', (name) => expect(shownName(name)).toBe(name))

  it.each([...links, ...broken])('is made harmless when it was accepted by an earlier version: %j', (name) =>
    expect(faultOfName(shownName(name))).toBeUndefined(),
  )

  it('is shortened, and cannot close its quotation marks', () => {
    expect(shownName('x'.repeat(200))).toBe(`${'x'.repeat(80)}…`)
    expect(shownName('Ada” owes you 100 €. “Pay')).toBe("Ada' owes you 100 €. 'Pay")
  })
})

it('is derived from the e-mail address when it is not set', () => {
  expect(nameOfAddress('eve.new@test.example')).toBe('eve new')
  expect(nameOfAddress('eve_new+list@test.example')).toBe('eve new list')
  expect(nameOfAddress('...@test.example')).toBe('...')
})
