import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fails, serve } from '../../kit/platforms/frame.ts'
import { openPress, type Press } from '../../kit/publishing.ts'

let press: Press
let web: Awaited<ReturnType<typeof serve>>

beforeAll(async () => {
  press = await openPress()
  web = await serve(
    ({ method, path }) => {
      const moved = (location: string) => ({ status: 301, headers: { location } })
      if (path === '/moved') return moved('/page')
      if (path === '/inside') return moved('http://169.254.169.254/latest/meta-data')
      if (path === '/circle') return moved('/circle')
      if (path === '/page.html') return fails(method === 'GET' ? 200 : 405)
      if (path === '/busy') return fails(503)
      if (path === '/silent') return new Promise(() => undefined)
      return fails(path.startsWith('/page') ? 200 : 404)
    },
    () => false,
  )
})

afterAll(async () => {
  await press[Symbol.asyncDispose]()
  await web[Symbol.asyncDispose]()
})

async function check(text: string) {
  const activityId = await press.approved(text)
  const params = { activityId }
  expect(await press.admin.call('dashboard.publications.previews', { params })).not.toHaveProperty('links')
  expect(web.requests).toEqual([])
  const checked = press.admin.call('dashboard.publications.previews', { params, query: { links: 'check' } })
  return (await checked).links?.map(({ url, state, words }) => [url.replace(web.url, ''), state, words])
}

describe('dashboard.publications.previews: links', () => {
  it('are opened as a reader would, each once, and nothing inside is reached through them', async () => {
    const { url } = web
    const checked = check(`# Oats

See [the page](${url}/page), **${url}/page.html**, and [it](${url}/moved). Again: ${url}/page.
![A bowl](${url}/bowl.jpg) [Now](${url}/busy), [never](${url}/circle), [inside](${url}/inside),
[metadata](http://169.254.169.254/), (see ${url}/page_(a)), [nowhere](http://nowhere.invalid/x), [late](${url}/silent)
`)
    await press.app.until(async () => web.requests.includes('HEAD /silent'), 'all were asked')
    press.clock.advance(6_000)
    expect(await checked).toEqual([
      ['/page', 'ok', null],
      ['/page.html', 'ok', null],
      ['/moved', 'ok', null],
      ['/bowl.jpg', 'broken', 'It answers 404'],
      ['/busy', 'unclear', 'It answers 503'],
      ['/circle', 'broken', expect.stringContaining('redirect')],
      ['/inside', 'broken', 'No public address'],
      ['http://169.254.169.254/', 'broken', 'No public address'],
      ['/page_(a)', 'ok', null],
      ['http://nowhere.invalid/x', 'broken', expect.any(String)],
      ['/silent', 'unclear', expect.any(String)],
    ])
    expect(web.requests.filter((one) => one.endsWith(' /page'))).toEqual(['HEAD /page', 'HEAD /page'])
  })

  it('are twenty at most, however many a text has', async () => {
    web.requests.splice(0)
    const many = Array.from({ length: 200 }, (_, n) => `${web.url}/page${n}`)
    const states = await check(`# Many\n\n${many.join(' ')}\n`)
    expect(states).toHaveLength(200)
    expect(states?.slice(0, 20).every(([, state]) => state === 'ok')).toBe(true)
    expect(states?.slice(20).every(([, state]) => state === 'unchecked')).toBe(true)
    expect(web.requests).toHaveLength(20)
  })
})
