import { describe, expect, it } from 'vitest'
import { plain } from '../../packages/language/src/plain.ts'
import { hostileTexts } from '../kit/fuzz/hostile-texts.ts'

describe('plain', () => {
  it('contains no control or invisible characters', () => {
    expect(plain('a\u001b[31mred\u001b[0m\u0007 \u001b]0;title\u0007b\r\nc\u202ed\0')).toBe('ared b cd')
    for (const text of hostileTexts) expect(plain(text)).not.toMatch(/[\p{Cc}\u202a-\u202e\u2028\u2029]/u)
  })

  it('cuts without splitting a grapheme cluster', () => {
    expect(plain('ab\u{1f600}cd', 4)).toBe('ab…')
  })
})
