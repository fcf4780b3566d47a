import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { afterAll, describe, expect, it } from 'vitest'
import { bundle } from '../../config/bundle.ts'

const folder = fileURLToPath(
  new URL(`../../node_modules/.cache/copydesk-pdf-${randomUUID()}/`, import.meta.url),
)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the program as it is shipped', () => {
  it('makes PDFs without the packages that they are made with', async () => {
    await bundle(folder)
    const info = { title: 'Report', createdOn: new Date(0) }
    const worker = new Worker(`${folder}pdf-worker.mjs`, {
      workerData: { markdown: '# **Bold** *italic* `code`\n\nText', info },
    })
    const pdf = await new Promise<Uint8Array>((resolve, reject) => {
      worker.once('message', resolve).once('error', reject)
    })
    expect(Buffer.from(pdf.subarray(0, 5)).toString()).toBe('%PDF-')
  })
})
