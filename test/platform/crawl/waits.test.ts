import { describe, expect, it } from 'vitest'
import { crawlSite, createHastyClock, page, type Route, redirect, send, startSite } from './site.ts'

const html = { 'content-type': 'text/html' }

/** Answers with each route in turn, and with the last one from then on. */
function inTurn(...routes: Route[]): Route {
  let next = 0
  return (response, request) => {
    const route = routes[Math.min(next, routes.length - 1)]
    next += 1
    if (typeof route === 'function') route(response, request)
    else response.writeHead(200, html).end(route)
  }
}

describe('a site that is busy', () => {
  it('is asked again when the time that it names is over, twice at most', async () => {
    const clock = createHastyClock()
    const inSeconds = new Date(clock.now() + 30_000).toUTCString()
    await using site = await startSite({
      '/': page('Home', ['/seconds']),
      '/seconds': inTurn(send(429, { 'retry-after': '7' }), page('Seconds', ['/date'])),
      '/date': inTurn(send(503, { 'retry-after': inSeconds }), page('Date', ['/untold'])),
      '/untold': inTurn(send(429, {}), page('Untold', ['/always'])),
      '/always': inTurn(
        send(429, { 'retry-after': '60' }),
        send(503, { 'retry-after': '0' }),
        send(429, {}),
        page('Late'),
      ),
    })
    const { outcomes } = await crawlSite(site, { clock })
    expect(outcomes).toEqual({
      '/': 'fetched',
      '/seconds': 'fetched',
      '/date': 'fetched',
      '/untold': 'fetched',
      '/always': 'failed: The site asks for fewer requests (429); try again later.',
    })
    expect(site.count('/always')).toBe(3)
    expect(clock.waits).toEqual([7_000, 23_000, 10_000, 60_000, 1_000])
  })

  it('is not waited for longer than a minute', async () => {
    const clock = createHastyClock()
    await using site = await startSite({
      '/': page('Home', ['/long', '/date', '/none']),
      '/long': send(429, { 'retry-after': '61' }),
      '/date': send(503, { 'retry-after': 'Fri, 31 Dec 2100 23:59:59 GMT' }),
      '/none': send(503, {}),
    })
    const { outcomes } = await crawlSite(site, { clock })
    expect(outcomes).toMatchObject({
      '/long': 'failed: The site asks for fewer requests (429); try again later.',
      '/date': 'failed: The site is not available at the moment (503).',
      '/none': 'failed: The site is not available at the moment (503).',
    })
    expect(clock.waits).toEqual([])
    expect(site.heard).toHaveLength(6)
  })

  it('is asked once more where a connection broke', async () => {
    const clock = createHastyClock()
    const broken: Route = (response) => void response.socket?.destroy()
    await using site = await startSite({
      '/': page('Home', ['/once', '/always']),
      '/once': inTurn(broken, page('Once')),
      '/always': broken,
    })
    const { outcomes } = await crawlSite(site, { clock })
    expect(outcomes).toEqual({
      '/': 'fetched',
      '/once': 'fetched',
      '/always': 'failed: The connection to the site broke.',
    })
    expect([site.count('/once'), site.count('/always')]).toEqual([2, 2])
  })
})

describe('robots.txt', () => {
  const robots = (...lines: string[]): Route => send(200, { 'content-type': 'text/plain' }, lines.join('\n'))

  it('has its delay kept between any two requests, of ten seconds at most', async () => {
    for (const [delay, expected] of [
      ['2.5', 2_500],
      ['3600', 10_000],
    ] as const) {
      const clock = createHastyClock()
      await using site = await startSite({
        '/robots.txt': robots('User-agent: *', `Crawl-delay: ${delay}`),
        '/': page('Home', ['/a', '/b', '/c']),
        '/a': page('A'),
        '/b': page('B'),
        '/c': page('C'),
      })
      const { summary } = await crawlSite(site, { clock })
      expect(summary.state.counts.fetched).toBe(4)
      // Of seven requests, of which one is for an address that cannot exist, the first two wait for nothing: the delay is known after the first.
      expect(clock.waits).toEqual(Array.from({ length: 5 }, () => expected))
    }
  })

  it.each([401, 403, 404, 410])('that is answered with %i allows everything', async (status) => {
    await using site = await startSite({
      '/robots.txt': send(status, {}, 'User-agent: *\nDisallow: /'),
      '/': page('Home'),
    })
    expect((await crawlSite(site)).outcomes).toEqual({ '/': 'fetched' })
  })

  it.each([
    ['503', send(503, {})],
    ['500', send(500, {}, 'User-agent: *\nAllow: /')],
    ['a connection that breaks', ((response) => void response.socket?.destroy()) as Route],
    ['a redirect to a private address', redirect('http://10.0.0.1/robots.txt')],
  ])('that is answered with %s allows nothing, and what is kept stays', async (_, route) => {
    await using site = await startSite({ '/robots.txt': route, '/': page('Home') })
    const earlier = [{ url: `${site.url}/kept`, depth: 1 }]
    const { summary, pages } = await crawlSite(site, { clock: createHastyClock(), earlier })
    expect(summary.end).toBe('unavailable')
    expect(pages).toEqual([
      {
        url: `${site.url}/`,
        depth: 0,
        source: 'start',
        outcome: 'failed',
        reason: 'The robots.txt of the site cannot be read at the moment, so no page may be read.',
        gone: false,
        siteFault: true,
      },
    ])
    expect(new Set(site.asked())).toEqual(new Set(['/robots.txt']))
  })

  it('is read through five redirects, and six are none', async () => {
    const hops = Object.fromEntries(
      Array.from({ length: 6 }, (_, hop) => [`/r${hop}`, redirect(`/r${hop + 1}`)]),
    )
    const rules = {
      '/r6': robots('User-agent: *', 'Disallow: /a'),
      '/': page('Home', ['/a']),
      '/a': page('A'),
    }
    await using five = await startSite({ ...hops, ...rules, '/robots.txt': redirect('/r2') })
    expect((await crawlSite(five)).outcomes['/a']).toContain('robots.txt')
    await using six = await startSite({ ...hops, ...rules, '/robots.txt': redirect('/r1') })
    expect((await crawlSite(six)).outcomes['/a']).toBe('fetched')
  })

  it('is cut after 500 KiB, at the end of a line', async () => {
    const limit = 500 * 1_024
    const start = 'User-agent: *\nDisallow: /a\n'
    // The limit falls into the middle of the last line, behind "Disallow: /".
    const filler = `#${'x'.repeat(limit - start.length - 13)}\n`
    const text = `${start}${filler}Disallow: /b\n${'#'.repeat(100_000)}`
    expect(text.slice(0, limit)).toMatch(/\nDisallow: \/$/)
    await using site = await startSite({
      '/robots.txt': robots(text),
      '/': page('Home', ['/a', '/b']),
      '/b': page('B'),
    })
    const { outcomes } = await crawlSite(site)
    expect(outcomes['/a']).toContain('robots.txt')
    expect([outcomes['/'], outcomes['/b']]).toEqual(['fetched', 'fetched'])
  })
})
