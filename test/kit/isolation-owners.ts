import { entities } from '../../packages/core/src/composition/entities.ts'
import type { TwoTenants } from './two-tenants.ts'

/** Knows whose the ids, hashes, addresses and words in the database are. */
export interface Owners {
  /** What a text contains of tenants that its reader must not see. */
  strangersIn(text: string, allowed: readonly string[]): string[]
  /** How many different rows of a tenant a text mentions. */
  countIn(text: string, tenantId: string): number
}

const marks = /[0-7][0-9A-HJKMNP-TV-Z]{25}|[0-9a-f]{64}|[\w.+-]+@[\w.-]+|[a-z]+/g

export async function ownersOf({ app: { db }, twins }: TwoTenants): Promise<Owners> {
  const owners = new Map<string, string>(twins.map(({ word, tenantId }) => [word, tenantId]))
  const own = async (text: string) => {
    for (const { value, owner } of await db.sql.all<{ value: string; owner: string | null }>(text))
      if (owner !== null) owners.set(value, owner)
  }
  for (const { meta } of entities) {
    if ('id' in meta.properties && 'tenantId' in meta.properties)
      await own(`select id as value, tenant_id as owner from ${meta.tableName}`)
  }
  await own('select id as value, id as owner from tenants')
  await own('select sha256 as value, tenant_id as owner from outputs')
  await own('select email as value, tenant_id as owner from users')
  // A reviewer of one tenant only is no one that another tenant knows of.
  const single = 'from tenant_assignments group by user_id having count(*) = 1'
  await own(`select user_id as value, max(tenant_id) as owner ${single}`)
  const found = (text: string) => [...new Set(text.match(marks))]
  return {
    strangersIn: (text, allowed) =>
      found(text).filter((mark) => {
        const owner = owners.get(mark)
        return owner !== undefined && !allowed.includes(owner)
      }),
    countIn: (text, tenantId) => found(text).filter((mark) => owners.get(mark) === tenantId).length,
  }
}
