import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createTestClock } from '../../kit/clock.ts'
import { crawlSite, createHastyClock, page, type Route, send, startSite } from './site.ts'

const html = { 'content-type': 'text/html' }

/** Writes until no one listens. @returns how many bytes were given to the connection */
function flood(response: ServerResponse): Promise<number> {
  const piece = Buffer.alloc(65_536, 'x')
  let written = 0
  const more = () => {
    while (!response.destroyed) {
      written += piece.length
      if (!response.write(piece)) return
    }
  }
  response.on('drain', more)
  more()
  return once(response, 'close').then(() => written)
}

describe('a crawl', () => {
  it('cuts a page off at 5 MB, whatever its length is said to be', async () => {
    const written: Array<Promise<number>> = []
    const endless =
      (headers: Record<string, string>): Route =>
      (response) => {
        response.writeHead(200, { ...html, ...headers })
        written.push(flood(response))
      }
    const exact = `<title>Full</title>${' '.repeat(5 * 1_024 * 1_024 - 19)}`
    await using site = await startSite({
      '/': page('Home', ['/endless', '/said', '/bomb', '/full', '/over']),
      '/endless': endless({}),
      '/said': endless({ 'content-length': String(1024 ** 3) }),
      '/bomb': send(200, { ...html, 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(64 * 1_024 * 1_024))),
      '/full': exact,
      '/over': `${exact}x`,
    })
    const { outcomes, summary } = await crawlSite(site)
    const tooLarge = 'skipped: The page is larger than 5 MB.'
    expect(outcomes).toEqual({
      '/': 'fetched',
      '/endless': tooLarge,
      '/said': tooLarge,
      '/bomb': tooLarge,
      '/full': 'fetched',
      '/over': tooLarge,
    })
    // What lies in the buffers of two sockets comes on top.
    for (const bytes of await Promise.all(written)) expect(bytes).toBeLessThan(32 * 1_024 * 1_024)
    expect(summary.state.bytes).toBeLessThan(21 * 1_024 * 1_024)
  })

  it('gives a page that sends a byte a second up after 20 seconds', async () => {
    const clock = createTestClock()
    await using site = await startSite({
      // With a delay one page is read after the other, so that the time of the drip is that of no other page.
      '/robots.txt': 'User-agent: *\nCrawl-delay: 1',
      '/': page('Home', ['/drip', '/next']),
      '/drip': (response) => {
        response.writeHead(200, html)
        const drip = () => {
          if (response.destroyed) return
          response.write('<')
          clock.advance(1_000)
          setImmediate(drip)
        }
        drip()
      },
      '/next': page('Next'),
    })
    const { outcomes } = await crawlSite(site, { clock: createHastyClock() }, { clock })
    expect(outcomes).toEqual({
      '/': 'fetched',
      '/drip': 'failed: There was no complete answer within 20 seconds.',
      '/next': 'fetched',
    })
  })

  it('does not get lost in calendars and paths without end', async () => {
    await using site = await startSite((path) => {
      const url = new URL(path, 'http://a')
      const month = Number(url.searchParams.get('month'))
      if (path === '/') return page('Home', ['/calendar?month=0', '/deep/a/', '/about'])
      if (url.pathname === '/calendar')
        return page(
          'Month',
          [1, 2, 3, 40].map((step) => `?month=${month + step}&view=${step}`),
        )
      if (url.pathname.startsWith('/deep/')) return page('Deep', ['b/', 'a/', '../a/'])
      return path === '/about' ? page('About') : undefined
    })
    const { summary, outcomes } = await crawlSite(site, { maxPages: 2_000 })
    const calendar = Object.keys(outcomes).filter((path) => path.startsWith('/calendar'))
    expect(calendar).toHaveLength(200)
    expect(outcomes['/about']).toBe('fetched')
    expect(summary.end).toBe('done')
    const reasons = Object.fromEntries(summary.leftOut.map(({ reason, count }) => [reason, count]))
    expect(reasons['One of very many addresses of the same form, as a calendar has them.']).toBeGreaterThan(4)
    expect(reasons['An address that repeats itself.']).toBeGreaterThan(1)
    for (const { examples } of summary.leftOut) expect(examples.length).toBeLessThanOrEqual(5)
  })

  it('ends after the pages that it may keep, and names the others', async () => {
    await using site = await startSite((path) =>
      path === '/' || /^\/[a-j]$/.test(path)
        ? page(
            path,
            Array.from('xabcdefghij', (name) => `/${name}`),
          )
        : undefined,
    )
    const { summary } = await crawlSite(site, { maxPages: 4 })
    expect(summary.end).toBe('pages')
    expect(summary.state.counts).toMatchObject({ fetched: 4, failed: 1 })
    expect(summary.leftOut).toMatchObject([{ reason: 'Over the limit of 4 pages.', count: 7 }])
    expect(site.heard.length).toBeLessThanOrEqual(8)
  })

  it('remembers no more addresses than its limits allow', async () => {
    await using site = await startSite((path) =>
      path === '/'
        ? page(
            'Home',
            Array.from(
              { length: 3_000 },
              (_, index) => `/${'x'.repeat(index % 7)}${index.toString(36).replace(/\d/g, 'z')}`,
            ),
          )
        : page('Same'),
    )
    const { summary } = await crawlSite(site, { maxPages: 3 })
    expect(summary.state.frontier.pending.length + summary.state.frontier.visited.length).toBe(16)
    expect(summary.state.frontier.leftOut).toHaveLength(1_000)
  })

  it('ends when all answers together have their size', async () => {
    await using site = await startSite((path) =>
      page(path, [`${path}a`, `${path}b`], '<!-- long -->'.repeat(1_000)),
    )
    const { summary } = await crawlSite(site, { maxBytes: 100_000 })
    expect(summary.end).toBe('bytes')
    expect(summary.state.bytes).toBeGreaterThanOrEqual(100_000)
    expect(summary.state.bytes).toBeLessThan(140_000)
  })

  it('ends when its time is over, also while a page is awaited', async () => {
    const clock = createTestClock()
    await using site = await startSite({
      '/': page('Home', ['/slow']),
      '/slow': () => clock.advance(30 * 60_000),
    })
    const { summary, outcomes } = await crawlSite(site, { clock })
    expect([summary.end, outcomes]).toEqual(['time', { '/': 'fetched' }])
    expect(summary.state.frontier.pending).toEqual([['/slow', 1, 'link', 0]])
  })

  it('leaves a site alone that does not answer', async () => {
    await using site = await startSite((path) =>
      path === '/'
        ? page(
            'Home',
            Array.from('abcdefghijklmnopqrstuvwxyz', (name) => `/${name}`),
          )
        : path === '/robots.txt' || path === '/sitemap.xml'
          ? undefined
          : send(500, html),
    )
    const { summary } = await crawlSite(site)
    expect(summary.end).toBe('unavailable')
    expect(summary.state.counts.failed).toBeLessThanOrEqual(11)
    await site[Symbol.asyncDispose]()
    const closed = await crawlSite(site)
    expect(closed.summary.end).toBe('unavailable')
    expect(closed.outcomes).toEqual({
      '/': 'failed: The robots.txt of the site cannot be read at the moment, so no page may be read.',
    })
  })

  it('reaches no private address', async () => {
    await using site = await startSite({ '/': page('Home') })
    const { summary, pages } = await crawlSite(site, {}, { allowHosts: [] })
    expect([summary.end, pages.length, site.connections]).toEqual(['unavailable', 1, 0])
  })
})
