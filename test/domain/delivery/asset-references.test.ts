import { describe, expect, it } from 'vitest'
import { toArticle } from '../../../packages/core/src/domain/delivery/publishing/article.ts'
import {
  pictureProblems,
  picturesIn,
  showPictures,
  withAssets,
} from '../../../packages/core/src/domain/delivery/publishing/assets.ts'
import { toPost } from '../../../packages/core/src/domain/delivery/publishing/post-text.ts'
import type { NamedAsset } from '../../../packages/core/src/domain/media/queries.ts'
import { idsNamedIn } from '../../../packages/core/src/domain/media/references.ts'

const id = '01HZZZZZZZZZZZZZZZZZZZZZZZ'
const reference = `asset:${id}`
const asset: NamedAsset = {
  id,
  tenantId: id,
  name: 'loaf.jpg',
  altText: 'A <loaf>',
  mimeType: 'image/jpeg',
  sizeBytes: 1_500_000,
  width: 30,
  sha256: '',
}
const assets = { of: new Map([[reference, asset]]), tooMany: false }

describe('idsNamedIn', () => {
  it('finds ids as they are written, each once, up to one more than are looked at', () => {
    expect(idsNamedIn(`![a](${reference}) [b](${reference} "c") ${reference}.`)).toEqual([id])
    for (const none of [
      reference.toLowerCase(),
      `${reference}0`,
      `asset:9${id.slice(1)}`,
      'asset:',
      'asset:../x',
    ])
      expect(idsNamedIn(`![](${none})`), none).toEqual([])
    const many = Array.from({ length: 500 }, (_, n) => `asset:01H${String(n).padStart(23, '0')}`).join(' ')
    expect(idsNamedIn(many)).toHaveLength(101)
    expect(idsNamedIn('![](asset:'.repeat(100_000))).toEqual([])
  })
})

describe('pictures of an article', () => {
  it('are those that its Markdown shows, in whatever form, and nothing that looks like one', () => {
    const text = `# T

![One & "two"](${reference}) ![](<${reference}> "title") ![r][ref] \`![](${reference})\` <img src="${reference}" alt="">

    ![](${reference})

[ref]: ${reference}
`
    const { html } = toArticle(text)
    const pictures = withAssets(picturesIn(html), assets)
    expect(pictures).toEqual([{ url: reference, alt: 'One & "two"', asset }])
    const shown = showPictures(html, pictures, new Map([[reference, 'https://a.example/?b&"c']]))
    expect(shown.match(/<img [^>]*>/g)).toEqual([
      '<img src="https://a.example/?b&amp;&quot;c" alt="One &amp; &quot;two&quot;">',
      '<img src="https://a.example/?b&amp;&quot;c" alt="A &lt;loaf&gt;">',
      '<img src="https://a.example/?b&amp;&quot;c" alt="r">',
    ])
    // The code and the HTML of the text stay words.
    expect(shown.split(reference)).toHaveLength(4)
  })

  it('leave their words where there is no address', () => {
    const { html } = toArticle('# T\n\n![A & b](asset:../../x)\n')
    expect(html).toContain('<img src="asset:../../x"')
    expect(showPictures(html, picturesIn(html), new Map())).toContain('<p>A &amp; b</p>')
  })
})

describe('pictures of a post', () => {
  it('go along with their words, or else those of the asset', () => {
    const { text, media } = toPost(`Rye\n\n![](${reference}) ![Mine](${reference}) [x](${reference})\n`)
    expect(text).toBe(`Rye\n\n  [x](${reference})`)
    expect(withAssets(media, assets).map(({ alt }) => alt)).toEqual(['A <loaf>', 'Mine'])
  })

  it('are held against what the channel takes, in words', () => {
    const pictures = withAssets(toPost(`![](${reference})![](asset:x)![](https://a.example/b)`).media, assets)
    const missing = 'The media library has no “asset:x”'
    const of = (types: string[], maxBytes: number) =>
      pictureProblems(pictures, { files: { types, maxBytes } }, assets)
    expect(of(['image/jpeg'], 1_500_000)).toEqual([missing])
    expect(of(['image/jpeg'], 1_000_000)).toEqual([
      '“loaf.jpg” has 1.5 MB, and this channel takes 1 MB',
      missing,
    ])
    expect(of(['image/png'], 1_500_000)[0]).toBe('“loaf.jpg” is image/jpeg, and this channel takes image/png')
    expect(pictureProblems(pictures, {}, assets)[0]).toContain('this channel takes no pictures')
  })
})
