import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseDocument } from '../../../packages/core/src/platform/parsing/parse.ts'
import { parsed, shortly } from '../../kit/documents.ts'
import { docxOf, pptxOf, slideTable, wordParagraph, wordTable, xlsxOf } from '../../kit/office.ts'

describe('parseDocument, of Word documents', () => {
  it('keeps headings, lists and tables', async () => {
    const body = [
      wordParagraph('The plan', 'Heading1'),
      wordParagraph('Grüße &amp; more'),
      wordParagraph('one', 'List'),
      wordParagraph('two', 'List'),
      wordParagraph('Costs', 'Heading2'),
      wordTable([
        ['Plan', 'Price'],
        ['Basic', '10'],
      ]),
    ]
    const document = await parsed(docxOf(body.join('')), 'a.docx')
    expect(document).toMatchObject({ kind: 'docx', title: 'The plan', language: 'de-DE', pages: null })
    expect(shortly(document)).toEqual([
      'h1 The plan',
      'text Grüße & more',
      'text - one\n- two',
      'h2 Costs',
      'table | Plan | Price |\n| --- | --- |\n| Basic | 10 |',
    ])
  })

  it('needs no properties, styles or numbering, and leaves pictures aside', async () => {
    const picture = { 'word/media/image1.png': Buffer.alloc(1_000) }
    const document = await parsed(
      docxOf(wordParagraph('x'), { 'docProps/core.xml': '<a/>', 'word/styles.xml': '<a/>', ...picture }),
      'a.docx',
    )
    expect(document).toMatchObject({ title: null, language: null, blocks: [{ text: 'x' }] })
  })
})

describe('parseDocument, of workbooks', () => {
  const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`

  it('keeps sheets as headings, and rows in their columns', async () => {
    const rows =
      '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row>' +
      `<row r="2"><c r="A2" t="str"><v>sum</v></c>${text('in &lt;line&gt;')}<c r="C2" t="b"><v>1</v></c></row>` +
      '<row r="9"/><row r="10"><c r="C10" t="e"><v>#N/A</v></c></row>'
    const strings = [
      '<t>Name</t>',
      '<r><t>Two </t></r><r><t xml:space="preserve">parts</t></r><rPh><t>no</t></rPh>',
    ]
    const document = await parsed(
      xlsxOf(
        [
          { name: 'Costs', rows },
          { name: 'Secret', rows: `<row>${text('x')}</row>`, hidden: true },
          { name: 'Empty', rows: '' },
          { name: 'Last', rows: `<row>${text('y')}</row>` },
        ],
        { strings },
      ),
      'a.xlsx',
    )
    expect(document).toMatchObject({ kind: 'xlsx', pages: null })
    expect(shortly(document)).toEqual([
      'h1 Costs',
      'table | Name |  | Two parts |\n| --- | --- | --- |\n| sum | in <line> | TRUE |\n|  |  | #N/A |',
      'h1 Last',
      'table | y |\n| --- |',
    ])
  })

  it('shows numbers, percentages, days and times as a reader sees them', async () => {
    const cell = (value: string, style: number) => `<c s="${style}"><v>${value}</v></c>`
    const rows = `<row>${cell('0.30000000000000004', 0)}${cell('0.255', 1)}${cell('45000', 2)}${cell('45000.75', 2)}${cell('0.5', 2)}${cell('1E+30', 2)}</row>`
    const document = await parsed(xlsxOf([{ name: 'S', rows }], { formats: [0, 10, 14] }), 'a.xlsx')
    expect(shortly(document)[1]?.split('\n')[0]).toBe(
      'table | 0.3 | 25.5% | 2023-03-15 | 2023-03-15 18:00 | 12:00 | 1e+30 |',
    )
  })
})

describe('parseDocument, of presentations', () => {
  it('keeps the slides in their order, with titles, lists, tables and notes', async () => {
    const rows = [
      ['Plan', 'Price'],
      ['Basic', '10'],
    ]
    const document = await parsed(
      pptxOf([
        { title: 'Why', lines: ['one', 'two &amp; three'], notes: 'Say this.' },
        { title: 'Secret', hidden: true },
        { title: 'Prices', lines: ['alone'], shapes: `<p:grpSp>${slideTable(rows)}</p:grpSp>` },
      ]),
      'a.pptx',
    )
    expect(document).toMatchObject({ kind: 'pptx', title: 'The pitch', pages: 3 })
    expect(document.blocks.map(({ page }) => page)).toEqual([1, 1, 1, 3, 3, 3])
    expect(shortly(document)).toEqual([
      'h1 Why',
      'text - one\n- two & three',
      'text Say this.',
      'h1 Prices',
      'text alone',
      'table | Plan | Price |\n| --- | --- |\n| Basic | 10 |',
    ])
  })

  it('rejects more slides than a document may have pages', async () => {
    const slides = Array.from({ length: 2_001 }, () => ({ title: 'x' }))
    await expect(parsed(pptxOf(slides), 'a.pptx')).rejects.toMatchObject({
      reason: 'too_many_pages',
      message: expect.stringContaining('2,001 slides; 2,000 are the most'),
    })
  })
})

describe('parseDocument, of Office files on the disk', () => {
  it.each([
    ['docx', docxOf(wordParagraph('x', 'Heading1'))],
    ['xlsx', xlsxOf([{ name: 'Costs', rows: '<row><c><v>1</v></c></row>' }])],
    ['pptx', pptxOf([{ title: 'Why', lines: ['one', 'two'] }])],
  ])('reads the same of a %s as from memory, and fails alike where it is damaged', async (kind, bytes) => {
    const folder = await mkdtemp(join(tmpdir(), 'office-'))
    const path = join(folder, 'a')
    const onDisk = async (content: Uint8Array) => {
      await writeFile(path, content)
      return parseDocument({ source: { path }, fileName: `a.${kind}`, engine: 'ADVANCED' })
    }
    const document = await onDisk(bytes)
    expect(document.blocks).not.toEqual([])
    expect(document).toEqual(await parsed(bytes, `a.${kind}`))
    // What is compressed is broken, and the list at the end is whole.
    const broken = Buffer.from(bytes).fill(0xff, 60, bytes.length >> 1)
    const [there, here] = [onDisk(broken), parsed(broken, `a.${kind}`)].map((read) =>
      read.catch((error: unknown) => error),
    )
    expect(await there).toMatchObject({ reason: 'corrupt' })
    expect(String(await there)).toBe(String(await here))
    await rm(folder, { recursive: true })
  })
})
