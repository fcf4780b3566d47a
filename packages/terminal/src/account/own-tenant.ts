import type { Client } from '@copydesk/client'
import { isRequired } from '../operations/invocation.ts'
import type { AnyOperation, Invocation, OperationBase, OperationContext } from '../operations/operation.ts'
import { type NamedTenant, onlyTenantId, type TenantRegister, tenantIdNamed } from './tenant-named.ts'

/** The id of one of the caller's tenants. @throws Failure when none or several match */
export function ownTenantId(client: Client, named: string): Promise<string> {
  return tenantIdNamed(named, registerOf(client))
}

/**
 * The input of an operation with the id of its tenant; when the operation needs a tenant and the input has
 * none, with the caller's only tenant.
 * @throws Failure when none or several match
 */
export async function withTenant(
  operation: OperationBase & Pick<AnyOperation, 'needsTenant'>,
  { client }: OperationContext,
  input: Invocation['input'],
): Promise<Invocation['input']> {
  const parameter = operation.params['tenant']
  if (!parameter) return input
  const { tenant } = input
  if (typeof tenant === 'string') return { ...input, tenant: await ownTenantId(client, tenant) }
  const isNeeded = isRequired(parameter) || operation.needsTenant?.(input)
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
