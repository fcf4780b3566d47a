import { describe, expect, it } from 'vitest'
import { readHtml } from '../../../packages/core/src/platform/parsing/html.ts'
import { parsed, shortly } from '../../kit/documents.ts'

const blocksOf = (html: string) => shortly(readHtml(html).document)
const sentence = 'A sentence with some words, as it is in an article about a campaign. '

describe('readHtml', () => {
  it('keeps headings, paragraphs, lists and code in their order', () => {
    const html = `<h1>The <b>plan</b></h1><p>One
      <i>two</i>&nbsp;three<br>four</p>loose<div>text</div>
      <ol start=3><li>a<ul><li>b</ul><li><p>c</p></ol><pre>x\n  y</pre><h6>Last</h6>`
    expect(blocksOf(html)).toEqual([
      'h1 The plan',
      'text One two three\nfour',
      'text loose',
      'text text',
      'text 3. a\n   - b\n4. c',
      'code x\n  y',
      'h6 Last',
    ])
  })

  it('keeps tables as Markdown, with merged cells in their columns', () => {
    const html = `<table><caption>Prices</caption><thead><tr><th>Plan<th colspan=2>Price</thead>
      <tr><td>Basic<td>10<td>a|b</tr><tr><td><p>Plus</p><p>new</p><td>25<tr><td></table>`
    expect(blocksOf(html)).toEqual([
      'text Prices',
      'table | Plan | Price |  |\n| --- | --- | --- |\n| Basic | 10 | a\\|b |\n| Plus new | 25 |',
    ])
  })

  it('sees through tables and lists that only arrange a page', () => {
    const html =
      '<table><tr><td><h2>Left</h2>one</td><td><table><tr><td>a<td>b<tr><td>1<td>2</table></td></tr></table>' +
      '<table><tr><td>alone</table><ul><li><h3>Card</h3><p>text</p></ul>'
    expect(blocksOf(html)).toEqual([
      'h2 Left',
      'text one',
      'table | a | b |\n| --- | --- |\n| 1 | 2 |',
      'text alone',
      'h3 Card',
      'text text',
    ])
  })

  it('leaves out what is not seen, scripts, styles and the fields of forms', () => {
    const html = `<p hidden>a</p><p style="color:red; DISPLAY : none">b</p><div aria-hidden=true>c<p>d</div><script>e</script>
      <style>f</style><template>g</template><noscript>h</noscript><svg><text>i</text></svg><textarea>j</textarea>
      <select><option>k</select><dialog>l</dialog><!-- m --><p style="color:red">shown`
    expect(blocksOf(html)).toEqual(['text shown'])
  })

  it('keeps the marks of authors', () => {
    expect(blocksOf('a<hr>b<!-- chunk -->c<hr><ul><li>d')).toEqual([
      'text a',
      'text ---',
      'text b',
      'text <!-- chunk -->',
      'text c',
      'text ---',
      'text - d',
    ])
  })

  it('returns what the page says of itself, and its links', () => {
    const html = `<html lang="de-AT"><head><title> A\n page </title><meta property="og:title" content="Other"><base href="/base/">
      <link rel="canonical" href="https://a.test/c"><meta name="Robots" content="NOINDEX, follow"></head>
      <a href="x?q=1#part">1</a><a href="x?q=1">2</a><a href="//b.test">3</a><a rel="nofollow" href="no">4</a>
      <a href="mailto:a@b.test">5</a><a href="http://[">6</a><a hidden href="y">7</a><svg><title>not this</title></svg>`
    const { document, ...page } = readHtml(html, { url: 'https://a.test/dir/page' })
    expect(document).toMatchObject({ kind: 'html', title: 'A page', language: 'de-AT', pages: null })
    expect(page).toEqual({
      canonical: 'https://a.test/c',
      links: ['https://a.test/base/x?q=1', 'https://b.test/', 'https://a.test/base/y'],
      index: false,
      follow: true,
    })
    expect(readHtml('<meta property="og:title" content="Shared"><a href=x>').document.title).toBe('Shared')
    expect(readHtml('<meta name=robots content=none><a href=x>')).toMatchObject({
      index: false,
      follow: false,
      links: [],
    })
  })

  it('finds the article of a page, with its title and the levels of its headings', () => {
    const article = `<h1>The title</h1><p>${sentence.repeat(4)}</p><h2>Part</h2><p>${sentence.repeat(4)}</p><ul><li>a<li>b</ul>`
    const html = `<html><title>The title - Site</title><body><nav><a href=/>Home</a></nav><div class="sidebar">Buy</div><main><article>${article}</article></main><footer>Imprint</footer>`
    expect(shortly(readHtml(html, { mainTextOnly: true }).document)).toEqual([
      'h1 The title',
      `text ${sentence.repeat(4).trim()}`,
      'h2 Part',
      `text ${sentence.repeat(4).trim()}`,
      'text - a\n- b',
    ])
  })

  it('keeps all sections of a page that has no article, but no menus and footers', () => {
    const sections = Array.from(
      { length: 12 },
      (_, at) => `<section><div><h2>Offer ${at}</h2><div>${at} is good</div></div></section>`,
    )
    const html = `<html><body><nav>Menu</nav><header role=banner>Logo</header>${sections.join('')}<aside>Ads</aside><footer>Imprint</footer>`
    const { blocks } = readHtml(html, { mainTextOnly: true }).document
    expect(blocks).toHaveLength(24)
    expect(blocks.at(-1)?.text).toBe('11 is good')
    // Where everything is marked as something else, nothing is left out.
    expect(shortly(readHtml('<nav>Menu</nav>', { mainTextOnly: true }).document)).toEqual(['text Menu'])
  })
})

describe('parseDocument, of HTML', () => {
  it('reads a page in the encoding that it names', async () => {
    const page = '<html><meta charset="iso-8859-2"><p>\xa3\xf3d\xbc'
    expect(shortly(await parsed(Buffer.from(page, 'latin1'), 'a.html'))).toEqual(['text Łódź'])
    const wrong = '<html><meta charset="utf-16"><p>gr\xf6\xdfer'
    expect(shortly(await parsed(Buffer.from(wrong, 'latin1'), 'a.html'))).toEqual(['text größer'])
  })
})
