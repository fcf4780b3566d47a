import { describe, expect, it } from 'vitest'
import { runCrawl } from '../../../packages/core/src/domain/knowledge/crawl/run.ts'
import { startDueCrawls } from '../../../packages/core/src/domain/knowledge/crawl/start.ts'
import { parts } from '../../domain/agents.ts'
import { createTestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { startEmbeddings } from '../../kit/embedding-server.ts'
import { startSite } from '../../platform/crawl/site.ts'
import { crawled, createCrawlingTeam, startCrawl, textPage } from './crawling.ts'

describe('a crawl of a site that was read before', () => {
  it('has a page ingested whose text could not be embedded, though it has not changed', async () => {
    let away = true
    await using server = await startEmbeddings(() => (away ? { status: 401 } : {}))
    await using app = await createTestApp({
      embeddings: { provider: 'custom', model: 'm', baseUrl: server.url },
      allowHosts: ['127.0.0.1', new URL(server.url).host],
    })
    const team = await createCrawlingTeam(app)
    await using site = await startSite({ '/': textPage('Hearth & Oat', 'A bakery in Bristol.') })
    await crawled(app, team, site)
    const files = () =>
      app.db.sql.all('select status, error_message as "reason" from knowledge_files where dataset_id = ?', [
        team.datasetId,
      ])
    expect(await files()).toEqual([{ status: 'error', reason: expect.stringContaining('embedded') }])
    away = false
    await crawled(app, team, site)
    expect(await files()).toEqual([{ status: 'indexed', reason: null }])
    const asked = server.calls.length
    await crawled(app, team, site)
    expect(server.calls).toHaveLength(asked)
  })
})

describe('a site with a schedule', () => {
  it('is read again a week later, by one of two processes, and not while it is being read', async () => {
    const clock = createTestClock(Date.now())
    await using app = await createTestApp({ worker: false, allowHosts: ['127.0.0.1'] })
    const team = await createCrawlingTeam(app)
    const routes = { '/': textPage('Hearth & Oat', 'A bakery in Bristol.') }
    await using site = await startSite(routes)
    const inside = async () => parts({ ...app, options: { ...app.options, clock } })
    await using one = await inside()
    await using other = await inside()
    // Its waits are not moved by the test.
    await using reader = await parts(app)
    const { signal } = new AbortController()
    const crawls = () =>
      app.db.sql.all<{ id: string; status: string; indexed: number }>(
        'select id, status, pages_indexed as "indexed" from crawls where dataset_id = ? order by created_on, id',
        [team.datasetId],
      )
    const read = async () => {
      const { id = '' } = (await crawls()).at(-1) ?? {}
      await runCrawl(reader.system(), { crawlId: id }, signal)
    }
    const startDue = () => Promise.all([one, other].map((each) => startDueCrawls(each.system())))
    const day = 86_400_000
    await startCrawl(team, site, { schedule: 'weekly' })
    await read()
    clock.advance(7 * day - 60_000)
    await startDue()
    expect(await crawls()).toMatchObject([{ status: 'completed' }])
    clock.advance(120_000)
    await startDue()
    expect(await crawls()).toMatchObject([{ status: 'completed' }, { status: 'queued' }])
    const due = await app.db.sql.all("select id from job where kind = 'knowledge.crawl'")
    expect(due).toHaveLength(2)
    clock.advance(7 * day)
    await startDue()
    expect(await crawls()).toMatchObject([{ status: 'completed' }, { status: 'queued' }])
    routes['/'] = textPage('Hearth & Oat', 'A bakery in Bath.')
    await read()
    expect((await crawls()).at(-1)).toMatchObject({ status: 'completed', indexed: 1 })
    expect(site.count('/')).toBe(2)
    clock.advance(7 * day)
    await startDue()
    expect((await crawls()).map(({ status }) => status)).toEqual(['completed', 'completed', 'queued'])
  })
})
