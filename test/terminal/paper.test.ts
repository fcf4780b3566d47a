import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changesBetween } from '../../packages/terminal/src/render/compare.ts'
import { diffRows } from '../../packages/terminal/src/render/diff.ts'
import { flowText } from '../../packages/terminal/src/render/flow.ts'
import { markdownRows } from '../../packages/terminal/src/render/markdown.ts'
import { printed, rowWidth } from '../../packages/terminal/src/render/row.ts'

const harmful = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/u
const text = fc.string({ unit: 'grapheme', maxLength: 200 })

describe('markdownRows', () => {
  it('shows headings, lists, quotes, code, tables and links', () => {
    const shown = printed(
      markdownRows(
        [
          '# Rye',
          'Rests **twelve** [hours](https://x.example).',
          '',
          '1. one\n2. two\n   - inner',
          '',
          '> said',
          '',
          '```sh\nrm  -rf\n```',
          '',
          '| a | b |\n|---|---|\n| 1 | 2 |',
          '',
          '<b>raw</b>',
        ].join('\n'),
        40,
      ),
      false,
    )
    expect(shown.split('\n')).toEqual([
      '# Rye',
      '',
      'Rests twelve hours <https://x.example>.',
      '',
      '1. one',
      '2. two',
      '   • inner',
      '',
      '▎ said',
      '',
      '  │ rm  -rf',
      '',
      'a  b',
      '1  2',
      '',
      '<b>raw</b>',
    ])
  })

  it('never throws, and contains no control characters', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 20, max: 120 }), (markdown, width) => {
        expect(printed(markdownRows(markdown, width), false)).not.toMatch(harmful)
      }),
    )
  })
})

describe('flowText', () => {
  it('keeps every character except spaces at line breaks, within the width', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 4, max: 60 }), (words, width) => {
        const rows = flowText(words, width)
        for (const line of rows) expect(rowWidth(line)).toBeLessThanOrEqual(width)
        const shown = rows.map((line) => line.map((part) => part.text).join('')).join('')
        const [whole] = flowText(words, Number.MAX_SAFE_INTEGER)
        expect(shown.replace(/\s/gu, '')).toBe(
          (whole ?? [])
            .map((part) => part.text)
            .join('')
            .replace(/\s/gu, ''),
        )
      }),
    )
  })
})

describe('diffRows', () => {
  it('shows removed and added text without colours, and omits unchanged lines', () => {
    const changes = [
      { kind: 'same', text: 'a\nb\nc\nrests ' },
      { kind: 'removed', text: 'twelve' },
      { kind: 'added', text: 'fourteen' },
      { kind: 'same', text: ' hours\nd\ne' },
    ] as const
    expect(
      printed(diffRows({ from: 1, to: 2, changes: [...changes] }, { width: 80 }), false).split('\n'),
    ).toEqual(['⋯', 'c', 'rests [-twelve-]{+fourteen+} hours', 'd', '⋯'])
  })

  it('uses colours instead of markers where available', () => {
    const changes = changesBetween('It rests twelve hours.', 'It rests fourteen hours.')
    const rows = diffRows({ from: 1, to: 2, changes }, { width: 80, colour: true })
    expect(printed(rows, false)).toBe('It rests twelvefourteen hours.')
    const tones = rows.flat().map(({ text: piece, tone }) => [piece, tone])
    expect(tones).toContainEqual(['twelve', 'removed'])
    expect(tones).toContainEqual(['fourteen', 'added'])
  })

  it('shows a rewritten text before and after, one above the other or side by side', () => {
    const before = 'Title\n\nMorning oats are cheap and quick to cook on any day.\n\nFind your shop.'
    const after = 'Title\n\nA loaf of rye asks for patience, and gives it back.\n\nFind your shop.'
    const diff = { from: 1, to: 2, changes: changesBetween(before, after) }
    expect(printed(diffRows(diff, { width: 80 }), false).split('\n')).toEqual([
      '⋯',
      '',
      '- Morning oats are cheap and quick to cook on any day.',
      '+ A loaf of rye asks for patience, and gives it back.',
      '',
      '⋯',
    ])
    const wide = printed(diffRows(diff, { width: 120 }), false)
    expect(wide).toMatch(/- Morning oats are cheap and quick .* │ \+ A loaf of rye asks for patience/)
    expect(printed(diffRows(diff, { width: 120, spoken: true }), false)).not.toContain('│')
    for (const line of diffRows(diff, { width: 120 })) expect(rowWidth(line)).toBeLessThanOrEqual(120)
  })

  it('shows few changes in a long paragraph, added text, and text removed within a line', () => {
    const before =
      'Our loaf rests twelve hours in the cold, is baked at night and sold by seven in the morning.'
    for (const after of [
      before.replace('twelve', 'fourteen').replace('seven', 'eight'),
      `${before} Ask for it at the counter, or order it by telephone a day before, whichever is easier for you.`,
      'Our loaf is sold by seven in the morning.',
    ]) {
      const changes = changesBetween(before, after)
      expect(printed(diffRows({ from: 1, to: 2, changes }, { width: 200 }), false)).toMatch(/\[-|\{\+/)
    }
  })

  it('keeps every character of both texts, within the width', () => {
    fc.assert(
      fc.property(text, text, fc.integer({ min: 20, max: 140 }), (before, after, width) => {
        const changes = changesBetween(before, after)
        const of = (kind: string) =>
          changes.flatMap((part) => (part.kind === 'same' || part.kind === kind ? part.text : [])).join('')
        expect([of('removed'), of('added')]).toEqual([before, after])
        for (const line of diffRows({ from: 1, to: 2, changes }, { width }))
          expect(rowWidth(line)).toBeLessThanOrEqual(width)
      }),
    )
  })
})

describe('changesBetween', () => {
  it('has bounded cost: very long texts are compared by lines, very different ones as a whole', () => {
    const lines = (word: string) =>
      Array.from({ length: 50_000 }, (_, n) => `${word} ${n} ${word}`).join('\n')
    const [before, after] = [`First\n${lines('rye')}\nLast`, `First\n${lines('oats')}\nLast`]
    expect(changesBetween(before, after).map(({ kind }) => kind)).toEqual([
      'same',
      'removed',
      'added',
      'same',
    ])
    const once = before.replace('rye 25000 rye', 'rye 25000 oats')
    expect(changesBetween(before, once)).toMatchObject([
      { kind: 'same' },
      { kind: 'removed', text: 'rye 25000 rye\n' },
      { kind: 'added', text: 'rye 25000 oats\n' },
      { kind: 'same' },
    ])
  })
})
