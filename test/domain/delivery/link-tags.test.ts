import { describe, expect, it } from 'vitest'
import { tagLinks } from '../../../packages/core/src/domain/delivery/publishing/link-tags/tags.ts'
import { postOf } from '../../../packages/core/src/domain/delivery/publishing/piece.ts'

const query = 'utm_source=linkedin&utm_medium=social'
const tags = { hosts: ['oats.example'], query }
const tagged = (text: string) => tagLinks(text, tags)

describe('tagLinks', () => {
  it('tags links to the hosts and to those below them, wherever they stand', () => {
    expect(tagged('See https://oats.example.')).toBe(`See https://oats.example?${query}.`)
    expect(tagged('See [rye](https://www.oats.example/rye).')).toBe(
      `See [rye](https://www.oats.example/rye?${query}).`,
    )
    expect(tagged('<http://shop.oats.example/a>, **https://oats.example/b**')).toBe(
      `<http://shop.oats.example/a?${query}>, **https://oats.example/b?${query}**`,
    )
  })

  it('keeps what an address consists of, byte by byte', () => {
    expect(tagged('https://oats.example/Rye_(bread)?a=1&b=%20#Top')).toBe(
      `https://oats.example/Rye_(bread)?a=1&b=%20&${query}#Top`,
    )
    expect(tagged('https://OATS.example/?a&')).toBe(`https://OATS.example/?a&${query}`)
    expect(tagged('https://oats.example:8443/brot/r%C3%B6sti#a#b')).toBe(
      `https://oats.example:8443/brot/r%C3%B6sti?${query}#a#b`,
    )
  })

  it('leaves pictures, other hosts and links with such parameters alone', () => {
    const texts = [
      '![Rye](https://oats.example/rye.jpg)',
      'https://notoats.example/ https://oats.example.evil.example/ https://evil.example/?u=https://oats.example',
      'https://oats.example@evil.example/',
      'https://oats.example/?utm_campaign=own',
      'https://oats.example/?UTM_id=7',
      'oats.example mailto:ann@oats.example http://[',
    ]
    for (const text of texts) expect(tagged(text)).toBe(text)
  })

  it('takes time with the length of a text only', () => {
    // A pattern that tries each way to part such a run would not come back.
    for (const part of ['https://oats.example/(', '![', 'https://', '[](', '!['.repeat(9) + '](https://'])
      expect(tagged(part.repeat(100_000 / part.length)).length).toBeGreaterThan(0)
  })
})

describe('postOf', () => {
  const count = (text: string) => text.length
  const room = (max: number) => ({ text: [{ unit: 'characters', max, count }], media: { min: 0, max: 0 } })
  const text = 'Rye: https://oats.example/rye'

  it('tags the links of a post that has room for it, and sends any other as it was approved', () => {
    const post = (max: number) => postOf(text, tags, room(max) as never).text
    expect(post(200)).toBe(`${text}?${query}`)
    expect(post(text.length + query.length + 1)).toBe(`${text}?${query}`)
    expect(post(text.length + query.length)).toBe(text)
    expect(post(1)).toBe(text)
    expect(postOf(text, null, room(200) as never).text).toBe(text)
  })
})
