import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, notFound } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { Dataset, type DatasetRow } from '../datasets/entities.ts'
import { Crawl, CrawlPlan, type CrawlPlanRow } from './entities.ts'
import { crawlJob, crawlToRun } from './jobs.ts'
import { duePlans, isCrawled } from './queries.ts'
import type { CrawlReceipt, CrawlSchedule, NewCrawl } from './schemas.ts'

const dayMs = 86_400_000
const everyMs: Record<CrawlSchedule, number | null> = { manual: null, weekly: 7 * dayMs, monthly: 30 * dayMs }

type Site = Pick<CrawlPlanRow, 'startUrl' | 'maxPages' | 'maxDepth' | 'urlPathFilter'>

/**
 * Has a website read into a dataset, now or at an instant, and again by its schedule. Serves `POST …/datasets/:datasetId/crawl`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` while another crawl of the dataset waits or is running
 */
export function startCrawl(ctx: Ctx, datasetId: string, input: NewCrawl): Promise<CrawlReceipt> {
  const { scheduleFor, schedule, urlPathFilter = null, ...rest } = input
  return transact(ctx, async (txn) => {
    const dataset = await lockDataset(txn, datasetId)
    if (await isCrawled(txn, datasetId))
      throw new DomainError('CONFLICT', 'Another crawl of this dataset waits or is running')
    const site = { ...rest, urlPathFilter }
    const runAt = scheduleFor ?? txn.clock.date()
    const interval = everyMs[schedule]
    const plan = {
      ...site,
      tenantId: dataset.tenantId,
      schedule,
      nextOn: interval === null ? null : new Date(runAt.getTime() + interval),
      updatedOn: txn.clock.date(),
    }
    const known = await txn.em.findOne(CrawlPlan, { datasetId })
    if (known) Object.assign(known, plan)
    else txn.em.create(CrawlPlan, { datasetId, ...plan })
    const crawlJobId = openCrawl(txn, dataset, site, scheduleFor ?? undefined)
    txn.audit({
      tenantId: dataset.tenantId,
      resourceType: 'dataset',
      resourceId: datasetId,
      after: { crawlJobId, ...site, schedule },
    })
    return { crawlJobId, status: 'queued' as const }
  })
}

/** Handles `knowledge.recrawl` jobs: starts what is due. Any number of processes may do it. */
export async function startDueCrawls(ctx: Ctx): Promise<void> {
  for (const datasetId of await duePlans(ctx, ctx.clock.date())) {
    await transact(ctx, async (txn) => {
      const dataset = await lockDataset(txn, datasetId)
      const plan = await txn.em.findOne(CrawlPlan, { datasetId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
      const interval = plan ? everyMs[plan.schedule] : null
      if (!plan || interval === null || !plan.nextOn || plan.nextOn > txn.clock.date()) return
      plan.nextOn = new Date(txn.clock.now() + interval)
      // One that takes longer than its interval is not begun twice.
      if (!(await isCrawled(txn, datasetId))) openCrawl(txn, dataset, plan)
    })
  }
}

function openCrawl(
  txn: Transaction,
  { id: datasetId, tenantId }: DatasetRow,
  site: Site,
  runAt?: Date,
): string {
  const { startUrl, maxPages, maxDepth, urlPathFilter } = site
  const id = txn.newId()
  txn.em.create(Crawl, {
    id,
    tenantId,
    datasetId,
    startUrl,
    maxPages,
    maxDepth,
    urlPathFilter,
    status: 'queued',
    pagesCrawled: 0,
    pagesIndexed: 0,
    pagesFailed: 0,
    errorMessage: null,
    state: null,
    completedAt: null,
    createdOn: txn.clock.date(),
  })
  txn.enqueue(crawlJob, crawlToRun({ id, tenantId }, runAt))
  return id
}

async function lockDataset(txn: Transaction, id: string): Promise<DatasetRow> {
  const dataset = await txn.em.findOne(Dataset, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!dataset) throw notFound('dataset')
  return dataset
}
