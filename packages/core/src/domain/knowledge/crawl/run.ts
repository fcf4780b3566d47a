import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { crawl as crawlSite } from '../../../platform/crawl/crawl.ts'
import type { CrawlState, CrawledPage as Visited } from '../../../platform/crawl/crawl-options.ts'
import { sha256Hex } from '../../../platform/crypto/hash.ts'
import { requireRoom } from '../../accounts/tenants/quota-queries.ts'
import { fileKey } from '../datasets/files.ts'
import { Crawl, type CrawlRow, SitePage } from './entities.ts'
import { miss, notePage, type StoredPage } from './pages.ts'
import { abandonedCrawls, keptPages, unseenPages } from './queries.ts'

/** After how many pages the state is written down: a process that takes over asks for those after it again. */
const pagesPerState = 10

/**
 * Handles `knowledge.crawl` jobs: reads a website, and has what has changed ingested. A crawl whose process died is gone on with
 * where it was.
 */
export async function runCrawl(
  ctx: Ctx,
  { crawlId }: { crawlId: string },
  signal: AbortSignal,
): Promise<void> {
  const crawl = await begin(ctx, crawlId)
  if (!crawl) return
  const { startUrl, maxPages, maxDepth, urlPathFilter, datasetId } = crawl
  const known = new Map((await keptPages(ctx, datasetId)).map((page) => [page.url, page]))
  let pages = 0
  try {
    const { end } = await crawlSite({
      startUrl,
      maxPages,
      maxDepth,
      pathPrefix: urlPathFilter ?? undefined,
      state: crawl.state ?? undefined,
      earlier: known.values(),
      known: async (url) => withoutNulls(known.get(url)),
      async onPage(page, state) {
        pages += 1
        await take(ctx, crawl, page, pages % pagesPerState === 0 ? state() : undefined)
      },
      signal,
      http: ctx.services.http,
      clock: ctx.clock,
      contactUrl: ctx.services.settings.baseUrl,
    })
    if (end === 'aborted') signal.throwIfAborted()
    if (end === 'done') await missUnseen(ctx, crawl)
    await finish(ctx, crawlId, ends[end as keyof typeof ends] ?? null)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    await finish(ctx, crawlId, error.message)
  }
}

/** What people are told of a crawl that did not see all of the site. */
const ends = {
  pages: null,
  bytes: 'The site has more text than one crawl reads (200 MB). The rest was left out.',
  time: 'The site is slow: the crawl ended after 30 minutes. The rest was left out.',
  unavailable: 'The site did not answer. What is known of it stays.',
} as const

/** What people are told of a page that a crawl did not find though it saw all of the site. */
const overlooked = {
  once: 'This crawl did not come across the page, which leaves search if the next one does not either.',
  again: 'Two crawls in a row did not come across the page, so it has left search.',
} as const

function begin(ctx: Ctx, id: string): Promise<CrawlRow | undefined> {
  return transact(ctx, async (txn) => {
    const crawl = await lockCrawl(txn, id)
    if (!crawl || crawl.completedAt) return undefined
    crawl.status = 'running'
    return crawl
  })
}

async function take(ctx: Ctx, crawl: CrawlRow, page: Visited, state: CrawlState | undefined): Promise<void> {
  const stored = page.outcome === 'fetched' ? await store(ctx, crawl, page) : undefined
  await transact(ctx, async (txn) => {
    const row = await lockCrawl(txn, crawl.id)
    if (!row) return
    await notePage(txn, row, page, stored)
    if (state) row.state = state
  })
}

/** @throws DomainError `PAYLOAD_TOO_LARGE` when a quota is used up */
async function store(ctx: Ctx, crawl: CrawlRow, page: Visited & { outcome: 'fetched' }): Promise<StoredPage> {
  const { tenantId, datasetId } = crawl
  const known = await transact(ctx, (txn) =>
    txn.em.findOne(SitePage, { datasetId, urlHash: sha256Hex(page.url) }),
  )
  const id = known?.fileId ?? ctx.newId()
  const bytes = Buffer.from(page.html)
  await requireRoom(ctx, tenantId, bytes.byteLength)
  const { size, sha256 } = await ctx.services.blobs.put(fileKey({ tenantId, id }), bytes)
  return { fileId: id, size, sha256 }
}

/** A page that nothing leads to any more is looked at again by the next crawl, and leaves search then. */
async function missUnseen(ctx: Ctx, { id, datasetId }: CrawlRow): Promise<void> {
  for (const pageId of await unseenPages(ctx, datasetId, id)) {
    await transact(ctx, async (txn) => {
      const page = await txn.em.findOne(SitePage, { id: pageId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
      if (!page) return
      await miss(txn, page)
      const reason = page.fileId === null ? overlooked.again : overlooked.once
      Object.assign(page, { crawlId: id, outcome: 'skipped', reason, updatedOn: txn.clock.date() })
    })
  }
}

function finish(ctx: Ctx, id: string, errorMessage: string | null): Promise<void> {
  return transact(ctx, async (txn) => {
    const crawl = await lockCrawl(txn, id)
    if (!crawl) return
    const status = crawl.pagesIndexed === 0 ? ('failed' as const) : ('completed' as const)
    const nothing = 'No page of the site could be read. See its pages for the reasons.'
    Object.assign(crawl, {
      status,
      errorMessage: errorMessage ?? (status === 'failed' ? nothing : null),
      state: null,
      completedAt: txn.clock.date(),
    })
  })
}

/** Ends crawls whose job was given up, so that people can start another one. Any number of processes may do it. */
export async function giveUpCrawls(ctx: Ctx): Promise<void> {
  for (const id of await abandonedCrawls(ctx)) {
    await transact(ctx, async (txn) => {
      const crawl = await lockCrawl(txn, id)
      // It may have ended since.
      if (!crawl || (await abandonedCrawls(txn, id)).length === 0) return
      const errorMessage =
        'The crawl could not be finished, and several tries have failed. Start it again later.'
      Object.assign(crawl, { status: 'failed', errorMessage, state: null, completedAt: txn.clock.date() })
    })
  }
}

const lockCrawl = (txn: Transaction, id: string) =>
  txn.em.findOne(Crawl, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })

function withoutNulls(
  page: { etag: string | null; lastModified: string | null; hash: string | null } | undefined,
) {
  return (
    page && {
      etag: page.etag ?? undefined,
      lastModified: page.lastModified ?? undefined,
      hash: page.hash ?? undefined,
    }
  )
}
