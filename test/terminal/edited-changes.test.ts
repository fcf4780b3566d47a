import { describe, expect, it } from 'vitest'
import { editedChanges } from '../../packages/terminal/src/screens/edited-changes.ts'
import { cpuOf } from '../kit/turns.ts'

const words = (count: number, seed: number) =>
  Array.from({ length: count }, (_, n) => `w${((n + 1) * seed) % 7919}${n % 9 === 0 ? '\n' : ' '}`).join('')

describe('editedChanges', () => {
  it('shows what was changed word by word', () => {
    expect(editedChanges('one two three', 'one new three')).toEqual([
      { kind: 'same', text: 'one ' },
      { kind: 'removed', text: 'two' },
      { kind: 'added', text: 'new' },
      { kind: 'same', text: ' three' },
    ])
  })

  it.each([
    ['lines', words(8_000, 3), `${words(4_000, 5)}${words(8_000, 3)}`],
    ['wholes', words(60_000, 3), words(60_000, 5)],
  ])('shows texts that differ too much as %s, soon, and nothing of them is lost', (_, before, after) => {
    const without = (kind: string) =>
      editedChanges(before, after)
        .filter((change) => change.kind !== kind)
        .map(({ text }) => text)
        .join('')
    expect([without('added') === before, without('removed') === after]).toEqual([true, true])
    expect(cpuOf(() => editedChanges(before, after))).toBeLessThan(3_000)
  })
})
