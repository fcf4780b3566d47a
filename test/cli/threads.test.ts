import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { extractText, getDocumentProxy } from 'unpdf'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundle } from '../../config/bundle.ts'
import type { textTasks } from '../../packages/core/src/composition/text-tasks.ts'
import type { CrawlTasks } from '../../packages/core/src/platform/crawl/crawl-thread.ts'
import type { EmbeddingTasks } from '../../packages/core/src/platform/embeddings/embedding-thread.ts'
import type { PdfTasks } from '../../packages/core/src/platform/pdf/pdf-worker.ts'
import { createThreads, threadFile } from '../../packages/core/src/platform/threads/pool.ts'
import type { Tasks } from '../../packages/core/src/platform/threads/serve.ts'
import { f32, modelFolder, safetensors, wordPiece } from '../platform/embeddings/static-files.ts'

/** Far from any node_modules. */
const folder = mkdtempSync(join(tmpdir(), 'copydesk-pdf-'))

let files: Awaited<ReturnType<typeof bundle>>
beforeAll(async () => {
  files = await bundle(folder)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function inThread<T extends Tasks, N extends keyof T & string>(
  file: string,
  task: N,
  input: Parameters<T[N]>[0],
): Promise<Awaited<ReturnType<T[N]>>> {
  const threads = createThreads<T>({
    // As a chunk of the program's code finds it.
    file: threadFile(file, pathToFileURL(join(folder, 'chunks', 'some.mjs')).href),
    threads: 1,
    keepMs: 60_000,
    memoryMb: 512,
    deadlineMs: 60_000,
    maxWaiting: 1,
  })
  try {
    return await threads.run(task, input, { owner: 'a', maxWaiting: 1 })
  } finally {
    await threads.close()
  }
}

/** The modules in the files that a thread loads, at once or with its tasks. */
function modulesOf(thread: string): string[] {
  const names = new Set([`${thread}.mjs`])
  // A set is walked on to what is added meanwhile.
  for (const name of names) {
    const file = files.find(({ fileName }) => fileName === name)
    for (const imported of [...(file?.imports ?? []), ...(file?.dynamicImports ?? [])]) names.add(imported)
  }
  return files.flatMap(({ fileName, moduleIds }) => (names.has(fileName) ? moduleIds : []))
}

describe('the bundled program', () => {
  it('creates PDFs without the packages and fonts of the repository', async () => {
    const info = { title: 'Report', createdOn: new Date(0) }
    const markdown = '# **Łódź** *Αθήνα* `Київ`\n\n|Tiếng|Việt|\n|-|-|\n|a|b|'
    const pdf = await inThread<PdfTasks, 'make'>('pdf-worker', 'make', { markdown, info })
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(pdf)), { mergePages: true })
    for (const name of ['Łódź', 'Αθήνα', 'Київ', 'Tiếng', 'Việt']) expect(text).toContain(name)
    expect(readFileSync(join(folder, 'fonts', 'LICENSE.txt'), 'utf8')).toContain(
      'Bitstream Vera Fonts Copyright',
    )
  })

  it('embeds texts by a static model in a worker thread', async () => {
    using model = modelFolder({
      'model.safetensors': safetensors({ embeddings: f32([2, 2], [0, 0, 3, 4]) }),
      'tokenizer.json': wordPiece(['[UNK]', 'rye']),
    })
    const task = { folder: model.path, texts: ['rye'] }
    const answer = await inThread<EmbeddingTasks, 'embed'>('embedding-thread', 'embed', task)
    expect(answer).toEqual({ sums: Float32Array.of(3, 4), dimensions: 2, tokens: 1 })
  })

  it('processes long texts in worker threads', async () => {
    const [outline] = await inThread<typeof textTasks, 'compare'>('text-thread', 'compare', [
      ['one two', 'one three'],
    ])
    expect(outline?.parts).toEqual([
      ['same', 4],
      ['removed', 3],
      ['added', 5],
    ])
  })

  it.each([
    ['text-thread', 'leads/import/tasks.ts'],
    ['document-thread', 'parsing/docx.ts'],
    ['crawl-thread', 'crawl/scan-page.ts'],
  ])('loads nothing of the server or the ORM into the %s', (thread, own) => {
    const modules = modulesOf(thread)
    expect(modules.filter((id) => id.endsWith(own))).toHaveLength(1)
    expect(modules.filter((id) => /@mikro-orm|\/gateway\/|\/surfaces\/|entities\.ts$/.test(id))).toEqual([])
  })

  it('reads web pages and sitemaps in worker threads', async () => {
    const scan = await inThread<CrawlTasks, 'page'>('crawl-thread', 'page', {
      bytes: Buffer.from('<title>Café</title><a href=/menu>'),
      contentType: 'text/html; charset=utf-8',
      url: 'https://example.com/',
    })
    expect(scan).toMatchObject({ title: 'Café', links: ['https://example.com/menu'] })
  })
})
