import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createCopydesk } from '@copydesk/core'
import { expect } from 'vitest'
import { entities } from '../../packages/core/src/composition/entities.ts'
import { migrations } from '../../packages/core/src/composition/migrations/migrations.ts'
import { silentLogger } from '../../packages/core/src/platform/logger.ts'
import { temporaryFolder } from '../cli/process.ts'
import { adminOf, password } from '../kit/app.ts'
import { bundled } from '../kit/bundled.ts'
import { openTestDatabase } from '../kit/database.ts'
import { createOAuthServer, type OAuthServer, redirectUrl } from '../kit/oauth-server.ts'
import { createWordPressServer } from '../kit/wordpress-server.ts'
import { adminOfTenant, keysOfChaos, seedTenants } from './seed.ts'
import type { TokenUserSays, TokenUserTask } from './token-user.ts'

/** What a channel's row says about its tokens. */
interface TokenRow {
  status: string
  refreshing_by: string | null
  refreshing_until: unknown
}

/** A process of its own that uses the channel's token. */
interface TokenUser {
  /** Resolves once it has begun. @returns what becomes of it: undefined, or why it could not use the token */
  begin(): Promise<{ ended: Promise<string | undefined> }>
  kill(): Promise<void>
}

/** Several processes with one database, and in it one channel whose refresh tokens are good for one use each. */
export interface TokenDesk extends AsyncDisposable {
  provider: OAuthServer
  users: TokenUser[]
  startUser(): Promise<TokenUser>
  /** Connects the channel, or connects it again: the tokens are new ones. */
  connect(): Promise<void>
  /** The newest access token: the only one that the platform takes. */
  newest(): string | undefined
  /** Access tokens that the platform was given, in order. */
  given: string[]
  /** Refresh tokens that the provider was given, in order, and when each came in. */
  asked: { refreshToken: string; at: number }[]
  /** Lets the time of the access token end, in the past. */
  endToken(): Promise<void>
  /** The lease of the one who renews ends at an instant. */
  endLease(at: Date): Promise<void>
  row(): Promise<TokenRow | undefined>
  /** How often the channel was disconnected, and how many notices were written about it. */
  farewells(): Promise<{ audits: number; notices: number }>
}

/** @param count of processes */
export async function openTokenDesk(count: number): Promise<TokenDesk> {
  await using stack = new AsyncDisposableStack()
  const provider = stack.use(await createOAuthServer())
  const site = stack.use(await createWordPressServer())
  const { db, url } = stack.use(await openTestDatabase({ entities, migrations }))
  const channels = {
    ...provider.channels,
    cms_site: { ...provider.channels.cms_site, baseUrl: site.url },
  }
  const place = { database: url, dataDir: stack.use(temporaryFolder()).path, baseUrl: 'http://127.0.0.1:1' }
  const [tenant] = await seedTenants({ ...place, more: { channels } }, 1)
  if (!tenant) throw new Error('there is no tenant')
  const options = { ...keysOfChaos, ...place, channels, worker: false as const }
  const copydesk = await createCopydesk({ ...options, log: silentLogger })
  stack.defer(() => copydesk.stop())
  const admin = adminOfTenant(copydesk, tenant)
  // Who causes something is not told about it: the processes work for one admin, and this is the other.
  const { tenantId } = tenant
  const other = { email: 'other@chaos.example', name: 'Grace', password, tenantId }
  await copydesk.asSystem().users.create({ ...other, role: 'admin' })

  const given: string[] = []
  const asked: TokenDesk['asked'] = []
  const newest = () => provider.issued.findLast((token) => token.startsWith('access-'))
  site.accepts = (token) => {
    given.push(token)
    return token === newest()
  }
  provider.arrived = (form) => {
    const refreshToken = form.get('refresh_token')
    if (refreshToken !== null) asked.push({ refreshToken, at: Date.now() })
  }
  const consents = async () => {
    const { authUrl } = await admin.call('dashboard.channels.connect', {
      params: { platform: 'cms_site' },
      body: { redirectUrl },
    })
    const { headers } = await copydesk.fetch(new Request(await provider.consent(authUrl)))
    return new URL(headers.get('location') ?? redirectUrl).searchParams.get('status') === 'connected'
  }
  // A provider is waited for some seconds, in which a busy machine may not even have loaded what speaks to it.
  const connect = async () => {
    while (!(await consents()));
  }
  await connect()
  const { data } = await admin.call('dashboard.channels.list', {})
  const channelId = data[0]?.id ?? ''
  const change = async (column: string, at: Date) => {
    const text = `update channel_connections set ${column} = ? where id = ?`
    await db.write((tx) => tx.run(text, [at, channelId]))
  }
  const number = async (from: string) =>
    Number((await db.sql.get<{ n: number }>(`select count(*) as n from ${from}`))?.n)
  const use: TokenUserTask = { options, principal: adminOf(tenant), channelId }
  const startUser = async () =>
    toTokenUser(fork(await bundled('token-user'), [JSON.stringify(use)], { execArgv: [] }))
  const users = await Promise.all(Array.from({ length: count }, startUser))
  stack.defer(() => Promise.all(users.map((user) => user.kill())).then(() => undefined))
  const endToken = () => change('expires_at', new Date(Date.now() - 1_000))
  // Each renews once, so that all have loaded what they need for it, and meet closely from now on.
  for (const user of users)
    do await endToken()
    while ((await (await user.begin()).ended) !== undefined)
  const owned = stack.move()
  return {
    provider,
    users,
    startUser,
    connect,
    newest,
    given,
    asked,
    endToken,
    endLease: (at) => change('refreshing_until', at),
    row: () =>
      db.sql.get<TokenRow>(
        'select status, refreshing_by, refreshing_until from channel_connections where id = ?',
        [channelId],
      ),
    farewells: async () => ({
      audits: await number(`audit_records where action = 'channel.expired'`),
      notices: await number(`notifications where title = 'Connect Website again'`),
    }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Resolves when it is there. */
async function toTokenUser(child: ChildProcess): Promise<TokenUser> {
  await said(child, 'ready')
  return {
    async begin() {
      const ended = said(child, 'ended').then((words) => ('error' in words ? words.error : undefined))
      const begun = said(child, 'begun')
      child.send('go')
      await begun
      return { ended }
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}

/** Resolves with what a process says of a kind, or as one that died says nothing more. */
function said(child: ChildProcess, kind: TokenUserSays['said']): Promise<TokenUserSays> {
  return new Promise((resolve) => {
    const stop = (words: TokenUserSays) => {
      child.off('message', hear).off('exit', die)
      resolve(words)
    }
    const hear = (words: TokenUserSays) => void (words.said === kind && stop(words))
    const die = () => stop({ said: 'ended', error: 'it died' })
    child.on('message', hear).on('exit', die)
  })
}

/** Resolves once the provider was given so many refresh tokens. */
export const untilAsked = ({ asked }: TokenDesk, times: number) =>
  expect.poll(() => asked.length, { timeout: 60_000, interval: 5 }).toBe(times)
