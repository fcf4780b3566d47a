import type { CsvFormat } from '../entities.ts'

/** The fields of a lead that a file may have, each with the other names by which programs call it. */
const names = {
  id: ['leadid', 'recordid'],
  firstName: ['givenname', 'forename', 'first'],
  lastName: ['surname', 'familyname', 'last'],
  name: ['fullname', 'contact', 'contactname', 'leadname'],
  email: ['emailaddress', 'mail'],
  phone: ['phonenumber', 'telephone', 'tel', 'mobile', 'mobilephone', 'cell'],
  company: ['companyname', 'organization', 'organisation', 'account'],
  status: ['leadstatus'],
  score: ['leadscore'],
  tags: ['labels'],
  notes: ['note', 'comment', 'comments'],
} as const
export type ImportField = keyof typeof names

const fields = new Map<string, ImportField>(
  Object.entries(names).flatMap(([field, others]) =>
    [field.toLowerCase(), ...others].map((name) => [name, field as ImportField] as const),
  ),
)

/** The field that a column fills. Case, spaces, underscores and hyphens do not matter. */
const fieldOf = (header: string): ImportField | null =>
  fields.get(header.toLowerCase().replace(/[\s_-]+/g, '')) ?? null

/** By column, the field that it fills; of two for the same field the first one does. */
export function columnsOf(header: readonly string[]): CsvFormat['columns'] {
  const found = header.map(fieldOf)
  return found.map((field, n) => (field !== null && found.indexOf(field) === n ? field : null))
}

const whoFields: ReadonlySet<string | null> = new Set(['firstName', 'lastName', 'name', 'email', 'phone'])

/** Whether the columns can tell who someone is. */
export const tellWho = (columns: CsvFormat['columns']): boolean =>
  columns.some((field) => whoFields.has(field))
