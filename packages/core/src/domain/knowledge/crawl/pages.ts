import type { Transaction } from '../../../kernel/context.ts'
import type { CrawledPage as Visited } from '../../../platform/crawl/crawl-options.ts'
import { sha256Hex } from '../../../platform/crypto/hash.ts'
import { KnowledgeFile } from '../datasets/entities.ts'
import { replaceFile } from '../datasets/replace.ts'
import { tidyKnowledgeJob } from '../ingestion/jobs.ts'
import { type CrawlRow, SitePage, type SitePageRow } from './entities.ts'

/** Crawls in a row that must not find a page before it leaves search: a site may be half up. */
const missesToLeave = 2

/** The bytes of a page, stored already. */
export interface StoredPage {
  fileId: string
  size: number
  sha256: string
}

/** Writes down what came of one address, and has a page that has changed ingested. */
export async function notePage(
  txn: Transaction,
  crawl: CrawlRow,
  visited: Visited,
  stored: StoredPage | undefined,
): Promise<void> {
  const page = await pageOf(txn, crawl, visited)
  crawl.pagesCrawled += 1
  Object.assign(page, { depth: visited.depth, crawlId: crawl.id, updatedOn: txn.clock.date() })
  if (visited.outcome === 'fetched' || visited.outcome === 'unchanged') {
    crawl.pagesIndexed += 1
    const { etag = null, lastModified = null } = visited
    const outcome = visited.outcome === 'fetched' ? 'indexed' : 'unchanged'
    Object.assign(page, { outcome, reason: null, missed: 0, etag, lastModified })
    if (visited.outcome === 'fetched') page.hash = visited.hash
    if (visited.outcome === 'fetched' && stored) await replaceText(txn, crawl, page, visited, stored)
    return
  }
  page.outcome = visited.outcome
  page.reason = visited.reason
  if (visited.outcome === 'failed') {
    crawl.pagesFailed += 1
    // What is only out of reach keeps its last good copy.
    if (visited.gone) await miss(txn, page)
  } else await leaveSearch(txn, page)
}

/** Notes that a crawl did not find a page; after two in a row it leaves search. */
export async function miss(txn: Transaction, page: SitePageRow): Promise<void> {
  page.missed += 1
  if (page.missed >= missesToLeave) await leaveSearch(txn, page)
}

async function leaveSearch(txn: Transaction, page: SitePageRow): Promise<void> {
  const { tenantId, fileId } = page
  if (fileId === null) return
  const file = await txn.em.findOne(KnowledgeFile, { id: fileId })
  if (file) txn.em.remove(file)
  txn.enqueue(tidyKnowledgeJob, { tenantId, payload: { tenantId, fileId } })
  Object.assign(page, { fileId: null, hash: null, etag: null, lastModified: null })
}

async function pageOf(txn: Transaction, { id, tenantId, datasetId }: CrawlRow, { url, depth }: Visited) {
  const urlHash = sha256Hex(url)
  const known = await txn.em.findOne(SitePage, { datasetId, urlHash })
  return (
    known ??
    txn.em.create(SitePage, {
      id: txn.newId(),
      tenantId,
      datasetId,
      url,
      urlHash,
      depth,
      outcome: 'skipped',
      reason: null,
      etag: null,
      lastModified: null,
      hash: null,
      fileId: null,
      missed: 0,
      crawlId: id,
      updatedOn: txn.clock.date(),
    })
  )
}

/** What is searched of the page stays until its new text is ingested. */
async function replaceText(
  txn: Transaction,
  { tenantId, datasetId }: CrawlRow,
  page: SitePageRow,
  visited: { url: string; title?: string | undefined },
  { fileId, size, sha256 }: StoredPage,
): Promise<void> {
  await replaceFile(txn, {
    id: fileId,
    tenantId,
    datasetId,
    fileName: (visited.title?.trim() || new URL(visited.url).pathname).slice(0, 255),
    mimeType: 'text/html',
    fileSizeBytes: size,
    sha256,
    source: 'website_crawl',
    url: visited.url,
    publishedAt: null,
  })
  page.fileId = fileId
}
