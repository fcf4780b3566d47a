import { randomFillSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parsingLimits } from '../packages/core/src/platform/parsing/limits.ts'
import { docxOf, wordParagraph } from '../test/kit/office.ts'
import { pdfOf } from '../test/kit/pdf.ts'
import { type Installation, memberTokens, seed } from './installation.ts'
import { numbersFrom, textOf } from './knowledge-texts.ts'
import { ends, timed, upload } from './knowledge-upload.ts'
import { expectEqual, less, type Metrics, percentile, type Size } from './measure.ts'
import { startPacked } from './packed.ts'

/** Slightly less than a file may have. */
const fileBytes = 49 * 2 ** 20

/**
 * Documents of 50 MB, in uploads of up to 200 MB: PDF and Word with pictures, a web page with scripts, and Markdown with more text than a
 * document may have, which has to end with an error. SQLite.
 */
export async function largeDocuments(
  installation: Installation,
  folder: string,
  { documents }: Size,
): Promise<Metrics> {
  const { tenantId, adminId } = await seed(installation, { approvals: 0, reviewers: 0 })
  const [token = ''] = await memberTokens(tenantId, [adminId])
  const paths: string[] = []
  for (let n = 0; n < documents; n += 1) {
    const [ending, make] = kinds[n % kinds.length] as (typeof kinds)[number]
    const path = join(folder, `${n}.${ending}`)
    await writeFile(path, await make(numbersFrom(17 + n)))
    paths.push(path)
  }
  await using subject = await startPacked(installation, folder, {
    COPYDESK_QUOTAS_TENANT_MB: String((documents + 1) * 64),
  })
  const atRest = await subject.ask<number>('memory')
  const { s, aboveIdle, idle, meanwhile } = await timed(subject, tenantId, atRest, () =>
    upload(subject, token, paths),
  )
  const ended = await ends(subject, token)
  const unsaid = ended.filter(({ status, errorMessage }) => status !== 'indexed' && !errorMessage)
  expectEqual('large documents that did not end, or without a reason', unsaid.length, 0)
  return {
    'knowledge.large': { value: (documents * fileBytes) / 2 ** 20 / s, unit: 'MiB/s' },
    'knowledge.large.indexed': {
      value: ended.filter(({ status }) => status === 'indexed').length,
      unit: `of ${ended.length}`,
    },
    'knowledge.large.memory': { value: aboveIdle, unit: 'MiB above idle', aim: '150 MiB above idle' },
    'knowledge.large.others.p99': less(
      percentile(meanwhile, 0.99),
      'ms',
      'idle',
      percentile(idle, 0.99),
      'ratio 0.33',
    ),
  }
}

/** A text as long as one may be, in short paragraphs, and how long the server stops for it. SQLite. */
export async function longestText(installation: Installation, folder: string): Promise<Metrics> {
  const { tenantId, adminId } = await seed(installation, { approvals: 0, reviewers: 0 })
  const [token = ''] = await memberTokens(tenantId, [adminId])
  const path = join(folder, 'long.txt')
  const next = numbersFrom(29)
  const part = Array.from({ length: 1_000 }, () => textOf(next, 14)).join('\n\n')
  await writeFile(path, `${part}\n\n`.repeat(Math.floor(parsingLimits.characters / (part.length + 2))))
  await using subject = await startPacked(installation, folder)
  const atRest = await subject.ask<number>('memory')
  const { s, aboveIdle, idle, meanwhile, stall } = await timed(subject, tenantId, atRest, () =>
    upload(subject, token, [path]),
  )
  const indexed = (await ends(subject, token)).filter(({ status }) => status === 'indexed')
  expectEqual('texts that are indexed', indexed.length, 1)
  return {
    'knowledge.longest': { value: s, unit: 's for 20 million characters' },
    'knowledge.longest.stall': { value: stall, unit: 'ms, the longest of the loop' },
    'knowledge.longest.memory': { value: aboveIdle, unit: 'MiB above idle' },
    'knowledge.longest.others.p99': less(
      percentile(meanwhile, 0.99),
      'ms',
      'idle',
      percentile(idle, 0.99),
      'ratio 0.33',
    ),
  }
}

type Make = (next: () => number) => Promise<Buffer> | Buffer

/** Bytes that no one can make smaller, as a picture has. */
const noise = (bytes: number) => randomFillSync(Buffer.alloc(bytes))

const kinds: ReadonlyArray<[ending: string, make: Make]> = [
  [
    'pdf',
    (next) =>
      pdfOf((doc) => {
        for (let n = 0; n < 100; n += 1) {
          if (n > 0) doc.addPage()
          doc.fontSize(11).text(textOf(next, 350))
        }
        doc.file(noise(fileBytes - 4 * 2 ** 20), { name: 'picture.raw' })
      }),
  ],
  [
    'docx',
    (next) =>
      docxOf(Array.from({ length: 1_000 }, () => wordParagraph(textOf(next, 60))).join(''), {
        'word/media/picture.png': noise(fileBytes - 2 * 2 ** 20),
      }),
  ],
  [
    'html',
    (next) => {
      const paragraphs = Array.from({ length: 1_000 }, () => `<p>${textOf(next, 60)}</p>`).join('\n')
      const script = noise((fileBytes - 2 * 2 ** 20) / 2).toString('hex')
      return Buffer.from(
        `<!doctype html><html><head><title>Large</title><script>"${script}"</script></head><body><main>${paragraphs}</main></body></html>`,
      )
    },
  ],
  [
    'md',
    (next) => {
      const part = `# ${textOf(next, 4)}\n\n${textOf(next, 20_000)}\n\n`
      return Buffer.from(part.repeat(Math.floor(fileBytes / Buffer.byteLength(part))))
    },
  ],
]
