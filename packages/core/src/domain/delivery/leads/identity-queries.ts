import type { Condition } from '../../../kernel/paging-queries.ts'
import { type Dialect, placeholders } from '../../../platform/database/database.ts'

/** Where SQLite keeps the identities of leads: the large table, and what was added to it lately. */
const inSqlite = ['lead_identities', 'lead_identities_added']

/** Finds the leads of a tenant that have one of some identities: a condition of `l`, a row of `leads`. */
export function hasIdentity(dialect: Dialect, tenantId: string, identities: readonly string[]): Condition {
  const values = `in (${placeholders(identities)})`
  const params = [tenantId, ...identities]
  if (dialect === 'postgresql') return { sql: `l.tenant_id = ? and l.identity ${values}`, params }
  const numbers = numbersIn('', `k.tenant_id = ? and k.identity ${values}`)
  return { sql: `l.seq in (${numbers})`, params: [...params, ...params] }
}

/** SQLite: the numbers of the leads whose identity meets a condition; `k` is the row. @param beside tables that it is joined with */
export const numbersIn = (beside: string, condition: string) =>
  inSqlite.map((name) => `select k.seq from ${beside}${name} k where ${condition}`).join(' union all ')
