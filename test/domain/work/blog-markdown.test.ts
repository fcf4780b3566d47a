import { describe, expect, it } from 'vitest'
import {
  metaDescriptionOf,
  slugOf,
  titleOf,
  wordCountOf,
} from '../../../packages/core/src/domain/work/content/blog/markdown.ts'
import { cpuOf } from '../../kit/turns.ts'

describe('the metadata of a blog post', () => {
  it('contain its title', () => {
    for (const [markdown, title] of [
      ['# Oats *and* rye #\n\nText', 'Oats and rye'],
      ['Intro\n\n## [Oats](https://x.example)', 'Oats'],
      ['No heading here\nmore', 'No heading here'],
      ['\n\n', 'Untitled'],
      [`# ${'x'.repeat(300)}`, 'x'.repeat(200)],
      ['##\n# #\nText', '#'],
      ['![Oats](a.png) and [rye](b) [wheat]', 'Oats and rye [wheat]'],
    ] as const)
      expect(titleOf(markdown)).toBe(title)
  })

  it('contain its meta description', () => {
    for (const [markdown, meta] of [
      ['Text\n\nMeta description: Short.', 'Short.'],
      ['**Meta description:** “Short.”', 'Short.'],
      ['> _Meta-Description_: Short.\n', 'Short.'],
      ['A meta description: of nothing', null],
      ['Text', null],
      ['**Meta description:**\n\n*Short.*\n\nText', 'Short.'],
      ['Meta description:\n\n', null],
    ] as const)
      expect(metaDescriptionOf(markdown), markdown).toBe(meta)
  })

  it('contain its number of words, without markup, addresses, code and the meta description', () => {
    for (const [markdown, words] of [
      ['# Two words', 2],
      ['It’s well-known, 3.5 times', 4],
      ['[a link](https://x.example/y)', 2],
      ['```js\nconst a = 1\n```\nafter', 1],
      ['Größe zählt\n\nMeta description: not this', 2],
      ['', 0],
      ['~~~\none two\n```\n~~~\nafter', 1],
      ['```\nnot closed', 2],
      ['Text\n\nMeta description:\nnot this\nbut this', 3],
      ['a <b class="c d">e</b>', 2],
      ['[a b](c) ![d](e) [f', 4],
    ] as const)
      expect(wordCountOf(markdown), markdown).toBe(words)
  })

  it('contain a slug of its title', () => {
    for (const [title, slug] of [
      ['Why oats?', 'why-oats'],
      ['Übung & Größe', 'ubung-grosse'],
      ['It’s 100% oats', 'its-100-oats'],
      ['???', 'post'],
      ['x '.repeat(100), `${'x-'.repeat(39)}x`],
    ] as const)
      expect(slugOf(title), title).toBe(slug)
  })

  it.each([
    ['line breaks', '\n'],
    ['line breaks after a name', '\n', 'meta description:'],
    ['signs of emphasis', '*_', 'meta description: a', '.'],
    ['blanks in a heading', ' ', '# a', 'x'],
    ['marks of headings', '#'],
    ['marks of headings in a heading', ' #', '# a', 'x'],
    ['headings of nothing', '#\n'],
    ['fences that nothing closes', '```x\n'],
    ['brackets', '['],
    ['beginnings of links', '[]('],
    ['links without words', ']()'],
    ['links without words and one end', '](', '', ')'],
    ['beginnings of tags', '<'],
    ['words without an end', "a'"],
  ])('are extracted quickly from a megabyte of %s', (_, piece, before = '', after = '') => {
    const text = (length: number) => `${before}${piece.repeat(length / piece.length)}${after}`
    const cost = (length: number) =>
      cpuOf(() => [titleOf(text(length)), metaDescriptionOf(text(length)), wordCountOf(text(length))], 2)
    const [short, long] = [cost(240_000), cost(960_000)]
    // With the square it would be sixteen times. What is below some milliseconds says nothing.
    expect(long).toBeLessThan(Math.max(short, 10) * 8)
    expect(long).toBeLessThan(1_000)
  })
})
