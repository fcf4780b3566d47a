import { Failure, wrongUsage } from '../shell/failure.ts'

/** A tenant with everything by which it can be named. */
export interface NamedTenant {
  id: string
  name: string
  domain: string | null
}

/** Where tenants are looked up: the staff's server, or the database of this machine. */
export interface TenantRegister {
  /**
   * The caller's tenants whose name or domain resembles `search`, typing errors tolerated; without it any.
   */
  find(query: { search?: string; limit: number }): Promise<readonly NamedTenant[]>
  /** The command that lists them, for messages. */
  listedBy: string
}

/** Description of `--tenant` values in the help. */
export const tenantNaming = 'id, name or domain'

const id = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/i
const longest = 200
/** Maximum number of tenants that are compared with the full name. */
const mostAlike = 1_000
/** Maximum number of tenants in a message. */
const mostTold = 5
/** When no tenant matches the whole name, this many of its words are looked up separately. */
const mostWords = 4

/**
 * The id of a tenant by id, full name or domain, not case-sensitive. An id is not verified here: the server
 * does that.
 * @throws Failure when nothing is given; when there is no such tenant, with similar ones; when several match,
 * with all of them
 */
export async function tenantIdNamed(given: string, { find, listedBy }: TenantRegister): Promise<string> {
  const named = given.trim()
  if (named === '') throw wrongUsage(`No tenant is named: give its ${tenantNaming}.`)
  if (id.test(named)) return named.toUpperCase()
  if (named.length > longest) throw wrongUsage(`The name of a tenant has at most ${longest} characters.`)
  const wanted = fold(named)
  const alike = await find({ search: named, limit: mostAlike })
  const meant = alike.filter(({ name, domain }) => fold(name) === wanted || fold(domain ?? '') === wanted)
  const [tenant] = meant
  if (tenant && meant.length === 1) return tenant.id
  if (tenant)
    throw wrongUsage(`Several tenants are called ${named}: ${told(meant)}. Use the id or domain of one.`)
  const nearest = alike.length > 0 ? alike : await likeAnyWord(named, find)
  const hint = nearest.length > 0 ? ` Similar: ${told(nearest)}.` : ''
  throw new Failure(`There is no tenant ${named}.${hint} \`${listedBy}\` shows them.`)
}

/** The id of the caller's only tenant; undefined when there is none or another one. */
export async function onlyTenantId({ find }: TenantRegister): Promise<string | undefined> {
  const [only, another] = await find({ limit: 2 })
  return another ? undefined : only?.id
}

const fold = (text: string) => text.normalize('NFC').toLowerCase()

async function likeAnyWord(named: string, find: TenantRegister['find']): Promise<NamedTenant[]> {
  const words = named.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 2)
  const found = new Map<string, NamedTenant>()
  for (const search of words.slice(0, mostWords))
    for (const tenant of await find({ search, limit: mostTold })) found.set(tenant.id, tenant)
  return [...found.values()]
}

function told(tenants: readonly NamedTenant[]): string {
  const shown = tenants
    .slice(0, mostTold)
    .map(({ id: key, name, domain }) => `${name} (${domain === null ? '' : `${domain}, `}${key})`)
  const left = tenants.length - shown.length
  return shown.join(', ') + (left > 0 ? ` and ${left} more` : '')
}
