import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { PdfInfo } from './layout.ts'

/** A document that takes longer is none that anybody reads. */
const longestMs = 60_000
const mostMegabytes = 512

/** The worker's file: the source, what the library is published with, or the program's own beside its code or above. */
const files = ['./pdf-worker.ts', './pdf-worker.js', './pdf-worker.mjs', '../pdf-worker.mjs']

/**
 * Makes a PDF of Markdown in a thread of its own, so that nothing else waits for it.
 * @throws Error when it takes more than a minute or half a gigabyte, or `signal` is aborted
 */
export function renderPdf(markdown: string, info: PdfInfo, signal?: AbortSignal): Promise<Uint8Array> {
  const file = files
    .map((name) => new URL(name, import.meta.url))
    .find((url) => existsSync(fileURLToPath(url)))
  if (!file) throw new Error('The part that makes PDFs is missing from this installation')
  return new Promise((resolve, reject) => {
    const worker = new Worker(file, {
      workerData: { markdown, info },
      resourceLimits: { maxOldGenerationSizeMb: mostMegabytes },
    })
    const stop = (why: string) => () => {
      reject(new Error(why))
      void worker.terminate()
    }
    const timer = setTimeout(stop('Making a PDF took too long'), longestMs)
    const onAbort = stop('Making a PDF was stopped')
    signal?.addEventListener('abort', onAbort, { once: true })
    worker.once('message', (pdf: Uint8Array) => resolve(pdf))
    worker.once('error', reject)
    worker.once('exit', (code) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      reject(new Error(`The thread that makes PDFs ended with ${code}`))
    })
  })
}
