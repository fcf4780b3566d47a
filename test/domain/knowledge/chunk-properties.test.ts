import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ParseType } from '../../../packages/core/src/domain/knowledge/datasets/schemas.ts'
import {
  type Chunk,
  type ChunkOptions,
  chunk,
} from '../../../packages/core/src/domain/knowledge/ingestion/chunks.ts'
import type { Block, HeadingLevel } from '../../../packages/core/src/platform/parsing/parsed.ts'

type Plan = {
  headings: Array<{ level: HeadingLevel; words: number }>
  body: Array<{ kind: Kind; words: number }>
}
type Kind = 'text' | 'code' | 'table'

const level = fc.constantFrom<HeadingLevel>(1, 2, 3, 4, 5, 6)
const plan = (kinds: readonly Kind[]) =>
  fc.record({
    headings: fc.array(fc.record({ level, words: fc.integer({ min: 1, max: 6 }) }), { maxLength: 3 }),
    body: fc.array(fc.record({ kind: fc.constantFrom(...kinds), words: fc.integer({ min: 1, max: 220 }) }), {
      minLength: 1,
      maxLength: 3,
    }),
  })
const plans = (...kinds: Kind[]) => fc.array(plan(kinds), { minLength: 1, maxLength: 8 })
const sizes = fc.record({
  size: fc.integer({ min: 128, max: 400 }),
  part: fc.double({ min: 0, max: 0.99, noNaN: true }),
})
const overlapOf = ({ size, part }: { size: number; part: number }) =>
  Math.floor(Math.min(size - 1, 512) * part)

/** A document of numbered words, so that each of them is known again: `h12` of a heading, `b13` of anything else. */
function documentOf(given: readonly Plan[]): Block[][] {
  let count = 0
  const words = (sign: string, many: number) =>
    Array.from({ length: many }, () => `${sign}${(count += 1)}${count % 9 === 0 ? '.' : ''}`)
  const bodyOf = (kind: Kind, many: number): Block => {
    const all = words('b', many)
    if (kind === 'text') return { kind, text: all.join(' ') }
    if (kind === 'code') return { kind, text: all.map((each, n) => `${' '.repeat(n % 4)}${each}`).join('\n') }
    return { kind, text: ['| name |', '| --- |', ...all.map((each) => `| ${each} |`)].join('\n') }
  }
  return given.map(({ headings, body }) => [
    ...headings.map(
      ({ level, words: many }): Block => ({ kind: 'heading', level, text: words('h', many).join(' ') }),
    ),
    ...body.map(({ kind, words: many }) => bodyOf(kind, many)),
  ])
}

/** What may stand between what is repeated and the first new word: an empty line, and the signs of a heading. */
const longestSign = 9
const wordsOf = (text: string) => text.match(/[hb]\d+/g) ?? []
const allWords = (chunks: readonly Chunk[]) => chunks.flatMap(({ text }) => wordsOf(text))
const isHeadingOnly = ({ text }: Chunk) => !/b\d/.test(text)
const cut = (blocks: readonly Block[], options: Partial<ChunkOptions> = {}) =>
  chunk(blocks, { size: 128, overlap: 0, parseType: 'MARKDOWN', ...options })
const parseTypes = fc.constantFrom<ParseType>('NAIVE', 'MARKDOWN', 'MANUAL')
const mark: Block = { kind: 'text', text: '---' }

describe('chunk, for any document', () => {
  it('makes no chunk larger than asked for, and none of headings alone', () => {
    fc.assert(
      fc.property(
        plans('text', 'code', 'table'),
        sizes,
        fc.constantFrom<ParseType>('NAIVE', 'MARKDOWN'),
        (given, sizes, parseType) => {
          const { size } = sizes
          const chunks = cut(documentOf(given).flat(), { size, overlap: overlapOf(sizes), parseType })
          for (const each of chunks) {
            expect(each.text.length).toBeLessThanOrEqual(size * 4)
            expect(isHeadingOnly(each), each.text).toBe(false)
          }
        },
      ),
    )
  })

  it('keeps all words in their order, and repeats no more than the overlap', () => {
    fc.assert(
      fc.property(plans('text', 'code'), sizes, parseTypes, (given, sizes, parseType) => {
        const blocks = documentOf(given).flat()
        const overlap = overlapOf(sizes)
        const chunks = cut(blocks, { size: sizes.size, overlap, parseType })
        const seen = new Set<string>()
        for (const { text } of chunks) {
          const repeated = wordsOf(text).filter((word) => seen.has(word))
          expect(wordsOf(text).slice(0, repeated.length)).toEqual(repeated)
          const fresh = wordsOf(text)[repeated.length]
          const before = repeated.length === 0 ? 0 : text.indexOf(fresh ?? '')
          expect(before).toBeLessThanOrEqual(overlap * 4 + longestSign)
          for (const word of wordsOf(text)) seen.add(word)
        }
        expect([...seen]).toEqual(wordsOf(blocks.map(({ text }) => text).join(' ')))
      }),
    )
  })

  it('keeps text as it is: no line is broken where it fits into its chunk', () => {
    fc.assert(
      fc.property(plans('text', 'code', 'table'), sizes, parseTypes, (given, sizes, parseType) => {
        const blocks = documentOf(given).flat()
        const chunks = cut(blocks, { size: sizes.size, overlap: 0, parseType })
        const lines = new Set(
          blocks.flatMap(({ kind, level, text }) =>
            (kind === 'heading' ? `${'#'.repeat(level ?? 1)} ${text}` : text).split('\n'),
          ),
        )
        for (const { text } of chunks) {
          // All but those at its beginning and end, which may continue.
          const inner = text.split('\n').slice(1, -1)
          expect(inner.filter((line) => line !== '' && !lines.has(line))).toEqual([])
        }
        expect(allWords(chunks)).toEqual(wordsOf(blocks.map(({ text }) => text).join(' ')))
      }),
    )
  })

  it('makes one chunk of each section that its author has marked', () => {
    fc.assert(
      fc.property(plans('text', 'code', 'table'), fc.boolean(), (given, isEdged) => {
        const sections = documentOf(given)
        const marked = sections.flatMap((section) => [mark, ...section])
        const blocks = isEdged ? [...marked, mark, mark] : marked.slice(1)
        if (sections.length === 1 && !isEdged) blocks.push(mark)
        const chunks = cut(blocks, { parseType: 'MANUAL' })
        expect(chunks.map(({ text }) => wordsOf(text))).toEqual(
          sections.map((section) => wordsOf(section.map(({ text }) => text).join(' '))),
        )
      }),
    )
  })

  it('splits no surrogate pair, in texts and in the headings above them', () => {
    const letters = fc.array(fc.constantFrom('😀', 'a', '𝔘', ' ', '\n', 'é', '.'), {
      minLength: 400,
      maxLength: 1_500,
    })
    fc.assert(
      fc.property(letters, letters, sizes, parseTypes, (above, below, sizes, parseType) => {
        const blocks: Block[] = [
          { kind: 'heading', level: 1, text: above.join('') },
          { kind: 'text', text: below.join('') },
        ]
        for (const { text, heading } of cut(blocks, {
          size: sizes.size,
          overlap: overlapOf(sizes),
          parseType,
        })) {
          expect(text.isWellFormed()).toBe(true)
          expect(heading?.isWellFormed() ?? true).toBe(true)
          expect(text.trim()).not.toBe('')
        }
      }),
      { numRuns: 50 },
    )
  })
})

describe('chunk, for documents of many parts', () => {
  const lone = 'a'.repeat(2 ** 20)
  const spaces = ' '.repeat(2 ** 20)
  const headings = Array.from(
    { length: 100_000 },
    (_, n): Block => ({ kind: 'heading', level: ((n % 6) + 1) as HeadingLevel, text: `h${n}` }),
  )
  const hostile: Array<[string, Block[]]> = [
    ['a megabyte without blanks', [{ kind: 'text', text: lone }]],
    ['a megabyte of blanks in a table', [{ kind: 'table', text: `a\n${spaces}\nb1` }]],
    [
      'a table of nothing but its header and empty rows',
      [{ kind: 'table', text: `| b1 |\n| --- |${'\n'.repeat(2 ** 20)}` }],
    ],
    [
      'a megabyte of full stops and quotation marks',
      [{ kind: 'text', text: `b1 ${'."\''.repeat(350_000)}` }],
    ],
    ['100,000 headings', headings],
    [
      '300,000 headings of one level',
      Array.from({ length: 300_000 }, (): Block => ({ kind: 'heading', level: 2, text: 'h1' })),
    ],
    [
      '100,000 headings below one of a megabyte',
      [{ kind: 'heading', level: 1, text: lone }, ...headings.filter(({ level }) => level !== 1)],
    ],
    [
      '300,000 short paragraphs',
      Array.from({ length: 300_000 }, (): Block => ({ kind: 'text', text: 'b1' })),
    ],
  ]
  it.each(hostile)('cuts %s at once', (_, blocks) => {
    for (const parseType of ['NAIVE', 'MARKDOWN', 'MANUAL'] as const) {
      const began = performance.now()
      const chunks = cut(blocks, { parseType, overlap: 100 })
      // Seconds would be minutes on the largest document that is read; a busy machine takes some.
      expect(performance.now() - began).toBeLessThan(5_000)
      expect(chunks.length).toBeGreaterThan(0)
      const most = (parseType === 'MANUAL' ? 2_048 : 128) * 4
      expect(Math.max(0, ...chunks.slice(0, 50_000).map(({ text }) => text.length))).toBeLessThanOrEqual(most)
    }
  })
})
