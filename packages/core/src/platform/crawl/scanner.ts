import { createThreads, threadFile } from '../threads/pool.ts'
import type { CrawlTasks } from './crawl-thread.ts'
import type { PageScan, scanPage } from './scan-page.ts'
import type { SitemapScan, scanSitemap } from './scan-sitemap.ts'

/** Reads what a crawl has fetched: what is long in a thread, so that the event loop goes on. */
export interface Scanner {
  /** @throws ThreadFault when it takes more than ten seconds, or the signal is aborted */
  page(input: Parameters<typeof scanPage>[0], signal: AbortSignal): Promise<PageScan>
  /** @throws ThreadFault as `page` does */
  sitemap(input: Parameters<typeof scanSitemap>[0], signal: AbortSignal): Promise<SitemapScan>
  /** Ends the thread. */
  close(): Promise<void>
}

/** What is shorter is read at once: the way to a thread and back would take longer, bytes. */
const shortBytes = 64 * 1_024

/** The scanner of one crawl. Its thread is started with the first long page. */
export function createScanner(): Scanner {
  const threads = createThreads<CrawlTasks>({
    file: threadFile('crawl-thread', import.meta.url),
    threads: 1,
    keepMs: Number.POSITIVE_INFINITY,
    memoryMb: 256,
    deadlineMs: 10_000,
    maxWaiting: 8,
  })
  const isShort = ({ bytes }: { bytes: Uint8Array }) => bytes.byteLength <= shortBytes
  const options = (signal: AbortSignal) => ({ owner: 'crawl', maxWaiting: 8, signal })
  return {
    page: async (input, signal) =>
      isShort(input)
        ? (await import('./scan-page.ts')).scanPage(input)
        : threads.run('page', input, options(signal)),
    sitemap: async (input, signal) =>
      isShort(input)
        ? (await import('./scan-sitemap.ts')).scanSitemap(input)
        : threads.run('sitemap', input, options(signal)),
    close: () => threads.close(),
  }
}
