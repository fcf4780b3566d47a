import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ChunkOptions, chunk } from '../../../packages/core/src/domain/knowledge/ingestion/chunks.ts'
import type { Block } from '../../../packages/core/src/platform/parsing/parsed.ts'

const heading = (level: 1 | 2 | 3, text: string): Block => ({ kind: 'heading', level, text })
const text = (words: string, page?: number): Block => ({ kind: 'text', text: words, ...(page && { page }) })
const cut = (blocks: readonly Block[], options: Partial<ChunkOptions> = {}) =>
  chunk(blocks, { size: 128, overlap: 0, parseType: 'MARKDOWN', ...options })
const sentence = (n: number) => `Sentence ${n} says that oats are rolled before they are toasted.`
const sentences = (count: number) => Array.from({ length: count }, (_, n) => sentence(n)).join(' ')

describe('chunk', () => {
  it('begins a chunk at each heading, and names the headings above it and the page', () => {
    const blocks = [
      heading(1, 'Products'),
      text(sentences(9), 1),
      heading(2, 'Morning Oats'),
      text('Rolled oats.', 2),
      heading(1, 'Prices'),
      text('4.50 each.', 3),
    ]
    expect(cut(blocks).map(({ heading, page, text }) => [heading, page, text.slice(0, 14)])).toEqual([
      ['Products', 1, '# Products\n\nSe'],
      ['Products', 1, expect.stringMatching(/^Sentence /)],
      ['Products › Morning Oats', 2, '## Morning Oat'],
      ['Prices', 3, '# Prices\n\n4.50'],
    ])
  })

  it('keeps small sections with the heading above them while all of it fits', () => {
    const blocks = [
      heading(1, 'Shop'),
      heading(2, 'Hours'),
      text('7 to 5'),
      heading(2, 'Place'),
      text('Bristol'),
    ]
    expect(cut(blocks).map((each) => each.text)).toEqual([
      '# Shop\n\n## Hours\n\n7 to 5\n\n## Place\n\nBristol',
    ])
  })

  it('keeps a heading without text with the section that follows, under the headings of that one', () => {
    const blocks = [
      heading(1, 'Shop'),
      heading(2, 'Hours'),
      text(sentences(9)),
      heading(2, 'Empty'),
      heading(2, 'Place'),
      text('Bristol'),
      heading(1, 'End'),
    ]
    expect(cut(blocks).map(({ heading, text }) => [heading, text.slice(0, 20)])).toEqual([
      ['Shop › Hours', '# Shop\n\n## Hours\n\nSe'],
      ['Shop › Hours', expect.stringMatching(/^Sentence /)],
      ['Shop › Place', '## Empty\n\n## Place\n\n'],
    ])
    expect(cut(blocks).at(-1)?.text).toMatch(/Bristol\n\n# End$/)
  })

  it('cuts running text without regard to headings, at ends of sentences', () => {
    const blocks = [heading(1, 'A'), text(sentences(12)), heading(1, 'B'), text('End.')]
    const chunks = cut(blocks, { parseType: 'NAIVE' })
    expect(chunks.length).toBeGreaterThan(1)
    expect(chunks.at(-1)?.text).toContain('# B')
    for (const each of chunks.slice(0, -1)) expect(each.text).toMatch(/[.]$/)
  })

  it('repeats the end of a chunk in the next one, from the beginning of a sentence on', () => {
    const [first, second] = cut([text(sentences(20))], { overlap: 32 })
    const [repeated] = second?.text.split('\n\n') ?? []
    expect(repeated).toMatch(/^Sentence \d+ says/)
    expect(first?.text.endsWith(repeated ?? '?')).toBe(true)
  })

  it('cuts where the author has marked it, else at the highest headings', () => {
    const marked = [
      text('One'),
      text('---'),
      text('Two'),
      heading(1, 'Three'),
      text('<!-- chunk -->'),
      text('Four'),
    ]
    const texts = (blocks: readonly Block[]) => cut(blocks, { parseType: 'MANUAL' }).map((each) => each.text)
    expect(texts(marked)).toEqual(['One', 'Two\n\n# Three', 'Four'])
    expect(texts([heading(2, 'A'), heading(3, 'B'), text('b'), heading(2, 'C')])).toEqual([
      '## A\n\n### B\n\nb',
      '## C',
    ])
  })

  it('repeats the header of a table in each of its chunks', () => {
    const rows = Array.from({ length: 60 }, (_, n) => `| Loaf ${n} | ${n}.50 |`)
    const table: Block = { kind: 'table', text: ['| Product | Price |', '| --- | --- |', ...rows].join('\n') }
    const chunks = cut([table])
    expect(chunks.length).toBeGreaterThan(2)
    for (const each of chunks) expect(each.text).toMatch(/^\| Product \| Price \|\n\| --- \| --- \|\n\| Loaf/)
    expect(chunks.flatMap((each) => each.text.split('\n').slice(2))).toEqual(rows)
  })

  it('never cuts a letter, and keeps every letter of a text without spaces', () => {
    const family = '👨‍👩‍👧‍👦'
    const chunks = cut([text(family.repeat(200))])
    expect(chunks.map((each) => each.text).join('')).toBe(family.repeat(200))
    for (const each of chunks) expect(each.text.startsWith(family)).toBe(true)
  })

  it('keeps every word of any text, in chunks that are not longer than asked for', () => {
    const words = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 900 }), { maxLength: 40 })
    fc.assert(
      fc.property(words, fc.constantFrom('NAIVE', 'MARKDOWN', 'MANUAL'), (given, parseType) => {
        const chunks = cut(
          given.map((each) => text(each)),
          { parseType },
        )
        const most = parseType === 'MANUAL' ? 2_048 * 4 : 128 * 4
        for (const each of chunks) expect(each.text.length).toBeLessThanOrEqual(most)
        const kept = chunks
          .map((each) => each.text)
          .join('')
          .replaceAll(/\s/g, '')
        const whole = given
          .filter((each) => each !== '---')
          .join('')
          .replaceAll(/\s/g, '')
        expect(kept).toBe(whole)
        expect(chunks.map(({ ordinal }) => ordinal)).toEqual(chunks.map((_, n) => n))
      }),
    )
  })
})
