import type { LeadRow } from '../entities.ts'
import type { derived } from '../policy.ts'
import type { FileLead } from './rows.ts'

/** What each lead of an import has of its own beside its id, in the order in which it is bound: the column, and the type that PostgreSQL gives it. */
export const ownColumns = {
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

/** The values of a new lead. */
export function newValues(lead: FileLead & ReturnType<typeof derived>): OwnValues {
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

const encoder = new TextEncoder()

/** The values of leads as they are bound: a list of lists as JSON, in bytes, which no one on their way makes objects of. */
export const asBound = (leads: readonly OwnValues[]): Uint8Array =>
  encoder.encode(JSON.stringify(leads.map((lead) => properties.map((name) => lead[name]))))
