import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AdsDesk, openAdsDesk } from '../../kit/ads.ts'
import type { AdsAccount, SearchAd } from '../../kit/google-ads-rows.ts'
import { refusal } from '../refusal.ts'

let desk: AdsDesk
let account: AdsAccount
let params: { campaignId: string }
/** Pages of a website, each with its status, and how it was asked. */
const statuses = new Map<string, number>()
const asked: string[] = []
const site = createServer((request, response) => {
  asked.push(`${request.method} ${request.url}`)
  const status = statuses.get(request.url ?? '') ?? 200
  response.writeHead(status, status === 301 ? { location: '/gone' } : {}).end('a page')
})
let url: string

beforeAll(async () => {
  await once(site.listen(0, '127.0.0.1'), 'listening')
  url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  desk = await openAdsDesk()
  account = desk.google.accounts.get('2222222222') as AdsAccount
  params = { campaignId: await desk.imported() }
})
afterAll(async () => {
  await desk[Symbol.asyncDispose]()
  site.closeAllConnections()
  site.close()
})

const ad = (id: string, finalUrl: string, more: Partial<SearchAd> = {}) =>
  account.ads.set(`51~${id}`, {
    id,
    of: '51',
    status: 'ENABLED',
    finalUrls: [finalUrl],
    headlines: [],
    descriptions: [],
    impressions: 10,
    ...more,
  })
/** Asks for recommendations, and waits until the pages that fail were asked for a second time. */
const advise = async (between: () => void = () => undefined) => {
  asked.splice(0)
  await desk.team.member.call('tenant', 'POST /campaigns/:campaignId/optimizations/trigger', { params })
  const waits = `select count(*) as n from job where kind = 'ads.pages' and status in ('waiting', 'running') and run_at <= ?`
  await desk.app.until(async () => {
    desk.clock.advance(1_000)
    return Number((await desk.app.db.sql.get<{ n: number }>(waits, [desk.clock.date()]))?.n) === 0
  }, 'the pages were asked for')
  between()
  desk.clock.advance(5 * 60_000)
  await desk.settled()
}
const pages = async () => {
  const { data } = await desk.team.reviewer.call('tenant', 'GET /campaigns/:campaignId/optimizations', {
    params,
    query: {},
  })
  return data.filter(({ kind }) => kind === 'broken_page')
}
const gonePage = async () => (await pages()).find(({ title }) => title.includes('/gone'))

describe('tenant.campaigns.advise for pages that ads lead to', () => {
  it('tells of pages that fail twice, with address, answers, times and cost', async () => {
    statuses
      .set('/gone', 404)
      .set('/gone?k=', 404)
      .set('/moved', 301)
      .set('/private', 403)
      .set('/starts', 503)
      .set('/paused', 404)
    ad('81', `${url}/gone?k={keyword}#offer`, { costMicros: 3_000_000n })
    ad('82', `${url}/gone?k=`, { costMicros: 1_500_000n })
    ad('83', `${url}/moved`)
    ad('84', `${url}/private`)
    ad('85', `${url}/starts`)
    ad('86', `${url}/paused`, { status: 'PAUSED' })
    ad('87', 'http://no-such-name.invalid/')
    ad('88', 'http://10.1.2.3/inside')
    await advise(() => statuses.set('/starts', 200))
    const found = await pages()
    expect(found.map(({ title, priority }) => [title, priority])).toEqual([
      [`Put ${url}/gone?k= right`, 'high'],
      [expect.stringContaining('http://no-such-name.invalid/'), 'medium'],
      [`Put ${url}/moved right`, 'medium'],
    ])
    const gone = found[0]?.rationale
    expect(gone).toMatch(/it answered 404 on \d{4}-\d\d-\d\d at \d\d:\d\d UTC, and it answered 404 on/)
    expect(gone).toContain('they have cost 4.50 EUR')
    expect(found[1]?.rationale).toContain('its name did not resolve')
    expect(asked.filter((line) => line.includes('/gone?'))).toEqual(
      ['HEAD', 'GET', 'HEAD', 'GET'].map((method) => `${method} /gone?k=`),
    )
    expect(asked.filter((line) => line.includes('/paused'))).toEqual([])
  })

  it('changes nothing when it is applied, and says what to do by hand', async () => {
    const recommendationId = (await gonePage())?.id ?? ''
    const at = { params: { ...params, recommendationId } }
    const route = '/campaigns/:campaignId/optimizations/:recommendationId'
    await desk.team.member.call('tenant', `PATCH ${route}`, { ...at, body: { status: 'dm_approved' } })
    const before = desk.google.requests.length
    const applied = desk.team.admin.call('tenant', `POST ${route}/apply`, at)
    expect(await refusal(applied)).toMatchObject({ status: 422 })
    await expect(applied).rejects.toThrow('By hand: put the page right')
    expect(desk.google.requests).toHaveLength(before)
  })

  it('is done once the page answers again, or no ad leads to it', async () => {
    statuses.delete('/gone')
    statuses.set('/gone?k=', 200)
    ad('83', `${url}/fine`)
    await advise()
    expect((await pages()).map(({ title, status }) => [title.includes('invalid'), status])).toEqual([
      [false, 'applied'],
      [true, 'pending'],
      [false, 'applied'],
    ])
  })
})
