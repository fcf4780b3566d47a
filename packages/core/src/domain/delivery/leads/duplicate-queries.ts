import type { Transaction } from '../../../kernel/context.ts'
import { equals, where } from '../../../kernel/paging-queries.ts'
import { pick, select, table } from '../../../platform/database/read.ts'
import { Lead } from './entities.ts'
import { hasIdentity } from './identity-queries.ts'
import { identityOf, phoneIdentity, phoneKeyOf } from './policy.ts'

const l = table(Lead, 'l')
const match = select(pick(l, 'id', 'email', 'phoneKey', 'identity', 'revision'))

/**
 * The lead of a tenant that another one would double: one with the same e-mail address or, where one of the two has none, with the same
 * phone number. Two addresses at one phone are two people.
 */
export async function duplicateOf(
  { tx, db }: Transaction,
  tenantId: string,
  contact: { email: string | null; phone: string | null },
  except?: string,
): Promise<{ id: string; by: 'e-mail address' | 'phone number' } | undefined> {
  const identity = identityOf(contact)
  if (identity === null) return undefined
  const phone = contact.phone === null ? null : phoneKeyOf(contact.phone)
  const identities = [identity, ...(phone === null ? [] : [phoneIdentity(phone)])]
  const other = except === undefined ? undefined : { sql: 'l.id <> ?', params: [except] }
  const byIdentity = where(hasIdentity(db.dialect, tenantId, identities), other)
  const same = await match.get(
    tx,
    `from ${l} where ${byIdentity.sql} order by l.identity, l.id limit 1`,
    byIdentity.params,
  )
  if (same) return { id: same.id, by: same.email === null ? 'phone number' : 'e-mail address' }
  if (contact.email !== null || phone === null) return undefined
  const byPhone = where(equals(l.tenantId, tenantId), equals(l.phoneKey, phone), other)
  const reached = await match.get(tx, `from ${l} where ${byPhone.sql} order by l.id limit 1`, byPhone.params)
  return reached && { id: reached.id, by: 'phone number' }
}
