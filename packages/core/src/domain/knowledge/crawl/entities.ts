import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { CrawlState } from '../../../platform/crawl/crawl-options.ts'
import { idColumn, instantColumn, refColumn } from '../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../platform/database/scope.ts'
import type { CrawledPageStatus, CrawlSchedule, CrawlStatus } from './schemas.ts'

/** Which website a dataset is read from, and how often. */
export const CrawlPlan = defineEntity({
  name: 'CrawlPlan',
  tableName: 'crawl_plans',
  properties: {
    datasetId: refColumn().primary(),
    tenantId: refColumn(),
    startUrl: p.text(),
    maxPages: p.integer(),
    maxDepth: p.integer(),
    urlPathFilter: p.text().strictNullable(),
    schedule: p.string().$type<CrawlSchedule>(),
    /** When it is read again by itself; null for `manual`. */
    nextOn: instantColumn().strictNullable(),
    updatedOn: instantColumn(),
  },
  indexes: [{ name: 'crawl_plans_due', properties: ['nextOn'] }],
  filters: ownedByTenant,
})

export type CrawlPlanRow = InferEntity<typeof CrawlPlan>

/** One reading of a website. */
export const Crawl = defineEntity({
  name: 'Crawl',
  tableName: 'crawls',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    datasetId: refColumn(),
    startUrl: p.text(),
    maxPages: p.integer(),
    maxDepth: p.integer(),
    urlPathFilter: p.text().strictNullable(),
    status: p.string().$type<CrawlStatus>(),
    pagesCrawled: p.integer(),
    pagesIndexed: p.integer(),
    pagesFailed: p.integer(),
    errorMessage: p.text().strictNullable(),
    /** Where it was when it was last written down, for the process that takes it over. */
    state: p.json().$type<CrawlState>().strictNullable(),
    completedAt: instantColumn().strictNullable(),
    createdOn: instantColumn(),
  },
  indexes: [{ name: 'crawls_by_dataset', properties: ['datasetId', 'id'] }],
  filters: ownedByTenant,
})

export type CrawlRow = InferEntity<typeof Crawl>

/** A page of a website, as the last crawl found it. */
export const SitePage = defineEntity({
  name: 'SitePage',
  tableName: 'crawled_pages',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    datasetId: refColumn(),
    url: p.text(),
    /** SHA-256 of the address, lower-case hex: addresses are too long for an index. */
    urlHash: p.string().length(64),
    depth: p.integer(),
    outcome: p.string().$type<CrawledPageStatus>(),
    /** Why it was skipped or has failed, for people. */
    reason: p.text().strictNullable(),
    etag: p.text().strictNullable(),
    lastModified: p.text().strictNullable(),
    /** Of the page as it was read, lower-case hex. */
    hash: p.string().strictNullable(),
    /** What is searched of it. */
    fileId: refColumn().strictNullable(),
    /** How many crawls in a row did not find it. */
    missed: p.integer(),
    /** The crawl that has looked at it last. */
    crawlId: refColumn(),
    updatedOn: instantColumn(),
  },
  uniques: [{ name: 'crawled_pages_url', properties: ['datasetId', 'urlHash'] }],
  filters: ownedByTenant,
})

export type SitePageRow = InferEntity<typeof SitePage>

export const crawlEntities = [CrawlPlan, Crawl, SitePage]
