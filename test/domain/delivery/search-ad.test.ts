import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { adWidth, searchAdOf } from '../../../packages/core/src/domain/delivery/ads/texts/search-ad.ts'
import { compose } from '../../../packages/writer/src/compose.ts'
import { adCopy, adTexts } from '../../kit/ad-copy.ts'

const copyOf = (headlines: readonly string[], descriptions: readonly string[]) =>
  [
    '# Ad',
    '## Headlines',
    ...headlines.map((text) => `- ${text}`),
    '## Descriptions',
    ...descriptions.map((text) => `- ${text}`),
  ].join('\n')
const three = ['One', 'Two', 'Three']
const two = ['First of all.', 'And second.']
const problemsOf = (headlines: readonly string[], descriptions: readonly string[] = two) =>
  searchAdOf(copyOf(headlines, descriptions)).problems.map(({ line, message }) => `${line}: ${message}`)

describe('searchAdOf', () => {
  it('reads both lists, and nothing of what stands around them', () => {
    expect(searchAdOf(adCopy)).toEqual({ texts: adTexts, problems: [] })
    expect(searchAdOf(`${adCopy.replaceAll('\n', '\r\n')}\n---\n\n- remark`)).toEqual({
      texts: adTexts,
      problems: [],
    })
  })

  it('leaves out emphasis around a text and the count of its letters behind it', () => {
    const { texts, problems } = searchAdOf(
      copyOf(['**Fresh rye** (9)', 'Rye (3 characters)', '`Plain`'], two),
    )
    expect({ headlines: texts.headlines, problems }).toEqual({
      headlines: ['Fresh rye', 'Rye', 'Plain'],
      problems: [],
    })
    expect(problemsOf([...three, 'Fresh rye (21)'])).toEqual([
      '6: the number in brackets is not its length, which is 9: leave it out',
    ])
  })

  it('counts as Google counts, and takes what just fits', () => {
    expect([adWidth('Brot'), adWidth('パン'), adWidth('빵'), adWidth('麵包'), adWidth('Ünïcode')]).toEqual([
      4, 4, 2, 4, 7,
    ])
    expect(problemsOf(['a'.repeat(30), '麵'.repeat(15), 'b'], ['c'.repeat(90), 'd'])).toEqual([])
    expect(problemsOf(['a'.repeat(31), '麵'.repeat(16), 'b'], ['c'.repeat(91), 'd'])).toEqual([
      '3: this headline has 31 characters, and at most 30 are shown',
      '4: this headline has 32 characters, and at most 30 are shown',
      '7: this description has 91 characters, and at most 90 are shown',
    ])
  })

  it('names the line of every other problem', () => {
    expect(problemsOf(['One', 'Two'])).toEqual(['4: an ad has at least 3 headlines, and there are 2'])
    expect(problemsOf(three, ['Only'])).toEqual(['7: an ad has at least 2 descriptions, and there are 1'])
    expect(problemsOf(Array.from({ length: 17 }, (_, i) => `H ${i}`))).toEqual([
      '18: this is headline 16, and an ad has at most 15',
    ])
    expect(problemsOf(['One', 'Two', 'one', 'Three'])).toEqual([
      '5: this headline is that of line 3 once more',
    ])
    expect(searchAdOf('# Nothing').problems.map(({ line }) => line)).toEqual([1, 1])
    expect(searchAdOf(`${copyOf(three, two)}\n## Headlines\n- Hidden`).problems).toEqual([
      { line: 9, message: 'headlines are in line 2 already: one text holds one ad' },
    ])
    expect(searchAdOf(copyOf([...three, 'Four\nA remark'], two)).problems).toEqual([
      { line: 7, message: 'this is no item of the list of headlines' },
    ])
  })

  it.each([
    ['{KeyWord:Bread}', 'braces'],
    ['Rye\u202edaerb', 'cannot be seen'],
    ['Rye\u200bbread', 'cannot be seen'],
    ['Rye\u0007bread', 'cannot be seen'],
    ['Rye\u3164bread', 'cannot be seen'],
    ['[Rye](https://x.example)', 'mark of Markdown'],
    ['<b>Rye</b>', 'mark of Markdown'],
    ['Rye &amp; oats', 'mark of Markdown'],
    ['Rye **bread', 'mark of Markdown'],
  ])('refuses %j', (text, words) => {
    expect(problemsOf([...three, text]).join()).toContain(words)
  })

  it('reads no line of a thousand letters', () => {
    expect(problemsOf([...three, 'x'.repeat(1_001)])).toEqual(['6: it is far too long'])
  })

  it('stays fast whatever a long text consists of, and reads no longer one', () => {
    for (const line of ['- a (1', '- ', '#', '## Headlines\n', '- **a', '\n', '- {', '## '])
      for (const head of ['', '## Headlines\n']) {
        const from = performance.now()
        const { problems } = searchAdOf((head + line.repeat(50_000)).slice(0, 50_000))
        expect(performance.now() - from, JSON.stringify(line)).toBeLessThan(1_000)
        expect(problems.length).toBeLessThanOrEqual(20)
      }
    expect(searchAdOf('a'.repeat(50_001)).problems).toMatchObject([{ line: 1 }])
  })

  it('finds no fault in what it calls an ad', () => {
    const word = fc.stringMatching(/^[A-Za-z][A-Za-z ]{0,28}$/)
    fc.assert(
      fc.property(
        fc.uniqueArray(word, {
          minLength: 3,
          maxLength: 15,
          selector: (text) => text.trim().toLowerCase().replace(/\s+/g, ' '),
        }),
        (headlines) => {
          const { texts, problems } = searchAdOf(copyOf(headlines, two))
          expect(problems).toEqual([])
          expect(texts.headlines).toEqual(headlines.map((text) => text.trim().replace(/\s+/g, ' ')))
        },
      ),
    )
  })

  it('takes what the built-in writer makes of a brief with enough to say', () => {
    const written = compose({
      campaign: 'Rye',
      deliverable: 'ad_copy',
      step: { kind: 'draft', title: 'Draft' },
      products: [{ name: 'Night loaf', facts: ['Baked at night', 'Made of whole rye', 'Keeps for a week'] }],
      keyMessages: ['Bread for the whole week', 'Order before noon'],
      callToAction: 'Order a loaf',
      feedback: [],
    })
    expect(searchAdOf(written).problems).toEqual([])
  })
})
