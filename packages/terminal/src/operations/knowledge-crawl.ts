import { type CallInput, type Client, type Reply } from '@copydesk/client'
import { instantForms } from './instant.ts'
import { neededTenant, tenantHeader } from './knowledge.ts'
import type { OperationBase, Parameters } from './operation.ts'

const crawlParameters = {
  url: {
    kind: 'argument',
    required: false,
    summary: 'where the website begins (absent: show the last crawl)',
  },
  tenant: neededTenant,
  dataset: {
    kind: 'text',
    value: 'dataset',
    summary: 'dataset to read it into, by name or id (default: website-content)',
  },
  maxPages: { kind: 'number', value: 'count', min: 1, max: 2_000, summary: 'maximum number of pages (200)' },
  maxDepth: {
    kind: 'number',
    value: 'links',
    min: 0,
    max: 10,
    summary: 'maximum number of links away from the first page (3)',
  },
  path: { kind: 'text', value: 'path', summary: 'only pages below this path, such as /blog' },
  schedule: {
    kind: 'choice',
    choices: ['manual', 'weekly', 'monthly'],
    summary: 'how often it is read again (manual: never by itself)',
  },
  at: { kind: 'text', value: 'when', summary: `begin then: ${instantForms}` },
  noWait: { kind: 'flag', summary: 'do not wait for the end of the crawl' },
  status: { kind: 'flag', summary: 'show the settings and the last crawl' },
  pages: { kind: 'flag', summary: 'list the pages of the last crawl' },
  failed: { kind: 'flag', summary: 'list only pages that have failed' },
  skipped: { kind: 'flag', summary: 'list only pages that were skipped' },
} as const satisfies Parameters

/** The command that reads a website into a dataset, and shows what came of it. */
export const kbCrawl: OperationBase<typeof crawlParameters> = {
  name: 'kb crawl',
  summary: 'read a website into a dataset, or show its last crawl; needs a login with a password',
  effect: 'steers',
  audience: ['staff', 'admin', 'member'],
  params: crawlParameters,
  examples: [
    'kb crawl https://rye.example --path /blog --schedule weekly',
    'kb crawl --status --tenant rye.example',
    'kb crawl --pages --failed --json=data.url,data.reason',
  ],
}

export type CrawlSettings = Reply<'tenant', 'GET /knowledge/datasets/:datasetId/crawl'>
export type CrawlProgress = Reply<'tenant', 'GET /knowledge/datasets/:datasetId/crawl/:crawlJobId/status'>
type PageList = Reply<'tenant', 'GET /knowledge/datasets/:datasetId/crawl/:crawlJobId/pages'>
export type CrawledPage = PageList['data'][number]
export type PageStatus = CrawledPage['status']

/** A dataset of a tenant, as requests name it. */
export interface DatasetPlace {
  tenant: string
  datasetId: string
}

/** What a dataset is read from, and how its last crawl went. */
export type CrawlState = Omit<CrawlSettings, 'lastCrawl'> & {
  lastCrawl: (NonNullable<CrawlSettings['lastCrawl']> & Partial<CrawlProgress>) | null
}

export async function crawlState(
  client: Client,
  { tenant, datasetId }: DatasetPlace,
  signal?: AbortSignal,
): Promise<CrawlState> {
  const settings = await client.call('tenant', 'GET /knowledge/datasets/:datasetId/crawl', {
    params: { datasetId },
    ...tenantHeader(tenant),
    ...(signal && { signal }),
  })
  const { lastCrawl } = settings
  if (!lastCrawl) return { ...settings, lastCrawl: null }
  const progress = await crawlProgress(client, { tenant, datasetId }, lastCrawl.id, signal)
  return { ...settings, lastCrawl: { ...lastCrawl, ...progress } }
}

export function crawlProgress(
  client: Client,
  { tenant, datasetId }: DatasetPlace,
  crawlJobId: string,
  signal?: AbortSignal,
): Promise<CrawlProgress> {
  return client.call('tenant', 'GET /knowledge/datasets/:datasetId/crawl/:crawlJobId/status', {
    params: { datasetId, crawlJobId },
    ...tenantHeader(tenant),
    ...(signal && { signal }),
  })
}

/** Pages of a crawl with what came of them. */
export interface CrawledPages {
  crawlJobId: string
  /** Of all pages, whatever was asked for. */
  counts: PageList['counts']
  data: CrawledPage[]
  /** Whether there are more than were read. */
  hasMore: boolean
}

/** Most pages that are read of one crawl. */
const mostPages = 2_000

/** The pages of a crawl in the order in which they were found. @param statuses absent: all */
export async function crawledPages(
  client: Client,
  { tenant, datasetId }: DatasetPlace,
  crawlJobId: string,
  statuses?: readonly PageStatus[],
  signal?: AbortSignal,
): Promise<CrawledPages> {
  const data: CrawledPage[] = []
  let cursor: string | null = null
  for (;;) {
    const input: CallInput<'tenant', 'GET /knowledge/datasets/:datasetId/crawl/:crawlJobId/pages'> = {
      params: { datasetId, crawlJobId },
      query: {
        limit: 100,
        order: 'asc',
        ...(statuses && { 'filter.status': statuses.join(',') }),
        ...(cursor !== null && { cursor }),
      },
      ...tenantHeader(tenant),
      ...(signal && { signal }),
    }
    const found: PageList = await client.call(
      'tenant',
      'GET /knowledge/datasets/:datasetId/crawl/:crawlJobId/pages',
      input,
    )
    data.push(...found.data)
    cursor = found.pagination.nextCursor
    const hasMore = cursor !== null
    if (!hasMore || data.length >= mostPages) return { crawlJobId, counts: found.counts, data, hasMore }
  }
}
