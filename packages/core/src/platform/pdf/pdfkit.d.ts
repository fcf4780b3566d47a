/** What is used of pdfkit, here and by the tests; it ships no types of its own. */
declare module 'pdfkit' {
  interface TextOptions {
    width?: number
    align?: 'left' | 'right' | 'center'
    continued?: boolean
    underline?: boolean
    /** Slants the letters. */
    oblique?: boolean
    link?: string | null
    indent?: number
    lineGap?: number
    columns?: number
    columnGap?: number
    height?: number
  }

  export class PDFDocument {
    constructor(options: {
      size: 'A4'
      /** The path of a file, as everywhere. */
      font: string
      margins: { top: number; bottom: number; left: number; right: number }
      info: { Title: string; CreationDate: Date; Producer: string; Creator: string }
      bufferPages?: boolean
      userPassword?: string
    })
    x: number
    y: number
    readonly page: { width: number; height: number; margins: { top: number; bottom: number; left: number } }
    on(event: 'data', listener: (chunk: Uint8Array) => void): this
    on(event: 'end', listener: () => void): this
    on(event: 'error', listener: (error: Error) => void): this
    end(): void
    addPage(): this
    font(name: string, size?: number): this
    fontSize(size: number): this
    fillColor(color: string): this
    strokeColor(color: string): this
    lineWidth(width: number): this
    moveTo(x: number, y: number): this
    lineTo(x: number, y: number): this
    stroke(): this
    text(text: string, options?: TextOptions): this
    text(text: string, x: number, y: number, options?: TextOptions): this
    heightOfString(text: string, options?: TextOptions): number
    moveDown(lines?: number): this
    /** Attaches a file. */
    file(content: Buffer, options: { name: string }): this
  }
}
