import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textMatcher } from '../../../packages/core/src/kernel/text.ts'

const finds = (search: string, text: string) => textMatcher(search, { typos: true })([text])

describe('textMatcher', () => {
  it.each([
    ['hearth', 'Hearth & Oat'],
    ['oat hearth', 'Hearth & Oat'],
    ['HEARTH', 'hearth'],
    ['eart', 'Hearth'],
    ['cafe', 'Café Zürich'],
    ['zürich', 'Cafe Zurich'],
    ['straße', 'STRASSE 7'.toLowerCase().replace('ss', 'ß')],
    ['hearht', 'Hearth'],
    ['haerth', 'Hearth'],
    ['herth', 'Hearth'],
    ['hearthh', 'Hearth'],
    ['northwidn trad', 'Northwind Traders'],
    ['nrthwwind traders', 'Northwind Traders'],
    ['exmaple.com', 'shop.example.com'],
    ['株式', '株式会社'],
    ['-', 'a-b'],
  ])('finds %j in %j', (search, text) => {
    expect(finds(search, text)).toBe(true)
  })

  it.each([
    ['oak', 'Hearth & Oat'],
    ['hearth bread', 'Hearth & Oat'],
    ['hxxrth', 'Hearth'],
    ['%', 'Hearth'],
    ['nrthwnd', 'Northwind'],
    ['nxxthwind', 'Southwind'],
    ['hearth', 'He'],
    ['-', 'ab'],
  ])('does not find %j in %j', (search, text) => {
    expect(finds(search, text)).toBe(false)
  })

  it('requires exact words by default, and searches them in any of the texts', () => {
    expect(textMatcher('hearht')(['Hearth'])).toBe(false)
    expect(textMatcher('ada example')([null, 'Ada Admin', 'ada@example.com'])).toBe(true)
    expect(textMatcher('ada')([null])).toBe(false)
  })

  it('finds every text by any part of it, and by any word with one typing error', () => {
    const word = fc.stringMatching(/^[a-z]{5,12}$/)
    fc.assert(
      fc.property(word, fc.nat(), fc.nat(), (text, from, to) => {
        const [start, end] = [from % text.length, to % text.length].toSorted((a, b) => a - b) as [
          number,
          number,
        ]
        expect(finds(text.slice(start, end + 1), text)).toBe(true)
        expect(finds(text.slice(0, start) + text.slice(start + 1), `x ${text}`)).toBe(true)
        expect(finds(`${text.slice(0, start)}q${text.slice(start + 1)}`, `x ${text}`)).toBe(true)
      }),
    )
  })
})
