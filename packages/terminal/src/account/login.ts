import { ApiError, type Client, createClient, type Reply } from '@copydesk/client'
import { exitCodes, Failure } from '../shell/failure.ts'
import { reaching } from './connection.ts'
import { ownTenantId } from './own-tenant.ts'
import { changeProfiles, type Profile } from './profiles.ts'

/** A user at a server, and the tenants that the user can access. */
export interface Arrival {
  user: Profile['user']
  tenants: Array<{ id: string; name: string }>
  /** Whether the user has more tenants than those. */
  hasMore: boolean
}

export type StaffApp = 'dm-portal' | 'manage' | 'dashboard'

/**
 * A profile with an API key, verified at the server, and its tenant. @throws ApiError when the server rejects
 * the key
 */
export async function profileByKey(
  url: string,
  { apiKey, tenant }: { apiKey: string; tenant?: string | undefined },
): Promise<{ profile: Profile; arrival: Arrival }> {
  const client = createClient({ baseUrl: url, fetch: reaching(url), apiKey })
  const { tenantId, ...arrival } = await arrive(client, await client.call('cli', 'GET /me'), tenant)
  const profile = { url, apiKey, user: arrival.user, ...(tenantId !== undefined && { tenantId }) }
  return { profile, arrival }
}

/**
 * A profile with a session, opened with a password and ended by `logout`. @throws ApiError when the server
 * rejects the login
 */
export async function profileByPassword(
  url: string,
  { tenant, ...given }: Credentials & { app?: StaffApp | undefined; tenant?: string | undefined },
): Promise<{ profile: Profile; arrival: Arrival }> {
  const fetch = reaching(url)
  const { accessToken, refreshToken, user } = await openSession(url, given)
  const client = createClient({ baseUrl: url, fetch, token: accessToken })
  try {
    const own = tenantOf(user)
    if (own) {
      const isOwn = (named: string) => [own.id, own.name].some((word) => word.toLowerCase() === named)
      if (tenant !== undefined && !isOwn(tenant.trim().toLowerCase()))
        throw new Failure(`${user.email} belongs only to the tenant ${own.name}.`, {
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

/** Opens a session for the named app, or for the app of the account: tenants' users have the dashboard. */
async function openSession(
  url: string,
  { app, ...given }: Credentials & { app?: StaffApp | undefined },
): Promise<Opened> {
  const fetch = reaching(url)
  const logIn = (wanted: StaffApp) =>
    createClient({ baseUrl: url, fetch }).call('auth', 'POST /login', { body: { ...given, app: wanted } })
  if (app !== undefined) return logIn(app)
  const first = await logIn('dm-portal').catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 403) return error
    throw error
  })
  // An admin of a tenant may also be a reviewer; the context is the tenant's all the same.
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
  // Rejected for a tenant to which the user has no access.
  if (tenantId !== undefined) await client.call('cli', 'GET /agents', { query: { tenantId } })
  const { data, pagination } = await client.call('cli', 'GET /tenants', { query: { limit: 20 } })
  return {
    user: { name, email, role },
    tenants: data.map((tenant) => ({ id: tenant.id, name: tenant.name })),
    hasMore: pagination.nextCursor !== null,
    ...(tenantId !== undefined && { tenantId }),
  }
}

/** Saves a profile under a name and uses it from now on. */
export function saveProfile(file: string, name: string, profile: Profile): Promise<void> {
  return changeProfiles(file, (all) => {
    const before = all.profiles[name]
    const kept = before?.url === profile.url && !profile.tenant ? before.tenantId : undefined
    const tenantId = profile.tenantId ?? kept
    all.profiles[name] = { ...profile, ...(tenantId !== undefined && { tenantId }) }
    all.current = name
  })
}

/**
 * Deletes a profile and ends its session at the server.
 * @returns the profile, and whether the server could be reached
 * @throws Failure when there is no such profile
 */
export async function forgetProfile(
  file: string,
  name: string,
): Promise<{ profile: Profile; isEnded: boolean }> {
  const profile = await changeProfiles(file, (all) => {
    const found = all.profiles[name]
    if (!found)
      throw new Failure(`There is no profile ${name}. \`copydesk profile list\` shows all profiles.`)
    delete all.profiles[name]
    if (all.current === name) delete all.current
    return found
  })
  if (!profile.session) return { profile, isEnded: false }
  const { url, session } = profile
  const isEnded = await endSession(url, session.accessToken, session.refreshToken)
  return { profile, isEnded }
}

/** Ends a session at its server, with a new access token when the old one has expired. */
async function endSession(url: string, accessToken: string, refreshToken: string): Promise<boolean> {
  const fetch = reaching(url)
  const logOut = (token: string) => createClient({ baseUrl: url, fetch, token }).call('auth', 'POST /logout')
  try {
    await logOut(accessToken)
    return true
  } catch {
    // The access token may have expired before the session.
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
