import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { deflateSync } from 'node:zlib'
import { afterAll, describe, expect, it } from 'vitest'
import { silentLogger } from '../../../packages/core/src/platform/logger.ts'
import { ParseFault } from '../../../packages/core/src/platform/parsing/parsed.ts'
import { createParser, type ParserLimits } from '../../../packages/core/src/platform/parsing/parser.ts'
import { createBree } from '../../../packages/core/src/platform/threads/bree.ts'
import { start, temporaryFolder } from '../../cli/process.ts'
import { docxOf, wordParagraph } from '../../kit/office.ts'
import { onePagePdf, pdfOf } from '../../kit/pdf.ts'
import { zipBomb } from '../../kit/zip.ts'

const thread = new URL('../../../packages/core/src/composition/document-thread.ts', import.meta.url)
const bree = createBree({ log: silentLogger })
afterAll(bree.stop)

function openParser(limits?: ParserLimits) {
  const parser = createParser(bree, thread, limits)
  const read = (bytes: Uint8Array | string, fileName: string, signal?: AbortSignal) =>
    parser.parse({ bytes: Buffer.from(bytes), fileName, engine: 'ADVANCED' }, { owner: 'a', signal })
  return { ...parser, read, [Symbol.asyncDispose]: parser.close }
}

/** Headings that take the lexer minutes. */
const slow = 'a\n-\n'.repeat(300_000)

/** The most memory that this process takes meanwhile beyond what it takes now, megabytes. */
async function memoryOf(work: Promise<unknown>): Promise<number> {
  const before = process.memoryUsage().rss
  let most = before
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss)
  }, 10)
  await work.finally(() => clearInterval(timer))
  return (most - before) / 2 ** 20
}

describe('createParser', () => {
  it('reads a file by its path, or its bytes', async () => {
    await using parser = openParser()
    using folder = temporaryFolder()
    const pdf = await pdfOf((doc) => void doc.text('Some text'))
    const path = join(folder.path, 'upload')
    writeFileSync(path, pdf)
    const read = await parser.parse({ path, fileName: 'a.pdf', engine: 'NATIVE' }, { owner: 'a' })
    expect(read.blocks).toEqual([{ kind: 'text', text: 'Some text', page: 1 }])
    expect(await parser.read(pdf, 'a.pdf')).toEqual(read)
    await expect(
      parser.parse({ path: join(folder.path, 'gone'), fileName: 'a', engine: 'NATIVE' }, { owner: 'a' }),
    ).rejects.toThrow(/ENOENT/)
  })

  it('reads a web page with its links, in the encoding that was sent with it', async () => {
    await using parser = openParser()
    const page = {
      bytes: Buffer.from('<title>\xa3\xf3d\xbc</title><a href=x>y', 'latin1'),
      url: 'https://a.test/',
      charset: 'iso-8859-2',
    }
    expect(await parser.readPage(page, { owner: 'a' })).toMatchObject({
      document: { title: 'Łódź', blocks: [{ text: 'y' }] },
      links: ['https://a.test/x'],
    })
  })

  it('rejects with the reason, and what a person can do', async () => {
    await using parser = openParser()
    const fault = await parser.read('', 'a.txt').catch((error: unknown) => error)
    expect(fault).toBeInstanceOf(ParseFault)
    expect(fault).toMatchObject({ reason: 'no_text', message: 'This file is empty.' })
    using folder = temporaryFolder()
    const path = join(folder.path, 'large')
    writeFileSync(path, Buffer.alloc(50 * 2 ** 20 + 1))
    const large = parser.parse({ path, fileName: 'a.pdf', engine: 'NATIVE' }, { owner: 'a' })
    await expect(large).rejects.toMatchObject({
      reason: 'too_large',
      message: expect.stringContaining('50 MB'),
    })
  })

  it('ends what takes too long, and goes on', async () => {
    await using parser = openParser({ deadlineMs: 2_000, threads: 1 })
    await expect(parser.read(slow, 'a.md')).rejects.toMatchObject({
      name: 'ParseFault',
      reason: 'too_slow',
      message: expect.stringContaining('takes too long'),
    })
    expect((await parser.read('x', 'a.txt')).blocks).toHaveLength(1)
  })

  it('keeps gigabytes that a small file unpacks to out of memory', async () => {
    await using parser = openParser()
    const word = docxOf(wordParagraph('x'), { 'word/document.xml': zipBomb(3) })
    const streams = deflateSync(Buffer.concat([Buffer.from([0x78, 0x9c]), zipBomb(3).deflated]))
    for (const [bytes, name] of [
      [word, 'a.docx'],
      [onePagePdf(streams, '[/FlateDecode /FlateDecode]'), 'a.pdf'],
    ] as const) {
      const reading = parser.read(bytes, name).catch((error: unknown) => error)
      expect(await memoryOf(reading), name).toBeLessThan(1_000)
      expect(await reading).toMatchObject({ name: 'ParseFault', reason: 'too_large' })
    }
  })

  it('ends what takes too much memory at once, and not the process', async () => {
    await using parser = openParser()
    const text = `BT /F 10 Tf 10 10 Td (${'x'.repeat(30_000_000)}) Tj ET`
    const pdf = onePagePdf(deflateSync(text), '/FlateDecode')
    await expect(parser.read(pdf, 'a.pdf')).rejects.toMatchObject({ name: 'ParseFault', reason: 'too_large' })
    expect((await parser.read('x', 'a.txt')).blocks).toHaveLength(1)
  })

  it('stops when its signal is aborted, and when it is closed', async () => {
    const parser = openParser()
    const controller = new AbortController()
    const aborted = parser.read(slow, 'a.md', controller.signal).catch((error: unknown) => error)
    controller.abort()
    expect(await aborted).toMatchObject({ name: 'ThreadFault', reason: 'aborted' })
    const closed = parser.read(slow, 'a.md').catch((error: unknown) => error)
    await parser.close()
    expect(await closed).toMatchObject({ name: 'ThreadFault', reason: 'closed' })
  })

  it('loads no library that reads documents but in its threads', async () => {
    using folder = temporaryFolder()
    const path = join(folder.path, 'upload')
    writeFileSync(path, docxOf(wordParagraph('x')))
    const program = fileURLToPath(new URL('./loading.ts', import.meta.url))
    const { code, stdout } = await start(process.execPath, ['--conditions=@copydesk/source', program, path], {
      cwd: '/',
    }).ended
    expect(code).toBe(0)
    const { kind, packages } = JSON.parse(stdout) as { kind: string; packages: string[] }
    expect(kind).toBe('docx')
    expect(packages).toContain('bree')
    const readers = [
      'unpdf',
      'mammoth',
      'jszip',
      'linkedom',
      '@mozilla/readability',
      'htmlparser2',
      'csv-parse',
      'file-type',
      'yauzl',
      'marked',
      'yaml',
    ]
    expect(packages.filter((name) => readers.includes(name))).toEqual([])
  })
})
