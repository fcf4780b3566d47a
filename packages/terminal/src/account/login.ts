import { ApiError, type Client, createClient, type Reply } from '@copydesk/client'
import { exitCodes, Failure } from '../shell/failure.ts'
import { reaching } from './connection.ts'
import { ownTenantId } from './own-tenant.ts'
import { changeProfiles, type Profile } from './profiles.ts'

/** Who somebody is at a server, and for whom they work. */
export interface Arrival {
  user: Profile['user']
  tenants: Array<{ id: string; name: string }>
  /** Whether there are more tenants than those. */
  hasMore: boolean
}

export type App = 'dm-portal' | 'manage' | 'dashboard'

/** A profile that an API key gives, checked against the server, and its tenant. @throws ApiError when the server refuses it */
export async function profileByKey(
  url: string,
  { apiKey, tenant }: { apiKey: string; tenant?: string | undefined },
): Promise<{ profile: Profile; arrival: Arrival }> {
  const client = createClient({ baseUrl: url, fetch: reaching(url), apiKey })
  const { tenantId, ...arrival } = await arrive(client, await client.call('cli', 'GET /me'), tenant)
  const profile = { url, apiKey, user: arrival.user, ...(tenantId !== undefined && { tenantId }) }
  return { profile, arrival }
}

/** A profile that a password gives: a session of its own, which logging out ends. @throws ApiError when the server refuses it */
export async function profileByPassword(
  url: string,
  { tenant, ...given }: Credentials & { app?: App | undefined; tenant?: string | undefined },
): Promise<{ profile: Profile; arrival: Arrival }> {
  const fetch = reaching(url)
  const { accessToken, refreshToken, user } = await openSession(url, given)
  const client = createClient({ baseUrl: url, fetch, token: accessToken })
  try {
    const own = tenantOf(user)
    if (own) {
      const isOwn = (named: string) => [own.id, own.name].some((word) => word.toLowerCase() === named)
      if (tenant !== undefined && !isOwn(tenant.trim().toLowerCase()))
        throw new Failure(`${user.email} belongs to ${own.name} and to no other tenant.`, {
          exitCode: exitCodes.forbidden,
        })
      const { name, email, role } = user
      const arrival = { user: { name, email, role }, tenants: [own], hasMore: false }
      const session = { accessToken, refreshToken }
      return { profile: { url, session, user: arrival.user, tenant: own }, arrival }
    }
    const { tenantId, ...arrival } = await arrive(client, user, tenant)
    const who = { user: arrival.user, ...(tenantId !== undefined && { tenantId }) }
    return { profile: { url, session: { accessToken, refreshToken }, ...who }, arrival }
  } catch (error) {
    await client.call('auth', 'POST /logout').catch(() => undefined)
    throw error
  }
}

interface Credentials {
  email: string
  password: string
}

type Opened = Reply<'auth', 'POST /login'>

/** Opens a session for the app that is named, or for the one that the account is for: the dashboard is that of tenants. */
async function openSession(
  url: string,
  { app, ...given }: Credentials & { app?: App | undefined },
): Promise<Opened> {
  const fetch = reaching(url)
  const logIn = (wanted: App) =>
    createClient({ baseUrl: url, fetch }).call('auth', 'POST /login', { body: { ...given, app: wanted } })
  if (app !== undefined) return logIn(app)
  const first = await logIn('dm-portal').catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 403) return error
    throw error
  })
  // Some admins review for their tenant as well; their desk is that of the tenant all the same.
  if (!(first instanceof ApiError) && !tenantOf(first.user)) return first
  const second = await logIn('dashboard').catch((error: unknown) => {
    throw first instanceof ApiError ? first : error
  })
  if (!(first instanceof ApiError))
    await createClient({ baseUrl: url, fetch, token: first.accessToken })
      .call('auth', 'POST /logout')
      .catch(() => undefined)
  return second
}

/** The tenant of an admin or a member; undefined for staff. */
function tenantOf({ role, tenantId, tenantName }: Opened['user']): Profile['tenant'] {
  if ((role !== 'admin' && role !== 'member') || tenantId === undefined) return undefined
  return { id: tenantId, name: tenantName ?? tenantId }
}

async function arrive(
  client: Client,
  { name, email, role }: Pick<Reply<'cli', 'GET /me'>, 'name' | 'email' | 'role'>,
  tenant: string | undefined,
): Promise<Arrival & { tenantId?: string }> {
  const tenantId = tenant === undefined ? undefined : await ownTenantId(client, tenant)
  // Refused for a tenant that one does not look after.
  if (tenantId !== undefined) await client.call('cli', 'GET /agents', { query: { tenantId } })
  const { data, pagination } = await client.call('cli', 'GET /tenants', { query: { limit: 20 } })
  return {
    user: { name, email, role },
    tenants: data.map((tenant) => ({ id: tenant.id, name: tenant.name })),
    hasMore: pagination.nextCursor !== null,
    ...(tenantId !== undefined && { tenantId }),
  }
}

/** Keeps a profile under a name and uses it from now on. */
export function keepProfile(file: string, name: string, profile: Profile): Promise<void> {
  return changeProfiles(file, (all) => {
    const before = all.profiles[name]
    const kept = before?.url === profile.url && !profile.tenant ? before.tenantId : undefined
    const tenantId = profile.tenantId ?? kept
    all.profiles[name] = { ...profile, ...(tenantId !== undefined && { tenantId }) }
    all.current = name
  })
}

/**
 * Forgets a profile; a session ends at the server as well.
 * @returns the profile, and whether the server was told
 * @throws Failure when there is no such profile
 */
export async function forgetProfile(
  file: string,
  name: string,
): Promise<{ profile: Profile; isEnded: boolean }> {
  const profile = await changeProfiles(file, (all) => {
    const found = all.profiles[name]
    if (!found)
      throw new Failure(`There is no profile ${name}. \`copydesk profile list\` shows what there is.`)
    delete all.profiles[name]
    if (all.current === name) delete all.current
    return found
  })
  if (!profile.session) return { profile, isEnded: false }
  const { url, session } = profile
  const isEnded = await endSession(url, session.accessToken, session.refreshToken)
  return { profile, isEnded }
}

/** Ends a session at its server, with a new access token where the old one has ended. */
async function endSession(url: string, accessToken: string, refreshToken: string): Promise<boolean> {
  const fetch = reaching(url)
  const logOut = (token: string) => createClient({ baseUrl: url, fetch, token }).call('auth', 'POST /logout')
  try {
    await logOut(accessToken)
    return true
  } catch {
    // The access token may have ended before the session.
  }
  try {
    const renewed = await createClient({ baseUrl: url, fetch }).call('auth', 'POST /refresh', {
      body: { refreshToken },
    })
    await logOut(renewed.accessToken)
    return true
  } catch {
    return false
  }
}
