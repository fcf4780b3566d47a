import type { PDFDocument } from 'pdfkit'
import { describe, expect, it } from 'vitest'
import { layout } from '../../../packages/core/src/platform/pdf/layout.ts'
import { expectFault, parsed, shortly } from '../../kit/documents.ts'
import { onePagePdf, pdfOf, rawPdf } from '../../kit/pdf.ts'

/** A text of many words, of which each is found only once. */
const words = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${name}${at}`).join(' ')
const line = (doc: PDFDocument, text: string, x: number, y: number) => doc.text(text, x, y, { width: 400 })

describe('parseDocument, of PDFs by their layout', () => {
  it('finds headings by their size, tables and lists, as a report has them', async () => {
    const markdown =
      '# Report\n\nThe summary.\n\n## Costs\n\n| Agent | Runs | Cost |\n|-|-|-|\n| Writer | 12 | 3.50 |\n| Planner with a long name | 100 | 22.20 |\n\n- one\n- two\n\n1. first\n2. second\n\n### Deep\n\nThe end.'
    const document = await parsed(await layout(markdown, { title: 'May', createdOn: new Date(0) }), 'a.pdf')
    expect(document).toMatchObject({ kind: 'pdf', title: 'May', language: null, pages: 1 })
    expect(shortly(document)).toEqual([
      'h1 Report',
      'text The summary.',
      'h2 Costs',
      'table | Agent | Runs | Cost |\n| --- | --- | --- |\n| Writer | 12 | 3.50 |\n| Planner with a long name | 100 | 22.20 |',
      'text - one\n- two\n1. first\n2. second',
      'h3 Deep',
      'text The end.',
    ])
  })

  it('reads columns one after the other, whether their lines are level or not', async () => {
    const pdf = await pdfOf((doc) => {
      doc.fontSize(20).text('A title across both columns', 50, 50)
      doc.fontSize(10).text(words('left', 300), 50, 100, { width: 240 })
      doc.text(words('right', 300), 310, 100, { width: 240 })
      doc.addPage()
      doc.text(words('west', 300), 50, 100, { width: 240 })
      doc.text(words('east', 300), 310, 105, { width: 240 })
    })
    const { blocks } = await parsed(pdf, 'a.pdf')
    expect(blocks[0]).toEqual({ kind: 'heading', level: 1, text: 'A title across both columns', page: 1 })
    const text = blocks
      .slice(1)
      .map((block) => block.text)
      .join(' ')
    expect(text).toBe(['left', 'right', 'west', 'east'].map((name) => words(name, 300)).join(' '))
  })

  it('puts wrapped cells together, and does not take prose for a table', async () => {
    const pdf = await pdfOf((doc) => {
      doc.fontSize(10)
      for (const [at, [name, price, note]] of [
        ['Plan', 'Price', 'Notes'],
        ['Basic', '10', 'for one person'],
        ['Plus', '25', words('note', 15)],
        ['Max', '99', 'all'],
      ].entries()) {
        const y = 100 + at * 20 + (at > 2 ? 40 : 0)
        line(doc, name ?? '', 50, y)
        line(doc, price ?? '', 150, y)
        doc.text(note ?? '', 250, y, { width: 120 })
      }
      doc.text(words('after', 40), 50, 300, { width: 400 })
    })
    expect(shortly(await parsed(pdf, 'a.pdf'))).toEqual([
      `table | Plan | Price | Notes |\n| --- | --- | --- |\n| Basic | 10 | for one person |\n| Plus | 25 | ${words('note', 15)} |\n| Max | 99 | all |`,
      `text ${words('after', 40)}`,
    ])
  })

  it('leaves out what repeats at the edges of pages, and joins sentences over them', async () => {
    const pdf = await pdfOf((doc) => {
      for (const page of [1, 2, 3, 4]) {
        if (page > 1) doc.addPage()
        doc.fontSize(8)
        line(doc, 'Annual report', 50, 30)
        doc.text(`Page ${page} of 4`, 250, 800, { width: 100, height: 10 })
        doc.fontSize(10)
        doc.text(
          page === 1 ? 'This sentence begins here and' : page === 2 ? 'goes on here.' : `Text ${page}.`,
          50,
          100,
        )
      }
    })
    expect(shortly(await parsed(pdf, 'a.pdf'))).toEqual([
      'text This sentence begins here and goes on here.',
      'text Text 3.',
      'text Text 4.',
    ])
  })

  it('parts paragraphs, and puts words together that were parted at the end of a line', async () => {
    const pdf = await pdfOf((doc) => {
      doc
        .fontSize(10)
        .text('A long com-\npound word.\nNo-\nTail', 50, 100, { lineGap: 2 })
        .moveDown()
        .text('Next paragraph.')
    })
    expect(shortly(await parsed(pdf, 'a.pdf'))).toEqual([
      'text A long compound word. No- Tail',
      'text Next paragraph.',
    ])
  })
})

describe('parseDocument, of PDFs in the order of the file', () => {
  it('reads the paragraphs of each page', async () => {
    const pdf = await pdfOf(
      (doc) => {
        doc
          .fontSize(20)
          .text('Title')
          .fontSize(10)
          .moveDown()
          .text(words('one', 60))
          .moveDown()
          .text(words('two', 5))
        doc.addPage().text('Second page')
      },
      { title: 'T' },
    )
    const { title, pages, blocks } = await parsed(pdf, 'a.pdf', 'NATIVE')
    expect({ title, pages }).toEqual({ title: 'T', pages: 2 })
    expect(blocks).toEqual([
      { kind: 'text', text: 'Title', page: 1 },
      { kind: 'text', text: words('one', 60), page: 1 },
      { kind: 'text', text: words('two', 5), page: 1 },
      { kind: 'text', text: 'Second page', page: 2 },
    ])
  })
})

describe('parseDocument, of PDFs that cannot be read', () => {
  it('asks for a PDF without its password', async () => {
    const locked = await pdfOf((doc) => void doc.text('x'), { userPassword: 'secret' })
    await expectFault(locked, 'a.pdf', 'encrypted', /protected by a password\. Remove the password/)
  })

  it('says that a scan has no text', async () => {
    const scan = await pdfOf((doc) => void doc.moveTo(50, 50).lineTo(100, 100).stroke())
    await expectFault(scan, 'a.pdf', 'no_text', /only pictures.*OCR/)
  })

  it('rejects 10,000 pages', async () => {
    const kids = Array.from({ length: 10_000 }, (_, at) => `${at + 3} 0 R`).join(' ')
    const pdf = rawPdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      `<< /Type /Pages /Kids [${kids}] /Count 10000 >>`,
      ...Array<string>(10_000).fill('<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] >>'),
    ])
    await expectFault(pdf, 'a.pdf', 'too_many_pages', /10,000 pages; 2,000 are the most/)
  })

  it('rejects PDFs that are damaged, cut off, or refer to themselves', async () => {
    const whole = await pdfOf((doc) => void doc.text(words('x', 5_000)))
    for (const pdf of [
      whole.subarray(0, whole.length / 2),
      Buffer.concat([Buffer.from('%PDF-1.4\n'), Buffer.alloc(10_000, '\x01\xff')]),
      rawPdf(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [2 0 R] /Count 5 >>']),
    ])
      await expectFault(pdf, 'a.pdf', 'corrupt', /damaged or incomplete/)
  })

  it('names the language that a PDF names', async () => {
    const { language } = await parsed(
      onePagePdf(Buffer.from('BT /F 10 Tf 50 700 Td (Colour) Tj ET')),
      'a.pdf',
    )
    expect(language).toBe('en-GB')
  })
})
