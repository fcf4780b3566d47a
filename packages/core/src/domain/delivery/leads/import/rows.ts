import { z } from 'zod'
import type { CsvFormat } from '../entities.ts'
import { isSomeone, leadFields, nobody } from '../fields.ts'
import { derived, splitName } from '../policy.ts'
import type { ImportField } from './columns.ts'
import type { CsvRow } from './csv.ts'

const FileLead = z.object({
  id: z.string().max(26).optional(),
  firstName: leadFields.firstName.default(''),
  lastName: leadFields.lastName.default(''),
  email: leadFields.email.optional(),
  phone: leadFields.phone.optional(),
  company: leadFields.company.optional(),
  status: leadFields.status.optional(),
  score: leadFields.score.optional(),
  tags: leadFields.tags.optional(),
  notes: leadFields.notes.optional(),
})

/** A lead as a line of a file gives it; a cell that is empty says nothing. */
export type FileLead = z.output<typeof FileLead>

/** A line of a file that was read: a lead with the columns that follow from it, or why it is none. */
export type ReadRow = Omit<CsvRow, 'cells'> &
  (
    | { lead: FileLead & ReturnType<typeof derived>; cells: readonly string[] }
    | { reason: string; cells: readonly string[] }
  )

/** Of a line that became no lead so much is kept. */
const keptCells = 200
const keptCharacters = 2_000

/** @returns undefined for a line without values */
export function readRow({ cells, ...place }: CsvRow, format: CsvFormat): ReadRow | undefined {
  if (cells.every((cell) => cell.trim() === '')) return undefined
  const kept = cells.slice(0, keptCells).map((cell) => cell.slice(0, keptCharacters).toWellFormed())
  const result = toLead(cells, format)
  return typeof result === 'string'
    ? { ...place, reason: result.slice(0, 250), cells: kept }
    : { ...place, lead: { ...result, ...derived(named(result)) }, cells: kept }
}

const named = ({
  firstName,
  lastName,
  email = null,
  phone = null,
}: {
  firstName: string
  lastName: string
  email?: string | null | undefined
  phone?: string | null | undefined
}) => ({ firstName, lastName, email, phone })

/** @returns the reason why it is none */
function toLead(cells: readonly string[], { columns }: CsvFormat): FileLead | string {
  if (cells.slice(columns.length).some((cell) => cell.trim() !== ''))
    return `The line has ${cells.length} values, the header ${columns.length}`
  const found: Partial<Record<ImportField, string>> = {}
  // Rows may be much shorter than the header.
  for (const [n, cell] of cells.slice(0, columns.length).entries()) {
    const field = columns[n]
    if (!field) continue
    const text = plain(cell, field === 'notes')
    if (text !== '') found[field as ImportField] = text
  }
  const { name, score, tags, status, ...rest } = found
  if (name !== undefined && rest.firstName === undefined && rest.lastName === undefined)
    Object.assign(rest, splitName(name))
  const read = FileLead.safeParse({
    ...rest,
    ...(status !== undefined && { status: status.toLowerCase() }),
    ...(score !== undefined && { score: Number(score) }),
    ...(tags !== undefined && { tags: tagsOf(tags) }),
  })
  if (!read.success) {
    const [issue] = read.error.issues
    return `${String(issue?.path[0] ?? 'line')}: ${issue?.message ?? 'cannot be read'}`
  }
  return isSomeone(read.data) ? read.data : nobody
}

/** What spreadsheets are kept from taking for a formula has an apostrophe in front: see `toCell`. */
const escaped = /^'+[=+\-@\t\r]/
const control = /[\p{Cc}\p{Zl}\p{Zp}]/u

function plain(cell: string, isText: boolean): string {
  const text = escaped.test(cell) ? cell.slice(1) : cell
  if (isText) return text.trim()
  return (control.test(text) ? text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ') : text).trim()
}

const tagsOf = (text: string) =>
  text
    .split(/[,;|]/)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
