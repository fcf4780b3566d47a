import { describe, expect, it } from 'vitest'
import { missingName } from '../../../packages/core/src/platform/crawl/missing-page.ts'
import { crawlSite, createHastyClock, page, redirect, send, startSite } from './site.ts'

const html = { 'content-type': 'text/html' }

describe('a page', () => {
  it('is skipped with a reason where it is none', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
    await using site = await startSite({
      '/': page('Home', [
        '/paper.pdf',
        '/paper',
        '/lying-pdf',
        '/lying-png',
        '/json',
        '/untyped',
        '/untyped-text',
        '/photo.png',
      ]),
      '/paper': send(200, { 'content-type': 'application/pdf' }, '%PDF-1.7'),
      '/lying-pdf': send(200, html, '%PDF-1.7 of a kind'),
      '/lying-png': send(200, html, png),
      '/json': send(200, { 'content-type': 'Application/JSON; charset=utf-8' }, '{}'),
      '/untyped': send(200, {}, '\n<html><title>Untyped</title>'),
      '/untyped-text': send(200, {}, 'User-agent: *'),
    })
    const { outcomes } = await crawlSite(site)
    expect(outcomes).toEqual({
      '/': 'fetched',
      '/paper.pdf': 'skipped: This is a file (PDF) and no web page: upload it instead.',
      '/paper': 'skipped: This is a file (PDF) and no web page: upload it instead.',
      '/lying-pdf': 'skipped: This is said to be a web page, and is not one.',
      '/lying-png': 'skipped: This is said to be a web page, and is not one.',
      '/json': 'skipped: This is no web page, but application/json.',
      '/untyped': 'fetched',
      '/untyped-text': 'skipped: This is said to be a web page, and is not one.',
    })
    expect([site.count('/paper.pdf'), site.count('/photo.png')]).toEqual([0, 0])
  })

  it('fails in plain words by its status, and is gone with 404 and 410 only', async () => {
    const statuses = [400, 401, 403, 404, 410, 418, 500, 503]
    await using site = await startSite({
      '/': page(
        'Home',
        statuses.map((status) => `/s${status}`),
      ),
      ...Object.fromEntries(statuses.map((status) => [`/s${status}`, send(status, html, page('Error'))])),
    })
    const { pages, outcomes } = await crawlSite(site)
    expect(outcomes).toEqual({
      '/': 'fetched',
      '/s400': 'failed: The site answered with 400 Bad Request.',
      '/s401': 'failed: A login is needed (401).',
      '/s403': 'failed: The site does not let us read this (403).',
      '/s404': 'failed: The page does not exist any more (404).',
      '/s410': 'failed: The page does not exist any more (410).',
      '/s418': "failed: The site answered with 418 I'm a Teapot.",
      '/s500': 'failed: The site has an error of its own (500).',
      '/s503': 'failed: The site is not available at the moment (503).',
    })
    const gone = pages.filter((one) => one.outcome === 'failed' && one.gone)
    expect(gone.map(({ url }) => url).toSorted()).toEqual([`${site.url}/s404`, `${site.url}/s410`])
  })

  it('that asks for it is not kept, by meta or header, and not followed', async () => {
    await using site = await startSite({
      '/': page('Home', ['/meta', '/header', '/other-bot', '/both', '/nofollow']),
      '/meta': page('Meta', ['/from-meta'], '<meta name="robots" content="noindex">'),
      '/header': send(200, { ...html, 'x-robots-tag': 'noindex' }, page('Header', ['/from-header'])),
      '/other-bot': send(200, { ...html, 'x-robots-tag': 'otherbot: noindex' }, page('Other')),
      '/both': send(200, { ...html, 'x-robots-tag': 'copydesk: none' }, page('Both', ['/from-both'])),
      '/nofollow': page('Nofollow', ['/from-nofollow'], '<meta name="robots" content="nofollow">'),
      '/from-meta': page('From meta'),
      '/from-header': page('From header'),
    })
    const { outcomes } = await crawlSite(site)
    const noindex = 'skipped: The page asks not to be indexed (noindex).'
    expect(outcomes).toEqual({
      '/': 'fetched',
      '/meta': noindex,
      '/header': noindex,
      '/other-bot': 'fetched',
      '/both': noindex,
      '/nofollow': 'fetched',
      '/from-meta': 'fetched',
      '/from-header': 'fetched',
    })
  })

  it('is skipped in favour of its canonical on the site, where that one can be had', async () => {
    const canonical = (href: string) => `<link rel="canonical" href="${href}">`
    await using site = await startSite({
      '/robots.txt': 'User-agent: *\nDisallow: /closed',
      '/': page(
        'Home',
        ['/list?page=2', '/own', '/foreign', '/to-closed', '/to-gone', '/x', '/y'],
        canonical('/'),
      ),
      '/list?page=2': page('List 2', ['/item'], canonical('/list')),
      '/list': page('List', [], canonical('/list#top')),
      '/own': page('Own', [], canonical('/own?utm_source=canonical')),
      '/foreign': page('Foreign', [], canonical('https://other.example/foreign')),
      '/to-closed': page('To closed', [], canonical('/closed')),
      '/to-gone': page('To gone', [], canonical('/gone')),
      '/item': page('Item'),
      '/x': page('X', [], canonical('/y')),
      '/y': page('Y', [], canonical('/x')),
    })
    const { outcomes } = await crawlSite(site)
    expect(outcomes).toEqual({
      '/': 'fetched',
      '/list?page=2': `skipped: This is a copy of ${site.url}/list.`,
      '/list': 'fetched',
      '/own': 'fetched',
      '/foreign': 'fetched',
      '/to-closed': 'fetched',
      '/to-gone': `skipped: This is a copy of ${site.url}/gone.`,
      '/gone': 'failed: The page does not exist any more (404).',
      '/item': 'fetched',
      '/x': `skipped: This is a copy of ${site.url}/y.`,
      '/y': 'fetched',
    })
  })

  it('does not lead a crawl through canonicals without end', async () => {
    await using site = await startSite((path) =>
      path === '/robots.txt' || path.includes(missingName)
        ? undefined
        : page(path, [], `<link rel="canonical" href="${path}x">`),
    )
    const { summary } = await crawlSite(site, { maxPages: 5 })
    expect(summary.state.counts).toMatchObject({ fetched: 1, skipped: 19 })
  })

  it('is kept where its canonical has already turned out to be none', async () => {
    await using site = await startSite({
      // With a delay one page is read after the other.
      '/robots.txt': 'User-agent: *\nCrawl-delay: 1',
      '/': page('Home', ['/gone', '/late']),
      '/late': page('Late', [], '<link rel="canonical" href="/gone">'),
    })
    const { outcomes } = await crawlSite(site, { clock: createHastyClock() })
    expect(outcomes).toMatchObject({ '/': 'fetched', '/late': 'fetched' })
  })
})

describe('a redirect', () => {
  it('within the site leads to the page, which has an outcome of its own', async () => {
    await using site = await startSite({
      '/': page('Home', ['/old', '/older', '/new', '/ü']),
      '/older': redirect('/old', 302),
      '/old': redirect('new?utm_medium=redirect', 308),
      '/new': page('New'),
      '/%C3%BC': redirect(Buffer.from('/größe').toString('latin1')),
      '/gr%C3%B6%C3%9Fe': page('Size'),
    })
    const { outcomes } = await crawlSite(site)
    expect(outcomes).toEqual({
      '/': 'fetched',
      '/old': `skipped: The page has moved to ${site.url}/new.`,
      '/older': `skipped: The page has moved to ${site.url}/old.`,
      '/new': 'fetched',
      '/%C3%BC': `skipped: The page has moved to ${site.url}/gr%C3%B6%C3%9Fe.`,
      '/gr%C3%B6%C3%9Fe': 'fetched',
    })
    expect(site.count('/new')).toBe(1)
  })

  it('to another site, a private address or nowhere is not followed', async () => {
    await using other = await startSite({ '/': page('Other') })
    await using site = await startSite({
      '/': page('Home', ['/foreign', '/other-port', '/metadata', '/file', '/bare', '/none']),
      '/foreign': redirect('https://elsewhere.example/a'),
      '/other-port': redirect(`${other.url}/`),
      '/metadata': redirect('http://169.254.169.254/latest/meta-data/'),
      '/file': redirect('file:///etc/passwd'),
      '/bare': redirect('http://'),
      '/none': send(301, {}),
    })
    const { outcomes } = await crawlSite(site)
    expect(outcomes).toEqual({
      '/': 'fetched',
      '/foreign': 'skipped: The page has moved to another site, elsewhere.example.',
      '/other-port': `skipped: The page has moved to another site, ${other.host}.`,
      '/metadata': 'skipped: The page has moved to another site, 169.254.169.254.',
      '/file': 'failed: The page redirects to an address that cannot be read.',
      '/bare': 'failed: The page redirects to an address that cannot be read.',
      '/none': 'failed: The page redirects to an address that cannot be read.',
    })
    expect(other.connections).toBe(0)
  })

  it('in a circle, or without end, fails', async () => {
    await using site = await startSite((path) => {
      if (path === '/') return page('Home', ['/self', '/one', '/r?0'])
      if (path === '/self') return redirect('/self#again')
      if (path === '/one') return redirect('/two')
      if (path === '/two') return redirect('/one')
      const [, step] = /^\/r\?(\d+)$/.exec(path) ?? []
      return step === undefined ? undefined : redirect(`/r?${Number(step) + 1}`)
    })
    const { outcomes } = await crawlSite(site)
    expect(outcomes).toMatchObject({
      '/self': 'failed: The page redirects in a circle.',
      '/one': `skipped: The page has moved to ${site.url}/two.`,
      '/two': 'failed: The page redirects in a circle.',
      '/r?4': `skipped: The page has moved to ${site.url}/r?5.`,
      '/r?5': 'failed: The page redirects too often.',
    })
    expect(site.count('/r?6')).toBe(0)
  })

  it('of the start page to www or from it moves the whole crawl', async () => {
    await using site = await startSite({
      '/': (response, { headers }) =>
        headers.host?.startsWith('www.')
          ? response
              .writeHead(200, { 'content-type': 'text/html' })
              .end(page('Home', ['/a', `http://site.example:${headers.host.split(':')[1]}/b`]))
          : response.writeHead(301, { location: `http://www.${headers.host}/` }).end(),
      '/a': page('A'),
      '/b': page('B'),
    })
    const startUrl = `http://site.example:${site.port}`
    const { summary, outcomes } = await crawlSite(site, { startUrl })
    const origin = `http://www.site.example:${site.port}`
    expect(summary.origin).toBe(origin)
    expect(outcomes).toEqual({
      [`${startUrl}/`]: `skipped: The page has moved to ${origin}/.`,
      [`${origin}/`]: 'fetched',
      [`${origin}/a`]: 'fetched',
      [`${origin}/b`]: 'fetched',
    })
    expect(site.count('/robots.txt')).toBe(2)
  })

  it('of the start page to another site ends the crawl', async () => {
    await using site = await startSite({ '/': redirect('https://shop.elsewhere.example/') })
    const { summary, outcomes } = await crawlSite(site)
    expect(outcomes).toEqual({ '/': 'skipped: The page has moved to another site, shop.elsewhere.example.' })
    expect(summary.end).toBe('done')
  })
})
