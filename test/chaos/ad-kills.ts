import type { Copydesk, CopydeskOptions } from '@copydesk/core'
import { expect, onTestFinished } from 'vitest'
import { applyLeaseMs } from '../../packages/core/src/domain/delivery/ads/changes/policy.ts'
import type { Database } from '../../packages/core/src/platform/database/database.ts'
import type { TestDatabase } from '../kit/database.ts'
import { type OAuthServer, redirectUrl } from '../kit/oauth-server.ts'
import { endMember, newInstallation, startMember } from './fleet.ts'
import { randomFrom } from './random.ts'
import { adminOfTenant, type SeededTenant, seedTenants } from './seed.ts'

/** How many change sets, and how many kills among them; the long form is 500 with 100. */
export const setCount = Number(process.env['COPYDESK_CHANGE_SETS'] ?? 10)
export const killCount = Math.max(4, Math.round(setCount / 5))
/** As long as all of it may take: what comes before it is waited for, and a lease that a dying server has renewed, five minutes. */
export const killsLimitMs = 420_000 + setCount * 12_000
const patience = { timeout: killsLimitMs, interval: 100 }

/** Change sets that are applied while the server is killed again and again. */
interface Applying {
  database: Pick<TestDatabase, 'db' | 'url'>
  channels: NonNullable<CopydeskOptions['channels']>
  kills: number
  /** Among how many requests of turns each kill falls; default 5. */
  places?: number
  /** Takes campaigns over and approves sets for them, before any server is there to apply them. */
  prepare(copydesk: Copydesk, tenant: SeededTenant): Promise<void>
  /** Has a function called with each request that a turn sends, or none. */
  watch(arrived: (() => void) | undefined): void
  /** Has the answer to the next change lost, or the platform fail; `undefined` ends that. */
  lose(how: number | undefined): void
}

/**
 * Kills the server in the middle of turns, each time in another place of one, and lets another one end what is left.
 * @returns how many sets were being applied at each kill
 */
export async function applyUnderKills(applying: Applying): Promise<number[]> {
  const { database, channels, kills, places = 5, prepare, watch, lose } = applying
  const { db } = database
  const { installation, port } = await newInstallation(database.url, { channels })
  await seedTenants(installation, 1, prepare)
  const random = randomFrom(11)
  const interrupted: number[] = []
  while (interrupted.length < kills) {
    if (random() < 0.5) lose(Math.floor(random() * 4))
    const begun = Date.now()
    const server = await startMember('all', port, installation)
    onTestFinished(() => endMember(server, 'SIGKILL'))
    // A turn reads, changes and reads again: the kill falls into another place of one each time.
    let left = 1 + Math.floor(random() * places)
    let gone: Promise<void> | undefined
    watch(() => {
      if ((left -= 1) === 0) gone = endMember(server, 'SIGKILL')
    })
    await until(async () => {
      await passTime(db, false, begun)
      return gone !== undefined
    })
    await gone
    await lastWords(db)
    interrupted.push(await setsOf(db, `status = 'applying'`))
    await passTime(db, true)
  }
  watch(undefined)
  lose(undefined)
  const begun = Date.now()
  const last = await startMember('all', port, installation)
  onTestFinished(() => endMember(last, 'SIGKILL'))
  await until(async () => {
    await passTime(db, false, begun)
    return (await setsOf(db, 'next_at is not null')) === 0
  })
  return interrupted
}

/** Connects a channel by the consent of a person. @returns its id */
export async function connectAds(
  copydesk: Copydesk,
  provider: OAuthServer,
  tenant: SeededTenant,
  platform: 'search_ads' | 'social_ads' | 'professional_network',
): Promise<string> {
  const admin = adminOfTenant(copydesk, tenant)
  const { authUrl } = await admin.call('dashboard.channels.connect', {
    params: { platform },
    body: { redirectUrl },
  })
  await copydesk.fetch(new Request(await provider.consent(authUrl)))
  const { data } = await admin.call('dashboard.channels.list', {})
  return data[0]?.id ?? ''
}

/** What has become of all sets. */
export async function endsOf({ sql }: Database): Promise<Array<[status: string, error: string | null]>> {
  const sets = await sql.all<{ status: string; error: string | null }>(
    'select status, error from ad_change_sets',
  )
  return sets.map(({ status, error }) => [status, error])
}

/** What a killed server had sent may still be carried out by PostgreSQL, a lease among it. */
async function lastWords({ sql, dialect }: Database): Promise<void> {
  if (dialect === 'sqlite') return
  await until(async () => {
    const row = await sql.get<{ n: number }>(
      `select count(*) as n from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
    )
    return Number(row?.n) === 0
  })
}

const setsOf = async ({ sql }: Database, condition: string): Promise<number> =>
  Number((await sql.get<{ n: number }>(`select count(*) as n from ad_change_sets where ${condition}`))?.n)

/**
 * Waits end at once, as if an hour had passed.
 * @param isDead nobody is at work, so that leases end too
 * @param begun when the server that is at work was started, milliseconds: leases of servers before it end as well
 */
async function passTime(db: Database, isDead: boolean, begun = 0): Promise<void> {
  const past = new Date(Date.now() - 1_000)
  const ofOthers = new Date(begun + applyLeaseMs)
  await db.write(async (tx) => {
    // The jobs first: one that is added in between would be due before its set is, find nothing to do, and be gone.
    await tx.run(`update job set run_at = ? where kind = 'ads.apply' and status = 'waiting' and run_at > ?`, [
      past,
      past,
    ])
    await tx.run(
      `update ad_change_sets set next_at = ? where next_at > ?${isDead ? '' : ` and (status <> 'applying' or lease_until <= ?)`}`,
      [past, past, ...(isDead ? [] : [ofOthers])],
    )
    if (isDead) await tx.run(`update job set lease_until = ? where status = 'running'`, [past])
  })
}

/** Asks until it is so. */
const until = (done: () => Promise<boolean>) => expect.poll(done, patience).toBe(true)
