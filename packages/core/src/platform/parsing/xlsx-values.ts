import { childOf, childrenOf, textOf, type XmlElement } from './xml.ts'

/** How numbers of one style are shown, as far as it changes what they mean. */
type NumberFormat = 'number' | 'percent' | 'date'

/** What the values of cells refer to. */
export interface WorkbookContext {
  shared: readonly string[]
  formats: readonly NumberFormat[]
  /** Days are counted from 1904, as on old Macs, not from 1900. */
  from1904: boolean
}

/** The formats of numbers in the order in which cells refer to them. @param styles the styles of a workbook */
export function numberFormats(styles: XmlElement): NumberFormat[] {
  const own = new Map(
    childrenOf(childOf(styles, 'numFmts'), 'numFmt').map(({ attributes }) => [
      attributes['numFmtId'],
      attributes['formatCode'] ?? '',
    ]),
  )
  return childrenOf(childOf(styles, 'cellXfs'), 'xf').map(({ attributes: { numFmtId: id = '0' } }) =>
    formatOf(Number(id), own.get(id)),
  )
}

function formatOf(id: number, code: string | undefined): NumberFormat {
  if (code !== undefined) {
    // Colours, conditions and quoted words are no part of the pattern.
    const pattern = code.replace(/\[[^\]]*\]|"[^"]*"|\\./g, '')
    if (/general/i.test(pattern)) return 'number'
    return /[ymdhs]/i.test(pattern) ? 'date' : pattern.includes('%') ? 'percent' : 'number'
  }
  if (id === 9 || id === 10) return 'percent'
  return (id >= 14 && id <= 22) || (id >= 45 && id <= 47) ? 'date' : 'number'
}

/** The values of a row by their columns, as a reader sees them; columns that are left out are empty. */
export function rowValues(row: XmlElement, context: WorkbookContext): string[] {
  const values: string[] = []
  let next = 0
  for (const cell of childrenOf(row, 'c')) {
    const at = columnOf(cell.attributes['r']) ?? next
    if (at >= mostColumns) continue
    while (values.length < at) values.push('')
    values[at] = valueOf(cell, context)
    next = at + 1
  }
  return values
}

/** Excel has no more. */
const mostColumns = 16_384

/** The column of `BC12`, from 0. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}(?=\d)/.exec(reference ?? '')?.[0]
  if (letters === undefined) return undefined
  return Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

function valueOf(cell: XmlElement, { shared, formats, from1904 }: WorkbookContext): string {
  const { t: type = 'n', s: style = '0' } = cell.attributes
  const inline = childOf(cell, 'is')
  if (inline) return stringOf(inline)
  const value = childOf(cell, 'v')?.text ?? ''
  if (type === 's') return shared[Number(value)] ?? ''
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE'
  const number = Number(value)
  if (type !== 'n' || value === '' || !Number.isFinite(number)) return value
  const format = formats[Number(style)]
  if (format === 'date') return dateOf(number, from1904)
  return format === 'percent' ? `${rounded(number * 100)}%` : rounded(number)
}

/** A text with several formats in it is in parts; how it is pronounced is not a part of it. */
export const stringOf = (element: XmlElement): string =>
  element.children
    .flatMap((child) => (child.name === 'r' ? childrenOf(child, 't') : child.name === 't' ? [child] : []))
    .map(textOf)
    .join('')

/** Without the digits that binary fractions add. */
const rounded = (value: number) => String(Number(value.toPrecision(15)))

function dateOf(days: number, from1904: boolean): string {
  const first = from1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30)
  const instant = new Date(first + Math.round(days * 1_440) * 60_000)
  if (Number.isNaN(instant.getTime()) || days < 0) return String(days)
  const [day = '', time = ''] = instant.toISOString().split('T')
  if (Number.isInteger(days)) return day
  return days < 1 ? time.slice(0, 5) : `${day} ${time.slice(0, 5)}`
}
