import type { Bree } from '../threads/bree.ts'
import { createThreads, threadFile } from '../threads/pool.ts'
import type { PdfInfo } from './layout.ts'
import type { PdfTasks } from './pdf-worker.ts'

/** Makes PDFs away from the event loop. */
export interface PdfMaker {
  /**
   * Makes a PDF of Markdown.
   * @param options `owner`: for whom; of one owner's documents one is made at a time
   * @throws ThreadFault when it takes more than a minute or half a gigabyte, when `signal` is aborted, or too many wait
   */
  make(markdown: string, info: PdfInfo, options: { owner: string; signal?: AbortSignal }): Promise<Uint8Array>
  /** Stops what is being made. */
  close(): Promise<void>
}

export function createPdfMaker(bree: Pick<Bree, 'startThread'>): PdfMaker {
  const threads = createThreads<PdfTasks>({
    file: threadFile('pdf-worker', import.meta.url),
    start: bree.startThread,
    threads: 2,
    // Fonts and pages take memory that other work can use until the next report.
    keepMs: 0,
    memoryMb: 512,
    // A document that takes longer is none that anybody reads.
    deadlineMs: 60_000,
    maxWaiting: 100,
  })
  return {
    make: (markdown, info, options) =>
      threads.run('make', { markdown, info }, { ...options, maxWaiting: 100 }),
    close: () => threads.close(),
  }
}
