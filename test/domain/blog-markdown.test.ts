import { describe, expect, it } from 'vitest'
import {
  metaDescriptionOf,
  slugOf,
  titleOf,
  wordCountOf,
} from '../../packages/core/src/domain/content/blog/markdown.ts'

describe('what a blog post says about itself', () => {
  it('is its title', () => {
    for (const [markdown, title] of [
      ['# Oats *and* rye #\n\nText', 'Oats and rye'],
      ['Intro\n\n## [Oats](https://x.example)', 'Oats'],
      ['No heading here\nmore', 'No heading here'],
      ['\n\n', 'Untitled'],
      [`# ${'x'.repeat(300)}`, 'x'.repeat(200)],
    ] as const)
      expect(titleOf(markdown)).toBe(title)
  })

  it('is its meta description', () => {
    for (const [markdown, meta] of [
      ['Text\n\nMeta description: Short.', 'Short.'],
      ['**Meta description:** “Short.”', 'Short.'],
      ['> _Meta-Description_: Short.\n', 'Short.'],
      ['A meta description: of nothing', null],
      ['Text', null],
    ] as const)
      expect(metaDescriptionOf(markdown), markdown).toBe(meta)
  })

  it('is its number of words, without marks, addresses, code and the meta description', () => {
    for (const [markdown, words] of [
      ['# Two words', 2],
      ['It’s well-known, 3.5 times', 4],
      ['[a link](https://x.example/y)', 2],
      ['```js\nconst a = 1\n```\nafter', 1],
      ['Größe zählt\n\nMeta description: not this', 2],
      ['', 0],
    ] as const)
      expect(wordCountOf(markdown), markdown).toBe(words)
  })

  it('is an address of its title', () => {
    for (const [title, slug] of [
      ['Why oats?', 'why-oats'],
      ['Übung & Größe', 'ubung-grosse'],
      ['It’s 100% oats', 'its-100-oats'],
      ['???', 'post'],
      ['x '.repeat(100), `${'x-'.repeat(39)}x`],
    ] as const)
      expect(slugOf(title), title).toBe(slug)
  })
})
