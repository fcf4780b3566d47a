import type { Api } from '@copydesk/core'
import { Failure, wrongUsage } from '@copydesk/terminal/failure'
import { onlyTenantId, tenantIdNamed, type TenantRegister } from '@copydesk/terminal/tenant-named'

interface Page<T> {
  data: T[]
  pagination: { nextCursor: string | null }
}

const pageSize = 100
const id = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/

/** Everything that a list holds, page by page, or the first `limit` of it. */
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

/** The id of a user who is named by id or e-mail address. @throws Failure when there is none */
export async function userId(api: Api, given: string): Promise<string> {
  if (id.test(given)) return given
  const email = given.trim().toLowerCase()
  const found = await everything((page) => api.users.list({ ...page, 'filter.search': email }))
  const user = found.find((one) => one.email === email)
  if (!user) throw new Failure(`There is no user ${given}. \`copydesk user list\` shows them.`)
  return user.id
}

/** The id of a tenant that is named by id, name or domain. @throws Failure when none or several are meant */
export function tenantId(api: Api, given: string): Promise<string> {
  return tenantIdNamed(given, registerOf(api))
}

/** The same of several. */
export async function tenantIds(api: Api, given: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const one of given) found.push(await tenantId(api, one))
  return found
}

/**
 * The same for a command that needs a tenant: where there is only one, it need not be named.
 * @param otherwise what is said where none is named and there are none or several
 */
export async function neededTenantId(
  api: Api,
  given: string | undefined,
  otherwise: string,
): Promise<string> {
  if (given !== undefined) return tenantId(api, given)
  const only = await onlyTenantId(registerOf(api))
  if (only === undefined) throw wrongUsage(otherwise)
  return only
}

function registerOf(api: Api): TenantRegister {
  return {
    listedBy: 'copydesk tenant list',
    find: ({ search, limit }) =>
      everything((page) => api.tenants.list({ ...page, ...(search !== undefined && { search }) }), limit),
  }
}
