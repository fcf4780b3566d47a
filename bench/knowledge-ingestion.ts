import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createCopydesk } from '@copydesk/core'
import { Lexer } from 'marked'
import { extractText } from 'unpdf'
import { silentLogger } from '../packages/core/src/platform/logger.ts'
import { startEmbeddings } from '../test/kit/embedding-server.ts'
import { pdfOf } from '../test/kit/pdf.ts'
import { page, startSite } from '../test/platform/crawl/site.ts'
import { type Installation, memberTokens, seed, waitFor } from './installation.ts'
import { numbersFrom, textOf, wordOf } from './knowledge-texts.ts'
import { expectEqual, less, type Metrics, more } from './measure.ts'
import { type Subject, startSubject } from './processes.ts'

const pages = 500
const files = 1_000
const batch = 20
const memoryAim = '150 MiB above idle'

/** How fast documents come into search, by words, and what memory a whole server takes meanwhile: SQLite. */
export async function ingestion(installation: Installation, folder: string): Promise<Metrics> {
  const { tenantId, adminId } = await seed(installation, { approvals: 0, reviewers: 0 })
  const next = numbersFrom(11)
  const paths = Array.from({ length: files }, (_, n) => join(folder, `${n}.md`))
  for (const path of paths)
    writeFileSync(
      path,
      `# ${textOf(next, 4)}\n\n${textOf(next, 150)}\n\n## ${textOf(next, 3)}\n\n${textOf(next, 150)}\n`,
    )
  const pdf = join(folder, 'pages.pdf')
  writeFileSync(
    pdf,
    await pdfOf((doc) => {
      for (let n = 0; n < pages; n += 1) {
        if (n > 0) doc.addPage()
        doc.fontSize(18).text(textOf(next, 4)).fontSize(11).text(textOf(next, 350))
      }
    }),
  )
  const [token = ''] = await memberTokens(tenantId, [adminId])
  await using subject = await startSubject('servers/copydesk.ts', { ...installation, working: true }, folder)
  const idle = await subject.ask<number>('memory')
  const markdown = await timed(subject, () => upload(subject, token, paths))
  const document = await timed(subject, () => upload(subject, token, [pdf]))
  const lexed = await seconds(async () => {
    for (const path of paths) new Lexer().lex((await readFile(path)).toString())
  })
  const extracted = await seconds(async () => {
    const { totalPages } = await extractText(new Uint8Array(await readFile(pdf)), { mergePages: false })
    expectEqual('pages of the PDF', totalPages, pages)
  })
  const above = (peak: number) => ({ value: (peak - idle) / 2 ** 20, unit: 'MiB above idle', aim: memoryAim })
  return {
    'knowledge.markdown': more(
      files / markdown.s,
      'files/s',
      'marked alone, which reads them one by one',
      files / lexed,
    ),
    'knowledge.markdown.memory': above(markdown.peak),
    'knowledge.pdf': more(
      pages / document.s,
      'pages/s',
      'unpdf alone, which takes the text out',
      pages / extracted,
    ),
    'knowledge.pdf.memory': above(document.peak),
  }
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return (performance.now() - begun) / 1_000
}

async function timed(subject: Subject, work: () => Promise<unknown>): Promise<{ s: number; peak: number }> {
  await subject.ask('watch')
  const s = await seconds(work)
  const { peak } = await subject.ask<{ peak: number }>('watched')
  return { s, peak }
}

/** Uploads files, and waits until all of them can be searched. */
async function upload({ url }: Subject, token: string, paths: readonly string[]): Promise<void> {
  const headers = { authorization: `Bearer ${token}` }
  const datasets = async () => {
    const response = await fetch(`${url}/dashboard/v1/knowledge-base/datasets`, { headers })
    return ((await response.json()) as { data: Array<{ id: string; status: string; totalFiles: number }> })
      .data
  }
  const [dataset] = await datasets()
  const before = dataset?.totalFiles ?? 0
  const to = `${url}/dashboard/v1/knowledge-base/datasets/${dataset?.id}/files/upload`
  for (let at = 0; at < paths.length; at += batch) {
    const body = new FormData()
    for (const path of paths.slice(at, at + batch))
      body.append('files', new File([await readFile(path)], path))
    expectEqual('status of an upload', (await fetch(to, { method: 'POST', headers, body })).status, 202)
  }
  let found = await datasets()
  await waitFor(async () => {
    // Requests are limited.
    await new Promise((resolve) => setTimeout(resolve, 400))
    found = await datasets()
    return found[0]?.status !== 'building'
  }, 'all files are indexed')
  expectEqual('files', found[0]?.totalFiles ?? 0, before + paths.length)
  expectEqual('datasets in which all failed', found.filter(({ status }) => status === 'error').length, 0)
}

/** A website is read twice without a change: nothing is embedded again. */
export async function recrawl(installation: Installation): Promise<Metrics> {
  const { tenantId, adminId } = await seed(installation, { approvals: 0, reviewers: 0 })
  const next = numbersFrom(13)
  // Pages that differ only by a number would be taken for a calendar without end.
  const path = (n: number) => (n === 0 ? '/' : `/${wordOf(n)}`)
  const routes = Object.fromEntries(
    Array.from({ length: pages }, (_, n) => {
      const links = [2 * n + 1, 2 * n + 2].filter((one) => one < pages).map(path)
      const text = `<main><h1>${textOf(next, 3)}</h1><p>${textOf(next, 200)}</p></main><ul>`
      return [path(n), page(textOf(next, 3), links).replace('<ul>', text)]
    }),
  )
  let embedded = 0
  await using site = await startSite(routes)
  await using server = await startEmbeddings(({ body }) => {
    embedded += body.input.length
    return {}
  })
  const copydesk = await createCopydesk({
    ...installation,
    log: silentLogger,
    worker: { concurrency: 4 },
    embeddings: { provider: 'custom', model: 'bench', baseUrl: server.url },
    allowHosts: [new URL(server.url).host, new URL(site.url).host],
  })
  try {
    await copydesk.start()
    const person = { id: adminId, type: 'human', role: 'admin', tenantId, appAccess: ['dashboard'] } as const
    const caller = copydesk.as(person)
    const datasetId = (await caller.call('dashboard.knowledge_base.list')).data[0]?.id ?? ''
    const crawl = async () => {
      const { crawlJobId } = await caller.call('dashboard.knowledge_base.crawl', {
        params: { datasetId },
        body: { startUrl: site.url, maxPages: pages, maxDepth: 10 },
      })
      await waitFor(async () => {
        const status = await caller.call('dashboard.knowledge_base.crawl_status', {
          params: { datasetId, crawlJobId },
        })
        const { data } = await caller.call('dashboard.knowledge_base.list')
        return status.status === 'completed' && data.every((one) => one.status !== 'building')
      }, 'the website is in search')
    }
    const first = await seconds(crawl)
    const before = embedded
    const again = await seconds(crawl)
    expectEqual('texts that were embedded at the first time and more', Math.min(before, pages), pages)
    return {
      'knowledge.recrawl': less(again, `s for ${pages} pages`, 'the first crawl', first),
      'knowledge.recrawl.embedded': { value: embedded - before, unit: 'texts', aim: '0' },
    }
  } finally {
    await copydesk.stop()
  }
}
