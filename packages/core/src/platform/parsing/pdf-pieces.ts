import type { getDocumentProxy } from 'unpdf'
import { tooLarge } from './faults.ts'
import { parsingLimits } from './limits.ts'

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>
type PdfPage = Awaited<ReturnType<PdfDocument['getPage']>>

/** A piece of text on a page. Lengths are in points, from the upper left corner of the page as it is read. */
export interface TextPiece {
  text: string
  x: number
  /** Of its baseline. */
  y: number
  width: number
  size: number
  isRightToLeft: boolean
  /** It does not run from left to right, or right to left. */
  isRotated: boolean
  /** The file says that a line ends after it. */
  endsLine: boolean
}

export interface PdfPageText {
  pieces: TextPiece[]
  width: number
  height: number
}

/** Reads the text of a page in the order of the file. @throws ParseFault `too_large` */
export async function readPieces(page: PdfPage): Promise<PdfPageText> {
  const { width, height, transform } = page.getViewport({ scale: 1 })
  const pieces: TextPiece[] = []
  const reader = page.streamTextContent().getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    for (const item of next.value.items) {
      if (!('str' in item)) continue
      if (pieces.length >= parsingLimits.pagePieces) {
        await reader.cancel()
        throw tooLarge(parsingLimits.pagePieces, 'pieces of text on one page')
      }
      const [a, b, c, d, x, y] = multiply(transform, item.transform)
      pieces.push({
        text: item.str,
        x,
        y,
        width: item.width,
        size: Math.hypot(c, d),
        isRightToLeft: item.dir === 'rtl',
        isRotated: Math.abs(b) > Math.abs(a) / 10 || a < 0,
        endsLine: item.hasEOL,
      })
    }
  }
  return { pieces, width, height }
}

type Matrix = [number, number, number, number, number, number]

/** What a transformation does to another one, both in the form of PDF. */
function multiply(outer: readonly number[], inner: readonly number[]): Matrix {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = outer
  const [g = 1, h = 0, i = 0, j = 1, k = 0, l = 0] = inner
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f]
}
