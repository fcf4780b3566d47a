import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { describeEdit } from '../../../packages/core/src/domain/work/content/edits.ts'

describe('describeEdit', () => {
  it.each([
    ['A post', 'A post', ''],
    ['A  post', 'A post', ''],
    ['Our mega deals', 'Our offers', '“mega deals” became “offers”'],
    ['Buy now!!! Today', 'Buy now Today', 'took out “!!!”'],
    ['Oats', 'Oats and rye', 'added “and rye”'],
    ['One two three', 'Uno two tres', '“One” became “Uno”; “three” became “tres”'],
  ])('%j to %j', (before, after, expected) => {
    expect(describeEdit(before, after)).toBe(expected)
  })

  it('is short, whatever was changed', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 3_000 }), fc.string({ maxLength: 3_000 }), (before, after) => {
        expect(describeEdit(before, after).length).toBeLessThan(900)
      }),
      { numRuns: 50 },
    )
  })

  it('counts what it omits', () => {
    const words = Array.from({ length: 300 }, (_, n) => `word${n}`)
    const after = words.map((word, n) => (n % 2 === 0 ? word : `other${n}`))
    expect(describeEdit(words.join(' '), after.join(' '))).toMatch(/; and \d+ more$/)
  })
})
