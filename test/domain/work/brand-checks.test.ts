import { describe, expect, it } from 'vitest'
import { checkContent } from '../../../packages/core/src/domain/work/brand/checks.ts'
import { aboutBrand } from '../../../packages/core/src/domain/work/brand/words.ts'

const counted = (text: string, ...bannedPhrases: string[]) =>
  checkContent(text, { bannedPhrases, claims: [] }).map(({ phrase, count }) => [phrase, count])

describe('checkContent', () => {
  it.each([
    ['case', 'The BEST Ever, the best ever', 'best ever', 2],
    ['accents', 'A CRÈME from the café', 'creme', 1],
    ['a line break and emphasis', 'It is the **best**\n   ever.', 'best ever', 1],
    ['characters of no width', 'be\u00adst \u200bever', 'Best ever', 1],
    ['quotes and dashes', 'It’s non–stop', "it's non-stop", 1],
    ['full-width letters', 'ｂｅｓｔ ever', 'best ever', 1],
    ['no phrase inside a longer word', 'a cheapest, uncheap thing', 'cheap', 0],
    ['a phrase that a sign bounds', 'now 100% off, 5100% off', '100% off', 1],
    ['a phrase that begins with a sign', 'price#1 and #1', '#1', 2],
    ['a place counted once', 'ha ha ha', 'ha ha', 1],
    ['letters of other scripts', 'Мы самые лучшие на рынке', 'самые лучшие', 1],
    ['a letter of two code units beside it', '𝒳cheap 🎉cheap', 'cheap', 1],
    ['signs as they are, not as a pattern', 'aXb a.b', 'a.b', 1],
    ['a phrase of nothing', 'anything', '\u200b', 0],
  ])('counts with %s', (_, text, phrase, count) => {
    expect(counted(text, phrase)).toEqual(count === 0 ? [] : [[phrase, count]])
  })

  it('reports unproven claims and accepts proven ones, in the order of the profile', () => {
    const checks = checkContent('Clinically tested. No sugar! Cheap.', {
      bannedPhrases: ['expensive', 'cheap'],
      claims: [
        { phrase: 'no sugar', proof: 'Laboratory report of 2026' },
        { phrase: 'clinically tested', proof: null },
      ],
    })
    expect(checks).toEqual([
      { kind: 'banned_phrase', phrase: 'cheap', count: 1 },
      { kind: 'unproven_claim', phrase: 'clinically tested', count: 1 },
    ])
  })

  it('handles a long text of nothing but beginnings of phrases', () => {
    const phrases = Array.from({ length: 300 }, (_, n) => `${'a'.repeat(100)}${n}`)
    expect(counted('a'.repeat(100_000), ...phrases)).toEqual([])
  })
})

describe('aboutBrand', () => {
  it('reports nothing without a profile', () => {
    const nothing = { products: [], audiences: [], competitors: [], bannedPhrases: [], claims: [] }
    expect(aboutBrand({ ...nothing, voice: '', company: { name: 'Oat', description: ' ' } })).toBeUndefined()
  })
})
