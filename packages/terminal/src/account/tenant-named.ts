import { Failure, wrongUsage } from '../shell/failure.ts'

/** A tenant with all that it can be named by. */
export interface NamedTenant {
  id: string
  name: string
  domain: string | null
}

/** Where tenants are looked up: the server of staff, or the database of this machine. */
export interface TenantRegister {
  /** Those that the caller reaches whose name or domain is like `search`, typing errors forgiven; without it any. */
  find(query: { search?: string; limit: number }): Promise<readonly NamedTenant[]>
  /** The command that lists them, for messages. */
  listedBy: string
}

/** How `--tenant` is told in the help. */
export const tenantNaming = 'id, name or domain'

const id = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/i
const longest = 200
/** As many are looked through for the one whose whole name is meant. */
const mostAlike = 1_000
/** As many are told where none or several are meant. */
const mostTold = 5
/** Words of a name that nothing has are looked up one by one; so many of them. */
const mostWords = 4

/**
 * The id of the tenant that is named by id, whole name or domain, in upper or lower case. An id is taken as it is: what it
 * stands for is the server's to say.
 * @throws Failure when nothing is named; when there is none, with the nearest; when several are called so, with all of them
 */
export async function tenantIdNamed(given: string, { find, listedBy }: TenantRegister): Promise<string> {
  const named = given.trim()
  if (named === '') throw wrongUsage(`No tenant is named: give its ${tenantNaming}.`)
  if (id.test(named)) return named.toUpperCase()
  if (named.length > longest) throw wrongUsage(`The name of a tenant has ${longest} letters at most.`)
  const wanted = fold(named)
  const alike = await find({ search: named, limit: mostAlike })
  const meant = alike.filter(({ name, domain }) => fold(name) === wanted || fold(domain ?? '') === wanted)
  const [tenant] = meant
  if (tenant && meant.length === 1) return tenant.id
  if (tenant)
    throw wrongUsage(`Several tenants are called ${named}: ${told(meant)}. Name the one by its id or domain.`)
  const nearest = alike.length > 0 ? alike : await likeAnyWord(named, find)
  const hint = nearest.length > 0 ? ` The nearest: ${told(nearest)}.` : ''
  throw new Failure(`There is no tenant ${named}.${hint} \`${listedBy}\` shows them.`)
}

/** The id of the only tenant that the caller reaches; undefined when there is none or another one. */
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
