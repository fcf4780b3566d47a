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
import { timed, upload } from './knowledge-upload.ts'
import { expectEqual, less, type Metrics, more, percentile, type Size } from './measure.ts'
import { startPacked } from './packed.ts'

const pages = 500
const memoryAim = '150 MiB above idle'

/** How fast documents come into search, by words, what memory a whole server takes meanwhile, and how long others wait: SQLite. */
export async function ingestion(
  installation: Installation,
  folder: string,
  { files }: Size,
): Promise<Metrics> {
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
  await using subject = await startPacked(installation, folder)
  const atRest = await subject.ask<number>('memory')
  const take = async (documents: string[]) => {
    const { s, aboveIdle, idle, meanwhile } = await timed(subject, tenantId, atRest, () =>
      upload(subject, token, documents),
    )
    return {
      s,
      above: { value: aboveIdle, unit: 'MiB above idle', aim: memoryAim },
      others: less(percentile(meanwhile, 0.99), 'ms', 'idle', percentile(idle, 0.99), 'ratio 0.33'),
    }
  }
  // One after the other on one server: what the first has taken counts for the second.
  const [markdown, document] = [await take(paths), await take([pdf])]
  const lexed = await seconds(async () => {
    for (const path of paths) new Lexer().lex((await readFile(path)).toString())
  })
  const extracted = await seconds(async () => {
    const { totalPages } = await extractText(new Uint8Array(await readFile(pdf)), { mergePages: false })
    expectEqual('pages of the PDF', totalPages, pages)
  })
  return {
    'knowledge.markdown': more(
      files / markdown.s,
      'files/s',
      'marked alone, which reads them one by one',
      files / lexed,
    ),
    'knowledge.markdown.memory': markdown.above,
    'knowledge.markdown.others.p99': markdown.others,
    'knowledge.pdf': more(
      pages / document.s,
      'pages/s',
      'unpdf alone, which takes the text out',
      pages / extracted,
    ),
    'knowledge.pdf.memory': document.above,
    'knowledge.pdf.others.p99': document.others,
  }
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return (performance.now() - begun) / 1_000
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
