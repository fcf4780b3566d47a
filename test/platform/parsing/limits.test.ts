import { describe, expect, it } from 'vitest'
import { expectFault, parsed } from '../../kit/documents.ts'
import { docxOf, pptxOf, wordParagraph, xlsxOf } from '../../kit/office.ts'
import { zipBomb, zipOf } from '../../kit/zip.ts'

/** XML whose last entity would be a billion laughs. */
const laughs = `<!DOCTYPE x [<!ENTITY l0 "lol">${Array.from({ length: 9 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join('')}]>`
const cell = '<c t="inlineStr"><is><t>&l9;</t></is></c>'

describe('parseDocument, of Office files that unpack to too much', () => {
  const bomb = zipBomb(3)

  it('stops at the limit of one part, whatever size the file claims', async () => {
    for (const content of [bomb, { ...bomb, size: 1_000 }, { ...bomb, size: 40 * 2 ** 20 }]) {
      const reason = content === bomb ? 'too_large' : 'corrupt'
      const message = content === bomb ? /more than 64 MB of content once it is unpacked/ : /damaged/
      await expectFault(docxOf('', { 'word/document.xml': content }), 'a.docx', reason, message)
      await expectFault(zipOf({ 'xl/workbook.xml': content }), 'a.xlsx', reason, message)
    }
    await expectFault(zipOf({ 'ppt/presentation.xml': bomb }), 'a.pptx', 'too_large', /64 MB/)
  })

  it('stops at the limit of all parts together', async () => {
    const sheets = Array.from({ length: 6 }, (_, at) => ({
      name: `S${at}`,
      rows: `<!--${' '.repeat(60_000_000)}-->`,
    }))
    await expectFault(xlsxOf(sheets), 'a.xlsx', 'too_large', /more than 256 MB of content/)
  })

  it('rejects too many entries', async () => {
    const entries = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`word/${at}.xml`, '']))
    await expectFault(zipOf(entries), 'a.docx', 'too_large', /10,000 parts/)
  })

  it('expands no entities that a file defines', async () => {
    const word = `${laughs}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${wordParagraph('&l9;')}</w:body></w:document>`
    await expectFault(docxOf('', { 'word/document.xml': word }), 'a.docx', 'corrupt', /damaged/)
    await expectFault(
      zipOf({ 'xl/workbook.xml': `${laughs}<workbook>&l9;</workbook>` }),
      'a.xlsx',
      'corrupt',
      /no such document/,
    )
    await expectFault(
      zipOf({ 'ppt/presentation.xml': `${laughs}<presentation>&l9;</presentation>` }),
      'a.pptx',
      'corrupt',
      /no such document/,
    )
    // Without a definition, it stays as it is.
    const { blocks } = await parsed(xlsxOf([{ name: 'S', rows: `<row>${cell}</row>` }]), 'a.xlsx')
    expect(blocks[1]?.text).toContain('&l9;')
  })
})

describe('parseDocument, of documents that are too large or too deep', () => {
  it('rejects tables of more than two million cells', async () => {
    const rows = (count: number) => '1,2,3,4,5,6,7,8,9,10\n'.repeat(count)
    await expectFault(rows(200_001), 'a.csv', 'too_large', /2,000,000 table cells\. Split it/)
    await expectFault(
      `<html><table>${'<tr><td>1<td>2'.repeat(1_000_001)}`,
      'a.html',
      'too_large',
      /2,000,000 table cells/,
    )
  })

  it('rejects rows that repeat a long text or are set wide apart', async () => {
    const repeated = `<row>${'<c t="s"><v>0</v></c>'.repeat(1_000)}</row>`
    await expectFault(
      xlsxOf([{ name: 'S', rows: repeated }], { strings: [`<t>${'x'.repeat(1_000_000)}</t>`] }),
      'a.xlsx',
      'too_large',
      /20,000,000 characters/,
    )
    await expectFault(
      xlsxOf([{ name: 'S', rows: '<row><c r="XFD1"><v>1</v></c></row>'.repeat(10_000) }]),
      'a.xlsx',
      'too_large',
      /characters|cells/,
    )
    await expectFault(
      xlsxOf([{ name: 'S', rows: `<row>${'<c/>'.repeat(1_000_000)}</row>` }]),
      'a.xlsx',
      'too_large',
      /elements in one of its parts/,
    )
  })

  it('reads 20 million characters of text, and rejects more', async () => {
    const text = 'Some words. '.repeat(1_600_000)
    expect((await parsed(text, 'a.txt')).blocks[0]?.text).toHaveLength(text.length - 1)
    await expectFault(
      Buffer.alloc(50 * 2 ** 20, 'Some words. '),
      'a.txt',
      'too_large',
      /20,000,000 characters of text/,
    )
    await expectFault(Buffer.alloc(50 * 2 ** 20 + 1, 'x'), 'a.txt', 'too_large', /larger than 50 MB/)
    await expectFault('a\n\n'.repeat(300_001), 'a.txt', 'too_large', /300,000 paragraphs/)
  })

  it('rejects what is nested deeper than any document is', async () => {
    await expectFault(
      `<html>${'<div>'.repeat(100_000)}x`,
      'a.html',
      'too_deep',
      /1,?000 elements within each other/,
    )
    const shapes = `${'<p:grpSp>'.repeat(2_000)}x${'</p:grpSp>'.repeat(2_000)}`
    await expectFault(pptxOf([{ shapes }]), 'a.pptx', 'too_deep', /within each other/)
    await expectFault(
      docxOf('<w:p>'.repeat(100_000) + '</w:p>'.repeat(100_000)),
      'a.docx',
      'corrupt',
      /damaged/,
    )
  })

  it('reads what is nested deep, yet not too deep', async () => {
    const list = '<ul><li>a'.repeat(400)
    const { blocks } = await parsed(`<html>${'<div>'.repeat(150)}${list}`, 'a.html')
    expect(blocks).toHaveLength(1)
    expect(blocks[0]?.text.match(/a/g)).toHaveLength(400)
    expect((await parsed(`${'>'.repeat(50_000)}x`, 'a.md')).blocks[0]?.text).toMatch(/x$/)
  })

  it('reads elements with very many attributes, and texts in very many pieces', async () => {
    const attributes = Array.from({ length: 200_000 }, (_, at) => `x${at}`).join(' ')
    const pieces = '<i>a </i>'.repeat(200_000)
    const { blocks } = await parsed(`<html><p ${attributes}>x</p><p>${pieces}`, 'a.html')
    expect(blocks.map(({ text }) => text.length)).toEqual([1, 399_999])
  })
})
