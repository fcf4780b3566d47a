import { type Client, createClient } from '@copydesk/client'
import type { OperationContext } from '../operations/operation.ts'
import { exitCodes, Failure, wrongUsage } from '../shell/failure.ts'
import { teamClient } from '../team/client.ts'
import { type Environment, type Profile, profilesFile, readProfiles } from './profiles.ts'
import { tokenOf } from './session.ts'

/** A connection to a server with one user's credential. */
export interface Connection {
  /** Name of the profile; `environment` when the variables of the environment are used. */
  name: string
  /** Address of the server, without a path. */
  url: string
  context: OperationContext
  /** Sends requests to any surface, for every kind of user. */
  client: Client
  /** The user, when known from the login. */
  email?: string
  /** Default tenant of commands that accept one. */
  tenantId?: string
  /** Server and user, as a short text for messages. */
  describe(): string
  /** Sends any request to the server with the credential. @param path with its leading slash */
  request(path: string, init?: RequestInit): Promise<Response>
}

export interface ConnectionRequest {
  /** Value of `--profile`. */
  profile?: string | undefined
  env: Environment
  warn?: (message: string) => void
  /** Called for every request that could not reach the server. */
  onUnreachable?: (failure: Failure) => void
  now?: () => number
}

interface Chosen {
  name: string
  url: string
  apiKey?: string
  profile?: Profile
}

/**
 * The connection from the first of these that is set: `--profile`, `COPYDESK_PROFILE`, `COPYDESK_URL` with
 * `COPYDESK_API_KEY`, the profile in use. `COPYDESK_URL` together with a profile changes its address only
 * when the host is the one that the credential was saved for: a key is sent nowhere else, unless it comes
 * from the environment.
 * @throws Failure when there is no login
 */
export async function connect({
  env,
  warn,
  onUnreachable,
  now = Date.now,
  ...wanted
}: ConnectionRequest): Promise<Connection> {
  const file = profilesFile(env)
  const { name, url, apiKey, profile } = choose(
    env,
    wanted.profile || env['COPYDESK_PROFILE'],
    await readProfiles(file, warn),
  )
  const fetch = reaching(url, onUnreachable)
  const key = apiKey ?? profile?.apiKey
  const token =
    key === undefined && profile?.session
      ? tokenOf({ file, name, url, fetch }, profile.session, now)
      : undefined
  const client: Client = createClient({
    baseUrl: url,
    fetch,
    ...(key !== undefined && { apiKey: key }),
    ...(token && { token }),
  })
  const known = apiKey === undefined ? profile?.user : undefined
  const tenant = key === undefined ? profile?.tenant : undefined
  const who = known ? `${known.name} (${name})` : 'the API key of the environment'
  return {
    name,
    url,
    client,
    context: deskAt({ client, now }, known, tenant),
    ...(known && { email: known.email }),
    ...(profile?.tenantId !== undefined && { tenantId: profile.tenantId }),
    describe: () => `${who} at ${url}`,
    async request(path, init = {}) {
      const headers = new Headers(init.headers)
      const credential = key === undefined ? token && `Bearer ${await token()}` : `ApiKey ${key}`
      if (credential) headers.set('authorization', credential)
      return fetch(url + path, { ...init, headers })
    },
  }
}

/** The context of staff, or that of an admin or a member of a tenant. */
function deskAt(
  { client, now }: Pick<OperationContext, 'client' | 'now'>,
  user: Profile['user'] | undefined,
  tenant: Profile['tenant'],
): OperationContext {
  if (!tenant) return { client, now, ...(user && { staffRole: user.role }) }
  const audience = user?.role === 'admin' ? 'admin' : 'member'
  return { client: teamClient(client, tenant), now, audience, tenant }
}

function choose(
  env: Environment,
  named: string | undefined,
  { current, profiles }: Awaited<ReturnType<typeof readProfiles>>,
): Chosen {
  const given = env['COPYDESK_URL'] ? serverUrl(env['COPYDESK_URL'], 'COPYDESK_URL') : undefined
  const apiKey = env['COPYDESK_API_KEY'] || undefined
  if (!named && given !== undefined && apiKey !== undefined)
    return { name: 'environment', url: given, apiKey }
  const name = named || current
  const profile = name === undefined ? undefined : profiles[name]
  if (named && !profile)
    throw wrongUsage(`There is no profile ${named}. \`copydesk profile list\` shows all profiles.`)
  if (name === undefined || !profile) {
    throw new Failure(
      given !== undefined
        ? `There is no login for ${given}. Run \`copydesk login ${given}\`, or set COPYDESK_API_KEY.`
        : 'You are not logged in. Run `copydesk login https://your.server`, or set COPYDESK_URL and COPYDESK_API_KEY. `copydesk up` starts a server on this machine, and `copydesk --help` shows the rest.',
      { exitCode: exitCodes.forbidden },
    )
  }
  const isElsewhere = given !== undefined && new URL(given).origin !== new URL(profile.url).origin
  if (isElsewhere && apiKey === undefined) {
    throw new Failure(
      `COPYDESK_URL is ${given}, but the credential of the profile ${name} was saved for ${profile.url} and is sent nowhere else. Log in with \`copydesk login ${given}\`, or set COPYDESK_API_KEY.`,
      { exitCode: exitCodes.forbidden },
    )
  }
  // A profile named explicitly uses its saved key, except when that would be sent to another host.
  const useGiven = apiKey !== undefined && (!named || isElsewhere)
  return { name, url: given ?? profile.url, profile, ...(useGiven && { apiKey }) }
}

/** Normalizes the address of a server as it was typed. @throws Failure when it is not an address */
export function serverUrl(text: string, what: string): string {
  const whole = /^[a-z][\w+.-]*:\/\//i.test(text) ? text : `${isLoopback(text) ? 'http' : 'https'}://${text}`
  const url = URL.parse(whole)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw wrongUsage(`${what} must be the address of a server, such as https://copydesk.example.com`)
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/** Whether an address, with or without a scheme, belongs to this machine. */
export function isLoopback(text: string): boolean {
  return /^(?:https?:\/\/)?(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?:[:/]|$)/i.test(text)
}

/** A fetch whose errors say which server could not be reached, and why. */
export function reaching(url: string, onUnreachable?: (failure: Failure) => void): typeof globalThis.fetch {
  return async (input, init) => {
    try {
      return await globalThis.fetch(input, init)
    } catch (error) {
      if (init?.signal?.aborted) throw error
      const failure = new Failure(`${url} cannot be reached: ${whyUnreachable(error)}.`, { cause: error })
      onUnreachable?.(failure)
      throw failure
    }
  }
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server is listening',
  ECONNRESET: 'the connection was cut',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its name cannot be resolved at the moment',
  ETIMEDOUT: 'it does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'it does not answer',
  UND_ERR_SOCKET: 'the connection was cut',
}

function whyUnreachable(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  const { code = '', message = '' } = cause as { code?: string; message?: string }
  return reasons[code] ?? (message.split('\n')[0] || 'the request failed')
}
