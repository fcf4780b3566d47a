import type { Command } from 'commander'
import { connect, isLoopback, serverUrl } from '../account/connection.ts'
import { forgetProfile, profileByKey, profileByPassword, saveProfile } from '../account/login.ts'
import { ownTenantId } from '../account/own-tenant.ts'
import { changeProfiles, type Profile, profilesFile, readProfiles } from '../account/profiles.ts'
import type { LoginOptions } from './account-commands.ts'
import { Failure, wrongUsage } from './failure.ts'
import type { CliOutput } from './output.ts'
import { askLine, askSecret, canAsk, secretFromStdin } from './prompts.ts'
import { outputOf } from './session.ts'
import { table } from './table.ts'

const localServer = 'http://127.0.0.1:8420'

const chosenName = (command: Command) => command.optsWithGlobals<{ profile?: string }>().profile

/** Logs in, verifies the credential at the server, and only then saves the profile. */
export async function logIn(
  given: string | undefined,
  options: LoginOptions,
  command: Command,
): Promise<void> {
  const output = outputOf(command)
  const file = profilesFile(process.env)
  const { current, profiles } = await readProfiles(file, output.warn)
  const named = chosenName(command)
  const known = profiles[named ?? current ?? '']?.url
  const url = serverUrl(given ?? process.env['COPYDESK_URL'] ?? known ?? localServer, 'The address')
  if (named !== undefined && !/^[\w.-]{1,64}$/.test(named))
    throw wrongUsage('The name of a profile has letters, digits, dots and dashes only.')
  if (url.startsWith('http:') && !isLoopback(url))
    output.warn(`${url} is not encrypted: others on the network can read what you send.`)
  const { profile, arrival } = await credentialFor(url, options)
  const name = named ?? nameFor(url)
  await saveProfile(file, name, profile)
  const { user, tenants, hasMore } = arrival
  output.data({ profile: name, url, user, tenants, hasMore }, () =>
    [
      `${user.name} <${user.email}>, ${user.role}, at ${url}`,
      ...(tenants.length > 0
        ? [
            table(
              ['TENANT', 'ID'],
              tenants.map((one) => [one.name, one.id]),
              [0],
            ),
          ]
        : []),
      ...(hasMore ? ['and more: `copydesk tenants` shows all'] : []),
    ].join('\n'),
  )
  output.done(`Logged in; saved as the profile ${name}, which is in use from now on.`)
  if (process.env['COPYDESK_URL'] && process.env['COPYDESK_API_KEY'])
    output.warn('COPYDESK_URL and COPYDESK_API_KEY are set: they take precedence over the profile in use.')
}

async function credentialFor(url: string, { apiKeyStdin, email, passwordStdin, app, tenant }: LoginOptions) {
  if (apiKeyStdin) return profileByKey(url, { apiKey: await secretFromStdin('API key'), tenant })
  if (email !== undefined && passwordStdin)
    return profileByPassword(url, { email, password: await secretFromStdin('password'), app, tenant })
  if (!canAsk())
    throw wrongUsage(
      'Cannot ask for the API key without a terminal: pass it with --api-key-stdin, or use --email with --password-stdin.',
    )
  const key = email === undefined ? await askSecret('API key (empty: e-mail and password)') : ''
  if (key) return profileByKey(url, { apiKey: key, tenant })
  const who = key === undefined ? undefined : (email ?? (await askLine('E-mail')))
  const secret = who && (await askSecret('Password'))
  if (!who || !secret) throw wrongUsage('You are not logged in.')
  return profileByPassword(url, { email: who, password: secret, app, tenant })
}

/** The default profile name is the name of the host. */
function nameFor(url: string): string {
  return isLoopback(url) ? 'local' : new URL(url).hostname
}

export async function logOut(given: string | undefined, command: Command): Promise<void> {
  const output = outputOf(command)
  const file = profilesFile(process.env)
  const { current } = await readProfiles(file, output.warn)
  const name = given ?? chosenName(command) ?? process.env['COPYDESK_PROFILE'] ?? current
  if (!name) throw new Failure('You are not logged in.')
  const { profile, isEnded } = await forgetProfile(file, name)
  output.data(
    { profile: name, url: profile.url, sessionEnded: isEnded },
    () => `The profile ${name} is deleted.`,
  )
  if (profile.apiKey)
    output.info('Its API key works until it is revoked: `copydesk api-key revoke` on the server.')
  else if (!isEnded)
    output.warn(`${profile.url} could not be reached: the session there ends when it expires.`)
}

/** The visible part of a profile: never its secrets. */
function shown(name: string, { url, user, tenantId, tenant, apiKey }: Profile, current: string | undefined) {
  const credential = apiKey ? `API key …${apiKey.slice(-4)}` : 'session'
  return { name, url, user, credential, tenantId: tenant?.id ?? tenantId ?? null, inUse: name === current }
}

export async function listProfiles(command: Command): Promise<void> {
  const output = outputOf(command)
  const { current, profiles } = await readProfiles(profilesFile(process.env), output.warn)
  const rows = Object.entries(profiles).map(([name, profile]) => shown(name, profile, current))
  output.data(rows, () =>
    rows.length === 0
      ? 'There is no profile: `copydesk login` creates one.'
      : table(
          ['', 'NAME', 'SERVER', 'WHO', 'CREDENTIAL'],
          rows.map((row) => [row.inUse ? '*' : '', row.name, row.url, row.user.name, row.credential]),
          [2, 3],
        ),
  )
}

export async function applyProfile(
  name: string,
  tenant: string | undefined,
  command: Command,
): Promise<void> {
  const output = outputOf(command)
  const file = profilesFile(process.env)
  const isNarrowed = tenant !== undefined && tenant !== 'all'
  const tenantId = isNarrowed ? await tenantAt(name, tenant, output) : undefined
  const profile = await changeProfiles(file, (all) => {
    const found = all.profiles[name]
    if (!found) throw unknownProfile(name)
    all.current = name
    if (tenant === 'all') delete found.tenantId
    else if (tenantId !== undefined && found.tenant && found.tenant.id !== tenantId)
      throw wrongUsage(`${name} is a login for ${found.tenant.name} and for no other tenant.`)
    else if (tenantId !== undefined) found.tenantId = tenantId
    return found
  })
  output.data(shown(name, profile, name), () => `${name} is in use: ${profile.user.name} at ${profile.url}.`)
}

/** The id of a tenant at the server of a profile, ignoring the server of the environment. */
async function tenantAt(profile: string, tenant: string, { warn }: CliOutput): Promise<string> {
  const env = { ...process.env, COPYDESK_URL: undefined, COPYDESK_API_KEY: undefined }
  const { context } = await connect({ profile, env, warn })
  return ownTenantId(context.client, tenant)
}

export async function showProfile(given: string | undefined, command: Command): Promise<void> {
  const output = outputOf(command)
  const { current, profiles } = await readProfiles(profilesFile(process.env), output.warn)
  const name = given ?? chosenName(command) ?? process.env['COPYDESK_PROFILE'] ?? current
  const profile = name === undefined ? undefined : profiles[name]
  if (name === undefined || !profile) throw unknownProfile(name ?? 'in use')
  const { url, user, credential, tenantId } = shown(name, profile, current)
  output.data(shown(name, profile, current), () =>
    [
      `profile     ${name}`,
      `server      ${url}`,
      `who         ${user.name} <${user.email}>, ${user.role}`,
      `credential  ${credential}`,
      `tenant      ${tenantId ?? 'all'}`,
    ].join('\n'),
  )
}

function unknownProfile(name: string): Failure {
  return wrongUsage(`There is no profile ${name}. \`copydesk profile list\` shows all profiles.`)
}
