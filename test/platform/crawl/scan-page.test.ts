import { describe, expect, it } from 'vitest'
import { decodeHtml } from '../../../packages/core/src/platform/crawl/decode-html.ts'
import { parseRobotsTags } from '../../../packages/core/src/platform/crawl/robots-tags.ts'
import { scanPage } from '../../../packages/core/src/platform/crawl/scan-page.ts'

const scan = (html: string, url = 'https://example.com/a/b') =>
  scanPage({ bytes: Buffer.from(html), contentType: 'text/html', url })

describe('scanPage', () => {
  it('reads title, language, canonical and links, whatever their form', () => {
    const found = scan(`<!DOCTYPE html><HTML LANG='de-CH'><head><title>
      Eins &amp; <b>zwei</b> </title><link rel="alternate canonical" HREF=/c?x=1&amp;y=2></head>
      <A href = "one?x=1&amp;y=2#z">1</A> <a href=two>2</a><area href='/three'><a name=x>no</a>
      <a href="one?x=1&y=2">again</a><!-- <a href=/comment> --><script>"<a href=/script>"</script>
      <a href="mailto:a@b.c"><svg><title>drawn</title></svg></a><a rel="nofollow ugc" href=/ad>ad</a>`)
    expect(found).toMatchObject({
      title: 'Eins & <b>zwei</b>',
      language: 'de-CH',
      canonical: 'https://example.com/c?x=1&y=2',
      noindex: false,
      nofollow: false,
      links: ['https://example.com/a/one?x=1&y=2', 'https://example.com/a/two', 'https://example.com/three'],
    })
    expect(found.hash).toMatch(/^[0-9a-f]{64}$/)
  })

  it('resolves links against the first base', () => {
    const { links } = scan('<base href="/docs/"><base href="/no/"><a href=x>1</a><a href=?y>2</a>')
    expect(links).toEqual(['https://example.com/docs/x', 'https://example.com/docs/?y'])
  })

  it.each([
    ['<meta name="robots" content="NOINDEX, follow">', true, false],
    ['<meta content=none name=Robots>', true, true],
    ['<meta name=copydesk content=nofollow>', false, true],
    ['<meta name=googlebot content=noindex>', false, false],
    ['<meta name=robots content="max-snippet: 5, index">', false, false],
  ])('reads %s', (meta, noindex, nofollow) => {
    expect(scan(meta)).toMatchObject({ noindex, nofollow })
  })

  it('follows a meta refresh', () => {
    expect(scan(`<meta http-equiv=Refresh content="0; URL='/new'">`).links).toEqual([
      'https://example.com/new',
    ])
    expect(scan('<meta http-equiv=refresh content="30">').links).toEqual([])
  })

  it('takes no more than 5,000 links and 300 characters of a title', () => {
    const many = Array.from({ length: 6_000 }, (_, index) => `<a href=/${index}>`).join('')
    const { links, title } = scan(`<title>${'x'.repeat(1_000)}</title>${many}`)
    expect([links.length, title?.length]).toEqual([5_000, 300])
  })

  it.each(['', '<', '<a', '<a href="', '<title>', '<title', '</', '<!--', '<a href=x', '&#x110000;', '<\0>'])(
    'reads what is cut off: %j',
    (html) => {
      expect(scan(html)).toMatchObject({ html, noindex: false })
    },
  )

  it('does not depend on how deep tags are nested', () => {
    const { links } = scan(`${'<div><b>'.repeat(200_000)}<a href=/deep>${'</x>'.repeat(200_000)}`)
    expect(links).toEqual(['https://example.com/deep'])
  })
})

describe('parseRobotsTags', () => {
  it.each([
    ['noindex', true, false],
    ['index, nofollow', false, true],
    ['None', true, true],
    ['googlebot: noindex', false, false],
    ['copydesk: noindex', true, false],
    ['googlebot: noindex, nofollow', false, false],
    ['otherbot: nofollow, Copydesk: noindex', true, false],
    ['unavailable_after: 25 Jun 2030 15:00:00 GMT, noindex', true, false],
    ['noindexing', false, false],
    ['', false, false],
  ])('reads %j', (value, noindex, nofollow) => {
    expect(parseRobotsTags(value)).toEqual({ noindex, nofollow })
  })
})

describe('decodeHtml', () => {
  const latin = Buffer.from('caf\u00e9 ', 'latin1')

  it('goes by the mark, the header, the meta tag, and else by what the bytes are', () => {
    expect(decodeHtml(Buffer.from('\uFEFFcafé'), 'text/html; charset=iso-8859-1')).toBe('café')
    expect(decodeHtml(Buffer.from('\uFEFFcafé', 'utf16le'), 'text/html')).toBe('café')
    expect(decodeHtml(latin, 'text/html; charset="ISO-8859-1"')).toBe('café ')
    expect(decodeHtml(Buffer.from('<meta charset="windows-1251">\xcf', 'latin1'), 'text/html')).toMatch(/П$/)
    expect(
      decodeHtml(Buffer.from('<meta http-equiv=x content="text/html; charset=koi8-r">\xf0', 'latin1'), ''),
    ).toMatch(/П$/)
    expect(decodeHtml(latin, 'text/html')).toBe('café ')
    expect(decodeHtml(Buffer.from('café'), 'text/html')).toBe('café')
    expect(decodeHtml(Buffer.from('café'), 'text/html; charset=nonsense')).toBe('café')
  })
})
