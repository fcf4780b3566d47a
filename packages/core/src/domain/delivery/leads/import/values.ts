import type { LeadRow } from '../entities.ts'
import type { derived } from '../policy.ts'
import type { FileLead } from './rows.ts'

/** What each lead of an import has of its own, in the order in which it is bound: the column, and the type that PostgreSQL gives it. */
export const ownColumns = {
  id: ['id', 'text'],
  firstName: ['first_name', 'text'],
  lastName: ['last_name', 'text'],
  email: ['email', 'text'],
  phone: ['phone', 'text'],
  company: ['company', 'text'],
  status: ['status', 'text'],
  score: ['score', 'int'],
  tags: ['tags', 'jsonb'],
  identity: ['identity', 'text'],
  phoneKey: ['phone_key', 'text'],
  words: ['words', 'text'],
} as const
const properties = Object.keys(ownColumns) as Array<keyof typeof ownColumns>

export type OwnValues = Pick<LeadRow, keyof typeof ownColumns>

/** The values of a new lead, but for its id. */
export function newValues(lead: FileLead & ReturnType<typeof derived>): Omit<OwnValues, 'id'> {
  const { firstName, lastName, email, phone, company, status, score, tags, identity, phoneKey, words } = lead
  return {
    firstName,
    lastName,
    email: email ?? null,
    phone: phone ?? null,
    company: company ?? null,
    status: status ?? 'new',
    score: score ?? null,
    tags: [...new Set(tags)],
    identity,
    phoneKey,
    words,
  }
}

/** The values behind the id as JSON: the end of an array. */
export const behindId = (values: Omit<OwnValues, 'id'>): string =>
  JSON.stringify(properties.slice(1).map((name) => values[name as Exclude<typeof name, 'id'>])).slice(1)

/** Values as JSON, as they are bound. */
export const withId = (id: string, tail: string): string => `["${id}",${tail}`
