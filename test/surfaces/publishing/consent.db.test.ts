import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { adminOf } from '../../kit/app.ts'
import { comeBack } from '../../kit/consents.ts'
import { createOAuthServer, type OAuthServer, redirectUrl } from '../../kit/oauth-server.ts'
import { openPress, type Press } from '../../kit/publishing.ts'
import { everything } from '../../kit/rows.ts'
import { createWordPressServer, type WordPressServer } from '../../kit/wordpress-server.ts'

let provider: OAuthServer
let site: WordPressServer
let press: Press
const lines: string[] = []

beforeAll(async () => {
  provider = await createOAuthServer()
  site = await createWordPressServer()
  site.accepts = provider.accepts
  const write = (message: string, fields?: object) => void lines.push(message + JSON.stringify(fields ?? {}))
  const log = {
    debug: write,
    info: write,
    warn: write,
    error: write,
    child: () => log,
  }
  const { cms_site: client = {} } = provider.channels
  const channels = {
    ...provider.channels,
    cms_site: { ...client, baseUrl: site.url },
  }
  press = await openPress({ channels, log })
})

beforeEach(() => {
  site.mishaps.splice(0)
  site.requests.splice(0)
  site.sites = [55]
})

afterAll(async () => {
  await press[Symbol.asyncDispose]()
  await site[Symbol.asyncDispose]()
  await provider[Symbol.asyncDispose]()
})

// In process: the tokens of people end sooner than these tests.
const admin = () => press.app.copydesk.as(adminOf(press.team))
const channel = async () => (await admin().call('dashboard.channels.list', {})).data[0]
const begin = (server?: string) =>
  admin().call('dashboard.channels.connect', {
    params: { platform: 'cms_site' },
    body: { redirectUrl, ...(server !== undefined && { server }) },
  })
const statusOf = ({ location }: { location: URL | undefined }) => location?.searchParams.get('status')

describe('dashboard.channels.connect, auth.oauth.callback: consent on a server of one’s own', () => {
  it('keeps nothing when the person says no, or brings the password of another site', async () => {
    const refused = await begin(site.url)
    expect(statusOf(await comeBack(press.app, site.agree(refused.authUrl, 'no')))).toBe('error')
    const back = site.agree((await begin(site.url)).authUrl)
    back.searchParams.set('site_url', 'https://oats.example')
    site.requests.splice(0)
    expect(statusOf(await comeBack(press.app, back))).toBe('error')
    expect(site.requests).toEqual([])
    const forged = site.agree((await begin(site.url)).authUrl)
    forged.searchParams.set('state', 'not-this-one')
    expect(await comeBack(press.app, forged)).toMatchObject({
      status: 400,
      error: { field: 'state' },
    })
    expect(await channel()).toBeUndefined()
  })

  it('connects a site without permalinks, and tells nobody the password', async () => {
    site.permalinks = false
    const back = site.agree((await begin(`${site.url}/`)).authUrl)
    const password = back.searchParams.get('password') ?? ''
    const came = await comeBack(press.app, back)
    expect(statusOf(came)).toBe('connected')
    expect(await comeBack(press.app, back)).toMatchObject({
      status: 400,
      error: { field: 'state' },
    })
    const { id = '' } = (await channel()) ?? {}
    const publication = await press.publish(await press.approved('# Rye\n\nRye is dark.\n'), id)
    site.mishaps.push('cut after', 'cut after')
    const done = await press.reaches(publication.id, 'published', 'failed')
    expect(done).toMatchObject({ status: 'published', error: null })
    expect(site.published.get('Rye')).toBe(1)
    await press.act(publication.id, 'cancel')
    await press.reaches(publication.id, 'removed')
    const said = [came.location?.href, ...lines, await everything(press.app.db), await channel()]
    expect(password).toHaveLength(24)
    expect(JSON.stringify(said)).not.toContain(password)
    await press.disconnect(id)
    await press.app.until(async () => {
      press.clock.advance(1_000)
      return ![...site.passwords.values()].includes(password)
    }, 'the password is given back')
  })
})

describe('dashboard.channels.connect, dashboard.channels.accounts, dashboard.channels.choose_account: WordPress.com', () => {
  const connect = async () => {
    const back = await provider.consent((await begin()).authUrl)
    expect(statusOf(await comeBack(press.app, back))).toBe('connected')
    return (await channel())?.id ?? ''
  }

  it('publishes on the one site that the consent is for, once, whatever happens to the answers', async () => {
    const id = await connect()
    site.mishaps.push('cut after', 502, 'cut after')
    const publication = await press.publish(await press.approved('# Emmer\n\nOf old.\n'), id)
    expect(await press.reaches(publication.id, 'published', 'failed')).toMatchObject({ status: 'published' })
    expect(site.published.get('Emmer')).toBe(1)
    expect(site.requests.slice(0, 4)).toEqual([
      'GET /oauth2/token-info',
      'GET /rest/v1.1/sites/55',
      'GET /wp/v2/sites/55/posts',
      'POST /wp/v2/sites/55/posts',
    ])
    expect(await channel()).toMatchObject({
      accountName: 'Oats 55 at WordPress.com',
    })
    await press.act(publication.id, 'cancel')
    await press.reaches(publication.id, 'removed')
    expect([...site.posts.values()].find(({ title }) => title === 'Emmer')?.status).toBe('trash')
  })

  it('holds what is published by a consent for several sites until a person has chosen one', async () => {
    const id = await connect()
    site.sites = [55, 56]
    const publication = await press.publish(await press.approved('# Teff\n\nSmall.\n'), id)
    expect(await press.reaches(publication.id, 'held', 'published', 'failed')).toMatchObject({
      holdReason: 'account_choice',
    })
    expect(site.published.get('Teff')).toBeUndefined()
    const params = { channelId: id }
    const { data } = await press.admin.call('dashboard.channels.accounts', { params })
    expect(data).toEqual([
      { id: expect.any(String), name: 'Oats 55 at WordPress.com', chosen: false },
      { id: expect.any(String), name: 'Oats 56 at WordPress.com', chosen: false },
    ])
    const choose = (account: string) =>
      press.admin.call('dashboard.channels.choose_account', { params, body: { account } })
    await expect(choose('another')).rejects.toMatchObject({ code: 'VALIDATION_ERROR', field: 'account' })
    const chosen = await choose(data[0]?.id ?? '')
    expect(chosen.data.map((one) => one.chosen)).toEqual([true, false])
    await press.reaches(publication.id, 'published')
    expect(site.published.get('Teff')).toBe(1)
    expect(await channel()).toMatchObject({ accountName: 'Oats 55 at WordPress.com' })
  })
})
