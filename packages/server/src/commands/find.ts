import type { Api } from '@copydesk/core'
import { Failure } from '@copydesk/terminal/failure'

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

/** The id of a tenant that is named by id, domain or its whole name. @throws Failure when none or several are meant */
export async function tenantId(api: Api, given: string): Promise<string> {
  if (id.test(given)) return given
  const wanted = given.trim().toLowerCase()
  const found = await everything((page) => api.tenants.list({ ...page, search: wanted }))
  const meant = found.filter(({ name, domain }) => domain === wanted || name.toLowerCase() === wanted)
  const [tenant] = meant
  if (!tenant) throw new Failure(`There is no tenant ${given}. \`copydesk tenant list\` shows them.`)
  if (meant.length > 1) throw new Failure(`Several tenants are called ${given}: name the one by its id.`)
  return tenant.id
}
