import { type Client, createClient, type Reply } from '@copydesk/client'
import { Failure } from '../shell/failure.ts'
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

export type App = 'dm-portal' | 'manage'

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
  { tenant, ...given }: { email: string; password: string; app: App; tenant?: string | undefined },
): Promise<{ profile: Profile; arrival: Arrival }> {
  const fetch = reaching(url)
  const session = await createClient({ baseUrl: url, fetch }).call('auth', 'POST /login', { body: given })
  const { accessToken, refreshToken, user } = session
  const client = createClient({ baseUrl: url, fetch, token: accessToken })
  try {
    const { tenantId, ...arrival } = await arrive(client, user, tenant)
    const who = { user: arrival.user, ...(tenantId !== undefined && { tenantId }) }
    return { profile: { url, session: { accessToken, refreshToken }, ...who }, arrival }
  } catch (error) {
    await client.call('auth', 'POST /logout').catch(() => undefined)
    throw error
  }
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
    const tenantId = profile.tenantId ?? (before?.url === profile.url ? before.tenantId : undefined)
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
