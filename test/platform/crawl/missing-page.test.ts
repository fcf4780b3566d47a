import { describe, expect, it } from 'vitest'
import { missingName } from '../../../packages/core/src/platform/crawl/missing-page.ts'
import { crawlSite, page, redirect, send, startSite } from './site.ts'

const gone =
  'failed: The site shows this page for addresses that do not exist, so there is no such page any more.'
const home = page('Home', ['/oats', '/old', '/older'])
const oats = page('Morning Oats', ['/'])

/** As many sites show it: with the address that was asked for, and a number of its own. */
const notFound = (path: string, number: number) =>
  `<html><title>Hearth</title><script>var id = "${Math.random()}"</script><h1>We could not find ${path}</h1><p>Reference ${number}. <a href="/">Home</a></p></html>`

const probes = (site: { asked(): string[] }) => site.asked().filter((path) => path.includes(missingName))

describe('a site that shows a page for addresses that do not exist', () => {
  it('has such pages told of as gone, and is asked for an address that cannot exist once', async () => {
    let number = 0
    await using site = await startSite((path) => {
      if (path === '/robots.txt') return undefined
      if (path === '/') return home
      return path === '/oats' ? oats : notFound(path, (number += 1))
    })
    const { outcomes, pages } = await crawlSite(site)
    expect(outcomes).toEqual({ '/': 'fetched', '/oats': 'fetched', '/old': gone, '/older': gone })
    expect(pages.filter((one) => one.outcome === 'failed' && one.gone && !one.siteFault)).toHaveLength(2)
    expect(probes(site)).toHaveLength(1)
  })

  it('is asked below the path that is read', async () => {
    await using site = await startSite((path) => {
      if (path === '/docs') return page('Docs', ['/docs/a', '/docs/b'])
      if (path === '/docs/a') return page('A')
      return path.startsWith('/docs/') ? page('Nothing here') : undefined
    })
    const { outcomes } = await crawlSite(site, { startUrl: `${site.url}/docs`, pathPrefix: '/docs' })
    expect(outcomes).toEqual({ '/docs': 'fetched', '/docs/a': 'fetched', '/docs/b': gone })
    expect(probes(site)).toEqual([expect.stringMatching(/^\/docs\/copydesk-no-such-page-/)])
  })

  it('may lead to it by a redirect', async () => {
    await using site = await startSite((path) => {
      if (path === '/') return page('Home', ['/oats', '/old', '/error'])
      if (path === '/oats') return oats
      if (path === '/error') return page('Nothing here')
      return path === '/robots.txt' ? undefined : redirect('/error', 302)
    })
    const { outcomes } = await crawlSite(site)
    expect(outcomes).toMatchObject({ '/oats': 'fetched', '/error': gone })
    expect(outcomes['/old']).toMatch(/^skipped: The page has moved/)
  })

  it.each([
    ['it shows its start page for every address', (path: string) => (path === '/oats' ? oats : home)],
    [
      'it says that there is none',
      (path: string) => (path === '/' ? home : path.includes(missingName) ? undefined : oats),
    ],
    ['it fails', (path: string) => (path === '/' ? home : path.includes(missingName) ? send(500, {}) : oats)],
    [
      'it leads to its start page',
      (path: string) => (path === '/' ? home : path.includes(missingName) ? redirect('/') : oats),
    ],
    [
      'it leads elsewhere',
      (path: string) =>
        path === '/' ? home : path.includes(missingName) ? redirect('https://other.example/') : oats,
    ],
    [
      'it shows no text',
      (path: string) => (path === '/' ? home : '<html><script>run("app")</script></html>'),
    ],
  ])('is read as it is where %s', async (_how, route) => {
    await using site = await startSite((path) => (path === '/robots.txt' ? undefined : route(path)))
    const { outcomes } = await crawlSite(site)
    expect(outcomes).toEqual({ '/': 'fetched', '/oats': 'fetched', '/old': 'fetched', '/older': 'fetched' })
    expect(probes(site)).toHaveLength(1)
  })

  it('is not asked where its robots.txt does not allow it, nor for its start page alone', async () => {
    const routes = (path: string) =>
      path === '/robots.txt'
        ? 'User-agent: *\nDisallow: /copydesk-\n'
        : path === '/'
          ? home
          : page('Nothing here')
    await using site = await startSite(routes)
    const { outcomes } = await crawlSite(site)
    expect(outcomes['/old']).toBe('fetched')
    expect(probes(site)).toEqual([])
    await using small = await startSite({ '/': page('Home') })
    await crawlSite(small)
    expect(probes(small)).toEqual([])
  })

  it('keeps what differs in more than the address, though most of it is the same', async () => {
    const menu = 'Bread Rolls Cakes Offices Prices Jobs '.repeat(40)
    const framed = (words: string) => `<html><title>Hearth</title><nav>${menu}</nav><p>${words}</p></html>`
    await using site = await startSite((path) => {
      if (path === '/robots.txt') return undefined
      if (path === '/') return home
      return framed(path === '/oats' ? 'Rolled oats.' : 'Nothing here.')
    })
    expect((await crawlSite(site)).outcomes).toEqual({
      '/': 'fetched',
      '/oats': 'fetched',
      '/old': gone,
      '/older': gone,
    })
  })

  it('is not asked again by a crawl that is continued', async () => {
    await using site = await startSite((path) => {
      if (path === '/robots.txt') return undefined
      if (path === '/') return home
      return path === '/oats' ? oats : page('Nothing here')
    })
    const stop = new AbortController()
    const first = await crawlSite(site, {
      signal: stop.signal,
      onPage: async ({ url }) => {
        if (url.endsWith('/oats')) stop.abort()
      },
    })
    expect(first.summary.end).toBe('aborted')
    const { outcomes } = await crawlSite(site, { state: first.state })
    expect(outcomes['/older']).toBe(gone)
    expect(probes(site)).toHaveLength(1)
  })
})
