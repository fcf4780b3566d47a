import { z } from 'zod'
import { isoDate, page, pageQuery, queryChoices, ulid } from '../../../platform/wire.ts'

export const CrawlSchedule = z.enum(['manual', 'weekly', 'monthly'])
export type CrawlSchedule = z.output<typeof CrawlSchedule>
export const CrawlStatus = z.enum(['queued', 'running', 'completed', 'failed'])
export type CrawlStatus = z.output<typeof CrawlStatus>

export const NewCrawl = z.object({
  startUrl: z.url({ protocol: /^https?$/ }).max(2_000),
  maxPages: z.int().min(1).max(2_000).default(200),
  maxDepth: z.int().min(0).max(10).default(3),
  /** Pages below this path only, such as `/docs`. */
  urlPathFilter: z
    .string()
    .regex(/^\/[^?#\s]{0,500}$/, 'Must be a path, such as /docs')
    .nullable()
    .optional(),
  /** Null is at once. */
  scheduleFor: isoDate.nullable().optional(),
  /** How often the site is read again by itself. */
  schedule: CrawlSchedule.default('manual'),
})
export type NewCrawl = z.output<typeof NewCrawl>

export const CrawlReceipt = z.object({ crawlJobId: ulid, status: z.literal('queued') })
export type CrawlReceipt = z.output<typeof CrawlReceipt>

const counts = { pagesCrawled: z.int(), pagesIndexed: z.int() }

/** Null where the dataset was never read from a website. */
export const CrawlSettings = z.object({
  datasetId: ulid,
  startUrl: z.string().nullable(),
  maxPages: z.int().nullable(),
  maxDepth: z.int().nullable(),
  urlPathFilter: z.string().nullable(),
  schedule: CrawlSchedule.nullable(),
  lastCrawl: z
    .object({ id: ulid, status: CrawlStatus, ...counts, completedAt: isoDate.nullable() })
    .nullable(),
})
export type CrawlSettings = z.output<typeof CrawlSettings>

export const CrawlProgress = z.object({
  crawlJobId: ulid,
  status: CrawlStatus,
  ...counts,
  pagesFailed: z.int(),
  errorMessage: z.string().nullable(),
  completedAt: isoDate.nullable(),
})
export type CrawlProgress = z.output<typeof CrawlProgress>

const outcomes = ['indexed', 'unchanged', 'skipped', 'failed'] as const
export type CrawledPageStatus = (typeof outcomes)[number]

/** Pages as a crawl found them; those that a later crawl has looked at are listed by that one. */
export const CrawledPageQuery = pageQuery.extend({ 'filter.status': queryChoices(outcomes).optional() })
export type CrawledPageQuery = z.output<typeof CrawledPageQuery>

export const CrawledPageItem = z.object({
  id: ulid,
  url: z.string(),
  /** Links from the start page. */
  depth: z.int(),
  /** `unchanged` since an earlier crawl, and searched as it was then. */
  status: z.enum(outcomes),
  /** Why it was skipped or has failed: a sentence for people. */
  reason: z.string().nullable(),
  /** What is searched of it; also of a page that was not found this time. */
  fileId: ulid.nullable(),
})
export type CrawledPageItem = z.output<typeof CrawledPageItem>
export const CrawledPagePage = page(CrawledPageItem).extend({
  /** Of all pages of the crawl, whatever is filtered for. */
  counts: z.object({ indexed: z.int(), unchanged: z.int(), skipped: z.int(), failed: z.int() }),
})
export type CrawledPagePage = z.output<typeof CrawledPagePage>
