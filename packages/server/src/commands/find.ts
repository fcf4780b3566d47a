import type { SystemApi } from '@copydesk/core'
import { Failure, wrongUsage } from '@copydesk/terminal/failure'
import { onlyTenantId, type TenantRegister, tenantIdNamed } from '@copydesk/terminal/tenant-named'

interface Page<T> {
  data: T[]
  pagination: { nextCursor: string | null }
}

const pageSize = 100
const id = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/

/** All items of a list, page by page, or the first `limit` of them. */
export async function everything<T>(
  list: (page: { limit: number; cursor?: string }) => Promise<Page<T>>,
  limit = Number.POSITIVE_INFINITY,
): Promise<T[]> {
  const found: T[] = []
  let cursor: string | null = null
  do {
    const size = Math.min(pageSize, limit - found.length)
    const next: Page<T> = await list({ limit: size, ...(cursor && { cursor }) })
    found.push(...next.data)
    cursor = next.pagination.nextCursor
  } while (cursor && found.length < limit)
  return found
}

/** The id of a user by id or e-mail address. @throws Failure when there is none */
export async function userId(api: SystemApi, given: string): Promise<string> {
  if (id.test(given)) return given
  const email = given.trim().toLowerCase()
  const found = await everything((page) => api.users.list({ ...page, 'filter.search': email }))
  const user = found.find((one) => one.email === email)
  if (!user) throw new Failure(`There is no user ${given}. \`copydesk user list\` shows them.`)
  return user.id
}

/** The id of a tenant by id, name or domain. @throws Failure when none or several match */
export function tenantId(api: SystemApi, given: string): Promise<string> {
  return tenantIdNamed(given, registerOf(api))
}

/** The ids of several tenants. */
export async function tenantIds(api: SystemApi, given: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const one of given) found.push(await tenantId(api, one))
  return found
}

/**
 * The id for a command that needs a tenant: when there is only one, it need not be named.
 * @param otherwise message when no tenant is named and there is not exactly one
 */
export async function neededTenantId(
  api: SystemApi,
  given: string | undefined,
  otherwise: string,
): Promise<string> {
  if (given !== undefined) return tenantId(api, given)
  const only = await onlyTenantId(registerOf(api))
  if (only === undefined) throw wrongUsage(otherwise)
  return only
}

function registerOf(api: SystemApi): TenantRegister {
  return {
    listedBy: 'copydesk tenant list',
    find: ({ search, limit }) =>
      everything((page) => api.tenants.list({ ...page, ...(search !== undefined && { search }) }), limit),
  }
}
