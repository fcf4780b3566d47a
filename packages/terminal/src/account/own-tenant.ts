import type { Client } from '@copydesk/client'
import { isRequired } from '../operations/line.ts'
import type { AnyFollowing, AnyOperation, Desk, Line } from '../operations/operation.ts'
import { type NamedTenant, onlyTenantId, tenantIdNamed, type TenantRegister } from './tenant-named.ts'

/** The id of one of the tenants that one looks after. @throws Failure when none or several are meant */
export function ownTenantId(client: Client, named: string): Promise<string> {
  return tenantIdNamed(named, registerOf(client))
}

/**
 * The input of an operation with the id of the tenant that it names; where it needs one and names none, of the only one that the
 * caller reaches.
 * @throws Failure when none or several are meant
 */
export async function withTenant(
  operation: AnyOperation | AnyFollowing,
  { client }: Desk,
  input: Line['input'],
): Promise<Line['input']> {
  const parameter = operation.takes['tenant']
  if (!parameter) return input
  const { tenant } = input
  if (typeof tenant === 'string') return { ...input, tenant: await ownTenantId(client, tenant) }
  const isNeeded = isRequired(parameter) || ('run' in operation && operation.needsTenant?.(input as never))
  const only = isNeeded ? await onlyTenantId(registerOf(client)) : undefined
  return only === undefined ? input : { ...input, tenant: only }
}

const pageSize = 100

function registerOf(client: Client): TenantRegister {
  return {
    listedBy: 'copydesk tenants',
    async find({ search, limit }) {
      const found: NamedTenant[] = []
      let cursor: string | null = null
      do {
        const query: { limit: number; search?: string; cursor?: string } = {
          limit: Math.min(pageSize, limit - found.length),
          ...(search !== undefined && { search }),
          ...(cursor !== null && { cursor }),
        }
        const page = await client.call('cli', 'GET /tenants', { query })
        found.push(...page.data)
        cursor = page.pagination.nextCursor
      } while (cursor !== null && found.length < limit)
      return found
    },
  }
}
