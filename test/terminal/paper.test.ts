import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffRows } from '../../packages/terminal/src/paper/diff.ts'
import { flowText } from '../../packages/terminal/src/paper/flow.ts'
import { markdownRows } from '../../packages/terminal/src/paper/markdown.ts'
import { printed, rowWidth } from '../../packages/terminal/src/paper/row.ts'

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

  it('never breaks off, and lets nothing through that a terminal obeys', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 20, max: 120 }), (markdown, width) => {
        expect(printed(markdownRows(markdown, width), false)).not.toMatch(harmful)
      }),
    )
  })
})

describe('flowText', () => {
  it('keeps every letter but spaces at the breaks, in no more than the width', () => {
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
  it('tells what is gone and what is new without colours, and leaves out what is far from it', () => {
    const changes = [
      { kind: 'same', text: 'a\nb\nc\nrests ' },
      { kind: 'removed', text: 'twelve' },
      { kind: 'added', text: 'fourteen' },
      { kind: 'same', text: ' hours\nd\ne' },
    ] as const
    expect(printed(diffRows({ from: 1, to: 2, changes: [...changes] }, 80), false).split('\n')).toEqual([
      '⋯',
      'c',
      'rests [-twelve-]{+fourteen+} hours',
      'd',
      '⋯',
    ])
  })
})
