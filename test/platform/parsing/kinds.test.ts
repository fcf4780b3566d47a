import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { detectKind } from '../../../packages/core/src/platform/parsing/kinds.ts'
import { expectFault, parsed } from '../../kit/documents.ts'
import { docxOf, pptxOf, wordParagraph, xlsxOf } from '../../kit/office.ts'
import { onePagePdf } from '../../kit/pdf.ts'
import { zipOf } from '../../kit/zip.ts'

const kindOf = (content: string | Uint8Array, name: string) => detectKind(Buffer.from(content), name)

/** A container of old Office files with storages of some names. */
const ole = (...names: string[]) =>
  Buffer.concat([
    Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    Buffer.alloc(504),
    ...names.map((name) => Buffer.from(name.padEnd(32, '\0'), 'utf16le')),
  ])

/** Bytes of no known format. */
const binary = Buffer.alloc(1_000, '\x01\x02\0\x04\xfa\xfb\x17', 'latin1')

const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex')

describe('detectKind', () => {
  it.each([
    ['pdf', onePagePdf(Buffer.from('')), 'a.txt'],
    ['pdf', Buffer.concat([Buffer.from('\xff\x00\x01\n', 'latin1'), onePagePdf(Buffer.from(''))]), 'a.bin'],
    ['docx', docxOf(wordParagraph('x')), 'a.pdf'],
    ['pptx', pptxOf([{ title: 'x' }]), 'a.docx'],
    ['xlsx', xlsxOf([]), 'a.csv'],
    ['html', '<!-- saved -->\n<!DOCTYPE html><p>x', 'a.txt'],
    ['html', '<?xml version="1.0"?>\n<html lang="en">', 'a.md'],
  ])('goes by the content for %s', async (kind, content, name) => {
    expect(await kindOf(content, name)).toBe(kind)
  })

  it.each([
    ['markdown', 'a.md'],
    ['markdown', 'A.MARKDOWN'],
    ['csv', 'a.csv'],
    ['csv', 'a.tsv'],
    ['html', 'a.htm'],
    ['text', 'a.txt'],
    ['text', 'a.log'],
    ['text', 'a'],
  ])('tells %s from other text by the name %s', async (kind, name) => {
    expect(await kindOf('a,b\nc,d', name)).toBe(kind)
  })

  it('takes text for text though it begins as a picture, a program or a recording does', async () => {
    for (const text of [
      'BMW and others',
      'MZ is a country code',
      'ID3 is a standard',
      'GIF files move',
      'PK, a player',
      'The mark\n%PDF-1.7 begins a PDF',
    ])
      expect(await kindOf(text, 'a.txt'), text).toBe('text')
  })

  it('recognizes documents that consist of few different bytes', async () => {
    const rows = '<row><c><v>1</v></c></row>'.repeat(100_000)
    expect(await kindOf(xlsxOf([{ name: 'S', rows }]), 'a.txt')).toBe('xlsx')
  })

  it('says the same of a file on the disk, of which it reads no more than it needs', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kinds-'))
    const path = join(folder, 'a')
    const kindOnDisk = async (content: Uint8Array, name: string) => {
      await writeFile(path, content)
      return detectKind({ path }, name)
    }
    const pdf = onePagePdf(Buffer.from(''))
    expect(await kindOnDisk(pdf, 'a.txt')).toBe('pdf')
    expect(await kindOnDisk(Buffer.concat([Buffer.from('\xff\x00\x01\n', 'latin1'), pdf]), 'a')).toBe('pdf')
    expect(await kindOnDisk(docxOf(wordParagraph('x')), 'a.pdf')).toBe('docx')
    expect(await kindOnDisk(xlsxOf([]), 'a.csv')).toBe('xlsx')
    expect(await kindOnDisk(Buffer.from('a,b\n'.repeat(100_000)), 'a.csv')).toBe('csv')
    expect(await kindOnDisk(binary, 'a.docx')).toBeUndefined()
    await expect(kindOnDisk(ole('WordDocument'), 'a.docx')).rejects.toThrow(/Save it as DOCX/)
    await expect(kindOnDisk(docxOf(wordParagraph('x')).subarray(0, -100), 'a.docx')).rejects.toThrow(
      /damaged/,
    )
    await expect(kindOnDisk(zipOf({ 'a.txt': 'x' }), 'a.zip')).rejects.toThrow(/archive \(ZIP\)/)
    await rm(folder, { recursive: true })
  })

  it('knows nothing of other bytes', async () => {
    expect(await kindOf(binary, 'a.docx')).toBeUndefined()
  })
})

describe('parseDocument', () => {
  it('says what a file is that cannot be read, and what to do', async () => {
    await expectFault(png, 'a.pdf', 'unsupported', /picture \(PNG\).*document that contains the text/)
    await expectFault(ole('WordDocument'), 'a.docx', 'unsupported', /Word.*\(DOC\).*Save it as DOCX/)
    await expectFault(ole('Workbook'), 'a.xls', 'unsupported', /Excel.*\(XLS\).*Save it as XLSX/)
    await expectFault(ole('PowerPoint Document'), 'a.ppt', 'unsupported', /PowerPoint.*Save it as PPTX/)
    await expectFault(zipOf({ 'a.txt': 'x' }), 'a.zip', 'unsupported', /archive \(ZIP\).*Unpack it/)
    await expectFault(
      zipOf({ mimetype: 'application/vnd.oasis.opendocument.text', 'content.xml': '<a/>' }),
      'a.odt',
      'unsupported',
      /type ODT.*PDF or DOCX/,
    )
    await expectFault('{\\rtf1 x}', 'a.txt', 'unsupported', /RTF.*Save it as DOCX or PDF/)
    await expectFault(
      Buffer.concat([Buffer.from('MZ\x90\0\x03\0\0\0', 'latin1'), Buffer.alloc(100)]),
      'a.txt',
      'unsupported',
      /EXE\. PDF, Word/,
    )
    await expectFault(binary, 'a.pdf', 'unsupported', /not known.*PDF, Word/)
  })

  it('asks for documents without their passwords', async () => {
    await expectFault(ole('EncryptionInfo', 'EncryptedPackage'), 'a.docx', 'encrypted', /password/)
    const locked = docxOf(wordParagraph('x'))
    // Each entry says that it is encrypted.
    for (const [mark, place] of [
      ['PK\x03\x04', 6],
      ['PK\x01\x02', 8],
    ] as const)
      for (let at = locked.indexOf(mark); at >= 0; at = locked.indexOf(mark, at + 1)) locked[at + place] = 1
    await expectFault(locked, 'a.docx', 'encrypted', /password/)
  })

  it('rejects files without text, of whatever kind', async () => {
    await expectFault('', 'a.txt', 'no_text', /empty/)
    for (const [content, name] of [
      [' \n\n ', 'a.txt'],
      ['---\n\n---', 'a.md'],
      ['\n,,\n', 'a.csv'],
      ['<html><script>x</script>', 'a.html'],
      [docxOf(''), 'a.docx'],
      [xlsxOf([]), 'a.xlsx'],
      [pptxOf([{}]), 'a.pptx'],
    ] as const)
      await expectFault(content, name, 'no_text', /no text/)
  })

  it('rejects Office files that are cut off or are not what they say', async () => {
    const whole = docxOf(wordParagraph('x').repeat(1_000))
    await expectFault(whole.subarray(0, whole.length - 100), 'a.docx', 'corrupt', /damaged or incomplete/)
    await expectFault(
      Buffer.concat([Buffer.from('PK\x03\x04'), Buffer.alloc(1_000, '\x01\xff')]),
      'a.docx',
      'corrupt',
      /damaged/,
    )
    await expectFault(zipOf({ 'word/document.xml': 'not xml' }), 'a.docx', 'corrupt', /damaged/)
    await expectFault(
      zipOf({ 'xl/workbook.xml': '' }),
      'a.xlsx',
      'corrupt',
      /content that no such document has/,
    )
    await expectFault(zipOf({ 'ppt/slides/slide1.xml': '<a/>' }), 'a.pptx', 'corrupt', /damaged/)
  })

  it('stores what it reads without characters that databases reject', async () => {
    const { blocks } = await parsed('<html><p>a&#1;\0b&#xD800;c', 'a.html')
    expect(blocks[0]?.text).toBe('ab\ufffdc')
  })
})
