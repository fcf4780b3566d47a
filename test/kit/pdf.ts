import { PDFDocument } from 'pdfkit'
import { fontFile } from '../../packages/core/src/platform/pdf/fonts.ts'

/** A PDF that a writer of PDFs makes. The page is A4 with margins of 50 points. */
export function pdfOf(
  draw: (doc: PDFDocument) => void,
  { title = '', userPassword = '' } = {},
): Promise<Buffer> {
  const doc = new PDFDocument({
    size: 'A4',
    font: fontFile('text'),
    margins: { top: 50, bottom: 50, left: 50, right: 50 },
    info: { Title: title, CreationDate: new Date(0), Producer: 'test', Creator: 'test' },
    ...(userPassword !== '' && { userPassword }),
  })
  const chunks: Uint8Array[] = []
  doc.on('data', (chunk) => void chunks.push(chunk))
  const whole = new Promise<Buffer>((resolve, reject) => {
    doc.on('end', () => resolve(Buffer.concat(chunks)))
    doc.on('error', reject)
  })
  draw(doc)
  doc.end()
  return whole
}

/** A PDF of objects as they are written; the first is the catalog, and they are numbered from 1. */
export function rawPdf(objects: ReadonlyArray<string | Buffer>): Buffer {
  const parts = [Buffer.from('%PDF-1.7\n')]
  const offsets: string[] = []
  let offset = parts[0]?.length ?? 0
  for (const [at, object] of objects.entries()) {
    const part = Buffer.concat([
      Buffer.from(`${at + 1} 0 obj\n`),
      Buffer.from(object),
      Buffer.from('\nendobj\n'),
    ])
    offsets.push(`${String(offset).padStart(10, '0')} 00000 n \n`)
    offset += part.length
    parts.push(part)
  }
  const size = objects.length + 1
  const end = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${offset}\n%%EOF`
  return Buffer.concat([...parts, Buffer.from(end)])
}

/** A PDF with one page, which shows what a stream draws. @param filter how the stream is packed */
export function onePagePdf(content: Buffer, filter?: string): Buffer {
  const packed = filter ? `/Filter ${filter} ` : ''
  return rawPdf([
    '<< /Type /Catalog /Pages 2 0 R /Lang (en-GB) >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>',
    Buffer.concat([
      Buffer.from(`<< /Length ${content.length} ${packed}>>\nstream\n`),
      content,
      Buffer.from('\nendstream'),
    ]),
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ])
}
