import fc from 'fast-check'
import { expect, it } from 'vitest'
import { wordCounter, wordsIn } from '../../../packages/core/src/domain/knowledge/search/word-counts.ts'

/** Texts of letters, marks, digits and signs of several scripts, with halves of signs as they remain where a text is cut. */
const texts = fc
  .array(
    fc.constantFrom(
      ...Array.from('aabbcßéöж漢字の1२ \n-.'),
      'e\u0301',
      '\u{1f600}',
      '\u{10400}',
      '\ud83d',
      'abc',
      'ab1c ',
    ),
    {
      maxLength: 60,
    },
  )
  .map((parts) => parts.join(''))

it('counts words as they are found one by one', () => {
  fc.assert(
    fc.property(texts, texts, (text, other) => {
      const wanted = [...new Set([...wordsIn(other), ...wordsIn(text).slice(0, 2), 'abc'])]
      const found = wordsIn(text)
      const { counts, length } = wordCounter(wanted)(text)
      expect(length).toBe(found.length)
      expect([...counts]).toEqual(wanted.map((word) => found.filter((each) => each === word).length))
    }),
    { numRuns: 500 },
  )
})

it('counts nothing where no word is looked for, and nothing in an empty text', () => {
  expect(wordCounter([])('two words')).toEqual({ counts: new Uint16Array(), length: 2 })
  expect(wordCounter(['words'])('')).toEqual({ counts: new Uint16Array(1), length: 0 })
})
