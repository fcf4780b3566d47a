import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '@copydesk/client'
import { expect, it, onTestFinished } from 'vitest'
import { startOwnServer } from '../../config/postgres.ts'
import type { OwnServer } from '../../config/postgres-server.ts'
import { freePort } from '../../config/postgres-server.ts'
import { entities } from '../../packages/core/src/composition/entities.ts'
import { migrations } from '../../packages/core/src/composition/migrations/migrations.ts'
import type { Database } from '../../packages/core/src/platform/database/database.ts'
import { brief } from '../kit/app.ts'
import { dialect, openTestDatabase } from '../kit/database.ts'
import { pricedModel } from '../kit/runtime.ts'
import { type Fleet, injectFault } from './fault-injection.ts'
import { endMember, type Member, startMember } from './fleet.ts'
import { follow } from './follower.ts'
import { brokenInvariants, brokenMoney, untoldEvents } from './invariants.ts'
import { ignoreCuts, retryFailed, reviewOnce } from './people.ts'
import { createProxy } from './proxy.ts'
import { chosenSeed, type Random, randomFrom } from './random.ts'
import { createMisfit } from './runtime.ts'
import { logIn, type SeededTenant, seedTenants } from './seed.ts'

const tenants = 5
/** `CHAOS_ROUNDS=50` for a long run with 200 pieces in each round; every round has a fleet and a database of its own. */
const long = process.env['CHAOS_ROUNDS'] !== undefined
const rounds = Number(process.env['CHAOS_ROUNDS'] ?? 1)
const piecesOfEach = long ? 40 : 8
const misfortunesOfRound = 12
const deliverables = [{ type: 'social_post' as const, quantity: piecesOfEach }]

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

it.runIf(dialect === 'postgresql')(
  `two web servers and two workers lose nothing of ${tenants * piecesOfEach} pieces and do nothing twice`,
  { timeout: rounds * 300_000 },
  async () => {
    const seed = chosenSeed()
    const server = await startOwnServer()
    if (server.url === undefined) throw new Error(`A database of its own is needed: ${server.reason}`)
    onTestFinished(() => server.stop())
    for (let round = 0; round < rounds; round += 1) {
      const { story, broken } = await play(server, randomFrom(seed + round))
      console.log(`round ${round}: ${story}`)
      expect(broken, `in round ${round}: ${story}`).toEqual([])
    }
  },
)

/** One fleet from its start to the end of its work. @returns what happened, and a sentence for each promise that is broken */
async function play(server: OwnServer, random: Random): Promise<{ story: string; broken: string[] }> {
  await using database = await openTestDatabase({ entities, migrations, server: server.url })
  const dataDir = await mkdtemp(join(tmpdir(), 'copydesk-chaos-'))
  await using stack = new AsyncDisposableStack()
  const members: Member[] = []
  stack.defer(async () => {
    for (const member of members) await endMember(member, 'SIGKILL')
    await rm(dataDir, { recursive: true, force: true })
  })
  const webs = () => members.filter(({ role, process }) => role === 'web' && process.exitCode === null)
  const direct = new URL(database.url)
  const databaseProxy = stack.use(await createProxy(() => Number(direct.port || 5432)))
  const webProxy = stack.use(await createProxy(() => webs()[Math.floor(Math.random() * webs().length)]?.port))
  const baseUrl = `http://127.0.0.1:${webProxy.port}`
  const misfit = stack.use(await createMisfit(() => baseUrl, random))
  const through = new URL(database.url)
  through.host = `127.0.0.1:${databaseProxy.port}`
  const installation = { database: through.href, dataDir, baseUrl }
  const accepted: string[] = []
  const seeded = await seedTenants(installation, tenants, async (copydesk, { tenantId, adminId }, index) => {
    const actor = { id: adminId, type: 'human', role: 'admin', appAccess: ['dashboard'], tenantId } as const
    const runtime = { webhookUrl: misfit.url, timeoutMs: 20_000 }
    const adapters = [
      { adapterType: 'adapter_b' as const, adapterConfig: runtime, model: pricedModel },
      { adapterType: 'adapter_a' as const, adapterConfig: { command: 'writer' } },
      { adapterType: 'local' as const },
    ]
    const { agents } = copydesk.asSystem({ tenantId })
    await agents.configure('social_writer', { concurrency: 10, ...adapters[index % adapters.length] })
    const body = { name: 'Spring', brief, deliverables }
    accepted.push((await copydesk.as(actor).call('dashboard.campaigns.create', { body })).id)
  })
  for (const role of ['web', 'web', 'worker', 'worker'] as const)
    members.push(await startMember(role, await freePort(), installation))
  const fleet: Fleet = { members, installation, databaseProxy, webProxy, databaseServer: server }
  const people = await Promise.all(seeded.map((tenant) => meet(baseUrl, tenant)))
  const followers = people.map(({ admin }) => follow(admin))

  const { db } = database
  let calm = false
  const reviewing = people.map(async ({ admin, reviewer }) => {
    while (!calm || (await isOpen(db))) {
      await ignoreCuts(reviewOnce(reviewer, random))
      await ignoreCuts(retryFailed(admin))
      await pause(300)
    }
  })
  // Who has heard something knows where to go on after a cut.
  while (followers.some(({ told }) => told.length === 0)) await pause(50)
  const happened: string[] = []
  while (happened.length < misfortunesOfRound) {
    await pause(100 + random() * 600)
    happened.push(await injectFault(fleet, random))
  }
  calm = true
  misfit.behave()
  const told = () => untoldEvents(db, seeded, followers)
  const over = new AbortController()
  stack.defer(() => over.abort())
  const stands = standstill(db, over.signal)
  const broken: string[] = []
  try {
    await Promise.race([Promise.all(reviewing), stands])
    await Promise.race([tellAll(told), stands])
  } catch (error) {
    broken.push((error as Error).message)
  }
  broken.push(...(await brokenInvariants(db, accepted, deliverables)), ...(await brokenMoney(db)))
  broken.push(...misfit.faults, ...(await told()).wrong)
  await Promise.all(followers.map((follower) => follower.stop()))
  return { story: `${happened.join(', ')}; ${JSON.stringify(Object.fromEntries(misfit.deeds))}`, broken }
}

async function tellAll(told: () => Promise<{ missing: number[] }>): Promise<void> {
  while ((await told()).missing.length > 0) await pause(100)
}

/** Rejects when for a minute no event was written. */
async function standstill({ sql }: Database, over: AbortSignal): Promise<void> {
  for (let last = -1, quiet = 0; quiet < 60 && !over.aborted; quiet += 1) {
    await pause(1_000)
    const row = await sql.get('select max(seq) as seq from event').catch(() => undefined)
    const seq = Number(row?.['seq'] ?? last)
    if (seq !== last) [last, quiet] = [seq, 0]
  }
  if (!over.aborted) throw new Error('work stands still')
}

async function meet(baseUrl: string, tenant: SeededTenant): Promise<{ admin: Client; reviewer: Client }> {
  return {
    admin: await logIn(baseUrl, tenant.admin, 'dashboard'),
    reviewer: await logIn(baseUrl, tenant.reviewer, 'dm-portal'),
  }
}

async function isOpen({ sql }: Database): Promise<boolean> {
  const found = await sql
    .all(
      `select 1 as one from activities where status <> 'done' union all select 1 from campaigns where status = 'draft' limit 1`,
    )
    // Its connection was one of those that were broken.
    .catch(() => ['unknown'])
  return found.length > 0
}
