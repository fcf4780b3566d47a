import { describe, expect, it } from 'vitest'
import { type Route, type Site, send, startSite } from '../platform/crawl/site.ts'
import { textPage } from '../surfaces/dashboard/crawling.ts'
import { loggedIn } from './kb-staff.ts'
import { onScreen } from './screen.ts'
import { createStaff, type Staff } from './staff.ts'

const links = ['/oats', '/gone', '/lost', '/prices.pdf']

const bakery = (more: Record<string, Route> = {}) =>
  startSite({
    '/': textPage('Hearth & Oat', 'A bakery.', [...links, ...Object.keys(more)]),
    '/oats': textPage('Morning Oats', 'Rolled oats with hazelnuts.'),
    ...more,
  })

/** A page that is answered only when it is let go. */
function heldPage() {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const route: Route = (response) => {
    ask()
    void released.then(() => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Late'))
  }
  return { asked, release, route }
}

const crawl = async (staff: Staff, site: Pick<Site, 'url'>, more: readonly string[] = []) =>
  staff.run(['kb', 'crawl', site.url, ...more], await loggedIn(staff, 'admin.1'))

describe('copydesk kb crawl <url>', () => {
  it('reads a website, and says which pages are missing for which reason', async () => {
    await using staff = await createStaff()
    await using site = await bakery()
    const { code, stdout, stderr } = await crawl(staff, site)
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: [
        '✔ 5 pages: 2 indexed, 0 unchanged, 1 skipped, 2 failed',
        '',
        '2 failed  The page does not exist any more (404).',
        `  ${site.url}/gone`,
        `  ${site.url}/lost`,
        '',
        '1 skipped  This is a file (PDF) and no web page: upload it instead.',
        `  ${site.url}/prices.pdf`,
        '',
      ].join('\n'),
    })
    expect(stderr).toContain(`${site.url} is read into Website.\n`)
    const again = await crawl(staff, site, ['--json'])
    expect(JSON.parse(again.stdout)).toMatchObject({
      status: 'completed',
      counts: { indexed: 0, unchanged: 2, skipped: 1, failed: 2 },
      reasons: [{ status: 'failed', count: 2, examples: [`${site.url}/gone`, `${site.url}/lost`] }, {}],
    })
  })

  it('passes its limits on, and keeps them for the next time', async () => {
    await using staff = await createStaff()
    await using site = await bakery({ '/blog/': textPage('Blog', 'News.') })
    const limits = ['--max-pages', '7', '--max-depth', '1', '--path', '/blog', '--schedule', 'weekly']
    const login = await loggedIn(staff, 'member.1')
    const args = ['kb', 'crawl', `${site.url}/blog/`, ...limits, '--dataset', 'competitor-research']
    const result = await staff.json<{ counts: object }>(args, login)
    expect(result).toMatchObject({ counts: { indexed: 1 } })
    const look = ['kb', 'crawl', '--status', '--dataset', 'Competitor research']
    expect(await staff.json(look, login)).toMatchObject({
      startUrl: `${site.url}/blog/`,
      maxPages: 7,
      maxDepth: 1,
      urlPathFilter: '/blog',
      schedule: 'weekly',
      lastCrawl: { status: 'completed', pagesIndexed: 1, pagesFailed: 0, errorMessage: null },
    })
    const { stdout } = await staff.run(look, login)
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      `Competitor research  ${site.url}/blog/`,
      'at most 7 pages, 1 link away, below /blog, read weekly',
    ])
    expect(stdout).toMatch(/\nlast crawl completed \d+ s ago: 1 page crawled, 1 indexed, 0 failed {2}01/)
  })

  it('ends with 1 and the reason when nothing can be read', async () => {
    await using staff = await createStaff()
    await using site = await startSite({ '/': send(403, {}) })
    const { code, stdout, stderr } = await crawl(staff, site)
    expect(code).toBe(1)
    expect(stdout).toContain('1 failed  The site does not let us read this (403).')
    expect(stderr).toMatch(/error: No page of the site could be read/)
  })

  it('does not wait for one that begins later, and refuses another one meanwhile', async () => {
    await using staff = await createStaff()
    const later = await crawl(staff, { url: 'rye.example' }, ['--at', '2d', '--json'])
    expect(later.code).toBe(0)
    expect(JSON.parse(later.stdout)).toMatchObject({
      status: 'queued',
      scheduleFor: expect.stringMatching(/Z$/),
    })
    const second = await crawl(staff, { url: 'https://rye.example' }, ['--no-wait'])
    expect(second).toMatchObject({ code: 1, stdout: '' })
    expect(second.stderr).toMatch(/waits or is running: `copydesk kb crawl --tenant 01\w+ --status` shows it/)
    const login = await loggedIn(staff)
    const status = ['kb', 'crawl', '--status']
    expect(await staff.json(status, login)).toMatchObject({
      startUrl: 'https://rye.example',
      lastCrawl: { status: 'queued' },
    })
  })

  it('goes on at the server after Ctrl-C, and says how to look again', async () => {
    const held = heldPage()
    await using staff = await createStaff()
    await using site = await bakery({ '/held': held.route })
    const login = await loggedIn(staff, 'admin.1')
    const crawling = await staff.begin(['kb', 'crawl', site.url], login)
    await held.asked
    await crawling.says('is read into Website')
    crawling.child.kill('SIGINT')
    const { code, stdout, stderr } = await crawling.ended
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/the crawl goes on: `copydesk kb crawl --tenant 01\w+ --status` shows how far/)
    expect(await staff.json(['kb', 'crawl'], login)).toMatchObject({ lastCrawl: { status: 'running' } })
    held.release()
  })

  it('shows on a terminal how far it is, in one line that is written again', async () => {
    const held = heldPage()
    await using staff = await createStaff()
    await using site = await bakery({ '/held': held.route })
    const { env } = await loggedIn(staff, 'admin.1')
    using screen = await onScreen(['kb', 'crawl', site.url], { cwd: staff.home, env })
    await screen.shows(/running {2}\d pages?, \d indexed, \d failed {2}http/)
    held.release()
    expect(await screen.ended).toBe(0)
    expect(screen.lines().slice(0, 2)).toEqual([
      `${site.url} is read into Website.`,
      expect.stringMatching(/^✔ 6 pages: 3 indexed/),
    ])
  })

  it('asks again when the server cannot be reached for a while', async () => {
    let asked = 0
    await using staff = await createStaff({
      between: (request, response, handle) => {
        if (!request.url?.endsWith('/status')) return handle(request, response)
        asked += 1
        return asked > 1 ? handle(request, response) : response.destroy()
      },
    })
    await using site = await bakery()
    const { code, stdout, stderr } = await crawl(staff, site)
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('2 indexed') })
    expect(stderr).toMatch(/warning: .*Trying again\.\n/)
  })

  it('is completed: its tenants, and how often it is repeated', async () => {
    await using staff = await createStaff()
    const offered = async (...words: string[]) =>
      (await staff.run(['complete', '--', 'kb', 'crawl', ...words])).stdout
    expect(await offered('--schedule', '')).toMatch(/^manual\s*\nweekly\s*\nmonthly/)
    expect(await offered('--no')).toContain('--no-wait')
    expect(await offered('--tenant', '')).toContain('Tenant 1')
  })

  it('is for users of the tenant with a login, and names what is wrong', async () => {
    await using staff = await createStaff()
    type Case = [args: string[], code: number, says: string]
    const check = async (options: object, cases: readonly Case[]) => {
      for (const [args, code, says] of cases) {
        const ended = await staff.run(['kb', 'crawl', ...args], options)
        expect({ args, code: ended.code, stdout: ended.stdout }).toEqual({ args, code, stdout: '' })
        expect(ended.stderr).toContain(says)
      }
    }
    const url = 'https://rye.example'
    await check({}, [[[url], 4, 'copydesk login --email']])
    await check(await loggedIn(staff), [[[url], 4, 'Crawls are begun by the users of the tenant']])
    await check(await loggedIn(staff, 'admin.1'), [
      [['ftp://rye.example'], 2, '<url>'],
      [[url, '--path', 'blog'], 2, '--path must be a path'],
      [[url, '--at', 'soon'], 2, '--at must be an instant'],
      [[url, '--max-pages', '0'], 2, '--max-pages'],
      [[url, '--failed'], 2, '--failed is for the last crawl'],
      [['--no-wait'], 2, '--no-wait needs the URL'],
      [[url, '--dataset', 'recipes'], 2, 'There is no dataset recipes'],
    ])
  })
})

describe('copydesk kb crawl --pages', () => {
  it('lists the pages of the last crawl, also for reviewers, or only those that are missing', async () => {
    await using staff = await createStaff()
    const login = await loggedIn(staff)
    const never = await staff.run(['kb', 'crawl', '--pages'], login)
    expect(never).toMatchObject({ code: 1, stdout: '' })
    expect(await staff.run(['kb', 'crawl'], login)).toMatchObject({
      code: 0,
      stdout: 'Website  was never read from a website\n',
    })
    await using site = await bakery()
    expect((await crawl(staff, site)).code).toBe(0)
    const reviewer = await loggedIn(staff)
    const { stdout } = await staff.run(['kb', 'crawl', '--pages'], reviewer)
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      'page\tstatus\tdepth\treason',
      `${site.url}/\tindexed\t0\t`,
    ])
    expect(stdout.split('\n')).toHaveLength(7)
    const only = await staff.json<{ data: Array<{ url: string; status: string }> }>(
      ['kb', 'crawl', '--pages', '--skipped'],
      reviewer,
    )
    expect(only).toMatchObject({
      data: [{ url: `${site.url}/prices.pdf`, status: 'skipped' }],
      hasMore: false,
    })
    const both = await staff.run(['kb', 'crawl', '--failed', '--skipped', '--json=data.url'], reviewer)
    expect(JSON.parse(both.stdout).data).toHaveLength(3)
  })
})
