import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { extractText, getDocumentProxy } from 'unpdf'
import { afterAll, describe, expect, it } from 'vitest'
import { bundle } from '../../config/bundle.ts'

/** Far from any node_modules. */
const folder = mkdtempSync(join(tmpdir(), 'copydesk-pdf-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('the program as it is shipped', () => {
  it('makes PDFs without the packages and fonts that they are made with', async () => {
    await bundle(folder)
    const info = { title: 'Report', createdOn: new Date(0) }
    const worker = new Worker(join(folder, 'pdf-worker.mjs'), {
      workerData: { markdown: '# **Łódź** *Αθήνα* `Київ`\n\n|Tiếng|Việt|\n|-|-|\n|a|b|', info },
    })
    const pdf = await new Promise<Uint8Array>((resolve, reject) => {
      worker.once('message', resolve).once('error', reject)
    })
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(pdf)), { mergePages: true })
    for (const name of ['Łódź', 'Αθήνα', 'Київ', 'Tiếng', 'Việt']) expect(text).toContain(name)
    expect(readFileSync(join(folder, 'fonts', 'LICENSE.txt'), 'utf8')).toContain(
      'Bitstream Vera Fonts Copyright',
    )
  })
})
