import { describe, expect, it } from 'vitest'
import { findContradictions } from '../../../packages/core/src/domain/knowledge/facts/contradictions.ts'
import { statementsOf } from '../../../packages/core/src/domain/knowledge/facts/statements.ts'
import { readValues } from '../../../packages/core/src/domain/knowledge/facts/values.ts'

/** What a text says otherwise than a document, as pairs of sentences. */
function contradictions(text: string, document: string, heading: string | null = null) {
  const found = statementsOf(text).map((statement) => ({ statement, passages: [0] }))
  return findContradictions(found, [{ text: document, heading }]).map(({ statement, said }) => [
    statement,
    said,
  ])
}

describe('readValues', () => {
  it.each([
    ['It costs €4.50 a loaf', 'money eur 4.5'],
    ['It costs 4,50 euros', 'money eur 4.5'],
    ['It costs $1,250.00', 'money usd 1250'],
    ['It costs 1.250 EUR', 'money eur 1250'],
    ['It raised 2 million dollars', 'money usd 2000000'],
    ['Bakes for 24 hours', 'quantity hour 24'],
    ['Bakes for twelve hours', 'quantity hour 12'],
    ['It is 20 % rye', 'percent  20'],
    ['Opens at 7 am', 'time  7:00'],
    ['Opens at 07:00', 'time  7:00'],
    ['On 12 May 2026', 'date ymd 2026-5-12'],
    ['On May 12th, 2026', 'date ymd 2026-5-12'],
    ['On 2026-05-12', 'date ymd 2026-5-12'],
    ['Founded in 1998', 'year  1998'],
    ['Call +44 117 496 0000', 'phone  174960000'],
    ['Write to Hello@hearth.example', 'email  hello@hearth.example'],
    ['Baked by Anna Becker', 'name  Anna Becker'],
  ])('finds the value of %j', (sentence, value) => {
    expect(readValues(sentence).values.map((one) => `${one.kind} ${one.unit} ${one.value}`)).toContain(value)
  })

  it('takes no word at the beginning of a sentence for a name', () => {
    expect(readValues('Our Sourdough is made of rye').values).toEqual([])
  })
})

describe('findContradictions', () => {
  it.each([
    ['a price', 'Our sourdough loaf costs just €4.80.', 'The sourdough loaf costs 4.50 euros.'],
    [
      'a price in a table',
      'The sourdough loaf is €4.80.',
      '| Bread | Price (EUR) |\n|---|---|\n| Sourdough loaf | 4.50 |',
    ],
    ['a duration', 'We bake the rye bread for 24 hours.', 'Rye bread bakes for 36 hours.'],
    ['a percentage', 'The rye bread has 20% seeds.', 'Seeds in the rye bread: 25 percent.'],
    ['a year', 'Hearth bakery was founded in 1998.', 'Hearth bakery was founded in 1989.'],
    ['a date', 'The Bristol shop opens on 12 May 2026.', 'The shop in Bristol opens on 14 May 2026.'],
    ['a time', 'The Bristol shop opens at 7 am.', 'The Bristol shop opens at 8:00.'],
    ['a name', 'Anna Becker founded the bakery.', 'The bakery was founded by Maria Becker.'],
    ['a phone number', 'Call the bakery at +44 117 496 0000.', 'Phone of the bakery: +44 117 496 0001'],
  ])('finds %s that a document has otherwise', (_, text, document) => {
    expect(contradictions(text, document)).toHaveLength(1)
  })

  it.each([
    ['the same price, written otherwise', 'The sourdough loaf costs €4.50.', 'Sourdough loaf: 4,50 EUR'],
    ['the price of something else', 'The morning loaf costs €4.', 'The evening loaf costs €5.'],
    ['another unit', 'The loaf weighs 800 grams.', 'The loaf takes 24 hours.'],
    ['another currency', 'The sourdough loaf costs €4.50.', 'The sourdough loaf costs $4.80.'],
    ['another year', 'In 2025 the bakery sold 700 loaves.', 'In 2024 the bakery sold 500 loaves.'],
    ['several values', 'The loaf costs €4.', 'The loaf costs €3 small, €4 medium and €5 large.'],
    ['a surname alone', 'Becker founded the bakery.', 'The bakery was founded by Maria Becker.'],
    ['two people without an office', 'Anna Becker loves rye bread.', 'Maria Stone loves rye bread.'],
    ['no value at all', 'The bread is good.', 'The bread is bad.'],
  ])('finds nothing in %s', (_, text, document) => {
    expect(contradictions(text, document)).toEqual([])
  })

  it('reads a sentence under its heading', () => {
    expect(
      contradictions('## Sourdough loaf\n\nIt costs €4.80.', 'The sourdough loaf costs €4.50.'),
    ).toHaveLength(1)
    expect(
      contradictions('The sourdough loaf costs €4.80.', 'It costs €4.50.', 'Bread › Sourdough loaf'),
    ).toHaveLength(1)
  })

  it('takes a sentence with several prices apart', () => {
    const document = 'The rye loaf costs €5. The sourdough loaf costs €4.50.'
    expect(contradictions('The rye loaf costs €5 and the sourdough loaf costs €4.80.', document)).toEqual([
      ['the sourdough loaf costs €4.80.', 'The sourdough loaf costs €4.50.'],
    ])
  })

  it('is content when any passage agrees', () => {
    const [statement] = statementsOf('The sourdough loaf costs €4.80.')
    if (!statement) throw new Error('There is no statement')
    const found = [{ statement, passages: [0, 1] }]
    const passages = ['The sourdough loaf costs €4.50.', 'The sourdough loaf costs €4.80 since May.']
    expect(
      findContradictions(
        found,
        passages.map((text) => ({ text, heading: null })),
      ),
    ).toEqual([])
  })

  it.each([
    ['digits', '1'.repeat(300_000)],
    ['capital letters', 'Aa '.repeat(100_000)],
    ['dots', '1.'.repeat(150_000)],
    ['bars', `|${'a|'.repeat(150_000)}`],
    ['lines of bars', '| 1 euro |\n'.repeat(30_000)],
    ['months', 'may 1 '.repeat(50_000)],
    ['at signs', 'a@a.'.repeat(75_000)],
    ['brackets', '[a]('.repeat(75_000)],
  ])('gets through a long text of %s', (_, text) => {
    // One that goes back over the text at each character takes minutes.
    expect(statementsOf(text).length).toBeLessThan(text.length)
  })
})
