import { isUtf8 } from 'node:buffer'
import { decodeText } from '../../../../platform/parsing/decode.ts'
import { CsvFault } from './csv-fault.ts'

const newline = 0x0a
const carriageReturn = 0x0d

/** How the files begin that spreadsheet programs keep their own documents in: ZIP (.xlsx, .ods) and OLE (.xls). */
const workbooks = ['504b0304', 'd0cf11e0']

/**
 * The text of a file that a spreadsheet program has written, in UTF-8 with one kind of line ends. Without NUL, which no database keeps.
 * @param bytes may be changed: the text takes their place where it can
 * @throws CsvFault for a workbook
 */
export function decodeCsv(bytes: Uint8Array): Buffer {
  if (workbooks.includes(Buffer.from(bytes.subarray(0, 4)).toString('hex')))
    throw new CsvFault(
      1,
      'The file is a workbook (such as .xlsx, .xls or .ods); save the sheet as CSV and import that',
    )
  const isText = isUtf8(bytes) && !bytes.includes(0)
  const text = isText
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : Buffer.from(decodeText(bytes))
  return tidied(mark.every((byte, n) => text[n] === byte) ? text.subarray(mark.length) : text)
}

/** Of a text in UTF-8; decoding drops it, too. */
const mark = [0xef, 0xbb, 0xbf]

/** In place: a large file is not copied once more. */
function tidied(text: Buffer): Buffer {
  if (!text.includes(carriageReturn) && !text.includes(0)) return text
  let length = 0
  let before = 0
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at] as number
    const isSecond = byte === newline && before === carriageReturn
    before = byte
    if (byte === 0 || isSecond) continue
    text[length] = byte === carriageReturn ? newline : byte
    length += 1
  }
  return text.subarray(0, length)
}
