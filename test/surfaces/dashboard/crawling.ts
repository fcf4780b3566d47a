import type { Team, TestApp } from '../../kit/app.ts'
import { page, type Site } from '../../platform/crawl/site.ts'

/** A team with the dataset of its website. */
export type CrawlingTeam = Team & { datasetId: string }

/** An HTML page with a text and links. */
export const textPage = (title: string, words: string, links: readonly string[] = []) =>
  page(title, links).replace('<ul>', `<main><h1>${title}</h1><p>${words}</p></main><ul>`)

export async function createCrawlingTeam(app: TestApp): Promise<CrawlingTeam> {
  const team = await app.team()
  const { data } = await team.member.call('dashboard', 'GET /knowledge-base/datasets')
  return { ...team, datasetId: data.find(({ name }) => name === 'Website')?.id ?? '' }
}

export const startCrawl = ({ member, datasetId }: CrawlingTeam, site: Pick<Site, 'url'>, more: object = {}) =>
  member.call('dashboard', 'POST /knowledge-base/datasets/:datasetId/crawl', {
    params: { datasetId },
    body: { startUrl: site.url, ...more },
  })

/** Reads a site, and waits until its pages can be searched. */
export async function crawled(app: TestApp, team: CrawlingTeam, site: Pick<Site, 'url'>, more: object = {}) {
  const { crawlJobId } = await startCrawl(team, site, more)
  const { member, datasetId } = team
  // Asked of the database: those who poll are limited.
  const over = `select 1 as one from crawls where id = ? and completed_at is not null
    and not exists (select 1 from knowledge_files where dataset_id = ? and status in ('pending', 'parsing', 'embedding'))`
  await app.until(
    async () => (await app.db.sql.all(over, [crawlJobId, datasetId])).length > 0,
    'its pages are ingested',
  )
  return member.call('dashboard', 'GET /knowledge-base/datasets/:datasetId/crawl/:crawlJobId/status', {
    params: { datasetId, crawlJobId },
  })
}
