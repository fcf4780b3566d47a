import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { readPage } from '../../../kernel/page-queries.ts'
import { type Condition, equals, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import {
  type Column,
  count,
  exists,
  leftTable,
  like,
  nullable,
  pick,
  select,
  table,
} from '../../../platform/database/read.ts'
import { Dataset, KnowledgeFile } from '../datasets/entities.ts'
import { notFoundIn } from '../datasets/queries.ts'
import { Crawl, CrawlPlan, SitePage } from './entities.ts'
import { crawlJob } from './jobs.ts'
import type {
  CrawledPagePage,
  CrawledPageQuery,
  CrawledPageStatus,
  CrawlProgress,
  CrawlSettings,
} from './schemas.ts'

const d = table(Dataset, 'd')
const p = leftTable(CrawlPlan, 'p')
const c = table(Crawl, 'c')
const g = table(SitePage, 'g')
const f = leftTable(KnowledgeFile, 'f')

const settings = select({
  datasetId: d.id,
  ...pick(p, 'startUrl', 'maxPages', 'maxDepth', 'urlPathFilter', 'schedule'),
})
const last = select(pick(c, 'id', 'status', 'pagesCrawled', 'pagesIndexed', 'completedAt'))

/** Serves `GET …/datasets/:datasetId/crawl`. @throws DomainError `NOT_FOUND` */
export async function crawlSettings(ctx: Ctx, datasetId: string): Promise<CrawlSettings> {
  const condition = where(within(ctx.scope, 'd.tenant_id'), equals(d.id, datasetId))
  const from = `from ${d} left join ${p} on p.dataset_id = d.id`
  const row = await settings.get(ctx.sql, `${from} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('dataset')
  const newest = `from ${c} where c.dataset_id = ? order by c.id desc limit 1`
  return { ...row, lastCrawl: (await last.get(ctx.sql, newest, [datasetId])) ?? null }
}

const progress = select({
  crawlJobId: c.id,
  ...pick(c, 'status', 'pagesCrawled', 'pagesIndexed', 'pagesFailed', 'errorMessage', 'completedAt'),
})

/** Serves `GET …/datasets/:datasetId/crawl/:crawlJobId/status`. @throws DomainError `NOT_FOUND` */
export async function crawlProgress(ctx: Ctx, datasetId: string, id: string): Promise<CrawlProgress> {
  const condition = where(within(ctx.scope, 'c.tenant_id'), equals(c.datasetId, datasetId), equals(c.id, id))
  const row = await progress.get(ctx.sql, `from ${c} where ${condition.sql}`, condition.params)
  if (!row) throw await notFoundIn(ctx, datasetId, 'crawl job')
  return row
}

// A page that was fetched, and whose text cannot be searched, has failed.
const status = `case when g.outcome in ('indexed', 'unchanged') and f.status = 'error' then 'failed' else g.outcome end`
const page = select({
  ...pick(g, 'id', 'url', 'depth', 'fileId'),
  status: like(g.outcome, status),
  reason: nullable(like(g.reason, 'coalesce(g.reason, f.error_message)')),
})
const ofStatus = (one: CrawledPageStatus) => count(`sum(case when ${status} = '${one}' then 1 else 0 end)`)
const counts = select({
  indexed: ofStatus('indexed'),
  unchanged: ofStatus('unchanged'),
  skipped: ofStatus('skipped'),
  failed: ofStatus('failed'),
})
const none = { indexed: 0, unchanged: 0, skipped: 0, failed: 0 }

/**
 * What came of each page of a crawl, unless a later crawl has looked at it since. Serves
 * `GET …/datasets/:datasetId/crawl/:crawlJobId/pages`. @throws DomainError `NOT_FOUND`
 */
export async function crawledPages(
  ctx: Ctx,
  datasetId: string,
  id: string,
  given: Partial<CrawledPageQuery> = {},
): Promise<CrawledPagePage> {
  await crawlProgress(ctx, datasetId, id)
  const from = `from ${g} left join ${f} on f.id = g.file_id`
  const rows = where(within(ctx.scope, 'g.tenant_id'), equals(g.datasetId, datasetId), equals(g.crawlId, id))
  const request = { limit: 25, order: 'desc' as const, ...given }
  const filters = [oneOf(status, given['filter.status'])]
  const found = await readPage(ctx, { select: page, from, id: g.id, rows, filters, request }, (row) => row)
  const counted = await counts.get(ctx.sql, `${from} where ${rows.sql}`, rows.params)
  return { ...found, counts: counted ?? none }
}

function oneOf(sql: string, values: readonly string[] | undefined): Condition | undefined {
  return values && { sql: `${sql} in (${values.map(() => '?').join(', ')})`, params: [...values] }
}

/** Whether a crawl of a dataset waits or is running. */
export function isCrawled({ sql }: Ctx, datasetId: string): Promise<boolean> {
  return exists(sql, `from ${c} where c.dataset_id = ? and c.status in ('queued', 'running')`, [datasetId])
}

// The text of a page that could not be ingested is asked for again, whether it has changed or not.
const unlessFailed = <T>(column: Column<T>) =>
  like(column, `case when f.status = 'error' then null else ${column} end`)
const kept = select({
  ...pick(g, 'url', 'depth'),
  etag: unlessFailed(g.etag),
  lastModified: unlessFailed(g.lastModified),
  hash: unlessFailed(g.hash),
})

/** What earlier crawls have kept of the pages of a dataset. */
export function keptPages({ sql }: Ctx, datasetId: string) {
  return kept.all(
    sql,
    `from ${g} left join ${f} on f.id = g.file_id where g.dataset_id = ? and g.file_id is not null order by g.id`,
    [datasetId],
  )
}

const unseen = select({ id: g.id })

/** Pages whose text is searched and that a crawl has not looked at. */
export async function unseenPages({ sql }: Ctx, datasetId: string, crawlId: string): Promise<string[]> {
  const rows = await unseen.all(
    sql,
    `from ${g} where g.dataset_id = ? and g.crawl_id <> ? and g.file_id is not null order by g.id limit 2000`,
    [datasetId, crawlId],
  )
  return rows.map(({ id }) => id)
}

const plan = table(CrawlPlan, 'p')
const due = select({ datasetId: plan.datasetId })

/** Datasets whose plan says that they are to be read again. */
export async function duePlans({ sql }: Ctx, now: Date): Promise<string[]> {
  const rows = await due.all(sql, `from ${plan} where p.next_on <= ? order by p.next_on limit 500`, [now])
  return rows.map(({ datasetId }) => datasetId)
}

const abandoned = select({ id: c.id })

/**
 * Crawls that are not over though their job neither waits nor is running.
 * @param id looks at this one only
 */
export async function abandonedCrawls(ctx: Ctx, id?: string): Promise<string[]> {
  const hasJob = `select 1 from job j where j.unique_key = '${crawlJob.kind}:' || c.id and j.status in ('waiting', 'running')`
  const condition = where(within(ctx.scope, 'c.tenant_id'), equals(c.id, id), {
    sql: `c.status in ('queued', 'running') and not exists (${hasJob})`,
    params: [],
  })
  const rows = await abandoned.all(
    ctx.sql,
    `from ${c} where ${condition.sql} order by c.id limit 100`,
    condition.params,
  )
  return rows.map((row) => row.id)
}
