import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { ApiError, type Client, createClient } from '@copydesk/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import { entities } from '../../packages/core/src/domain/entities.ts'
import { migrations } from '../../packages/core/src/domain/migrations/migrations.ts'
import { brief } from '../kit/app.ts'
import { openTestDatabase } from '../kit/database.ts'
import { brokenInvariants } from './invariants.ts'

const kills = 25
const program = fileURLToPath(new URL('server.ts', import.meta.url))
const deliverables = [
  { type: 'blog_post' as const, quantity: 1 },
  { type: 'social_post' as const, quantity: 2 },
]

/** Numbers that are the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

async function start(env: Record<string, string>): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--conditions=@copydesk/source', program], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ready = (async () => {
    for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream }))
      if (line === 'ready') return
    throw new Error('the server ended before it was ready')
  })()
  await ready
  child.stdout?.resume()
  return child
}

/** The reviewer's work goes on whatever the server does: what fails is tried again later. */
async function reviewOnce(reviewer: Client, random: () => number): Promise<void> {
  const { data } = await reviewer.call('dm', 'GET /approvals', { query: { 'filter.status': 'pending' } })
  for (const { id } of data) {
    const detail = await reviewer.call('dm', 'GET /approvals/:approvalId', { params: { approvalId: id } })
    const sendBack = detail.linkedActivities[0]?.version === 1 && random() < 0.4
    const verdict = sendBack
      ? { resolution: 'revision_requested' as const, note: 'Shorter, please' }
      : { resolution: 'approved' as const }
    await reviewer
      .call('dm', 'POST /approvals/:approvalId/resolve', {
        params: { approvalId: id },
        body: { ...verdict, ...(detail.contentHash && { contentHash: detail.contentHash }) },
      })
      .catch((error: unknown) => {
        // The verdict before the kill may have come through without its answer.
        if (!(error instanceof ApiError && error.code === 'CONFLICT')) throw error
      })
  }
}

const ignoreCuts = (work: Promise<unknown>) => work.then(() => true).catch(() => false)

describe('a server that is killed at any moment', () => {
  it(`loses nothing and does nothing twice over ${kills} kills`, { timeout: 300_000 }, async () => {
    const seed = Number(process.env['CHAOS_SEED'] ?? Date.now() % 1_000_000)
    console.log(`seed ${seed} (set CHAOS_SEED to run it again)`)
    const random = randomFrom(seed)
    await using database = await openTestDatabase({ entities, migrations })
    const dataDir = await mkdtemp(join(tmpdir(), 'copydesk-chaos-'))
    const port = await freePort()
    const baseUrl = `http://127.0.0.1:${port}`
    const env = { CHAOS_DATABASE: database.url, CHAOS_DATA_DIR: dataDir, CHAOS_PORT: String(port) }
    const logIn = async (email: string, app: 'dashboard' | 'dm-portal') => {
      const body = { email, password: 'Correct-horse-1', app }
      return createClient({
        baseUrl,
        token: (await createClient({ baseUrl }).call('auth', 'POST /login', { body })).accessToken,
      })
    }
    let server = await start(env)
    onTestFinished(() => void server.kill('SIGKILL'))
    const admin = await logIn('admin@chaos.example', 'dashboard')
    const reviewer = await logIn('reviewer@chaos.example', 'dm-portal')
    const accepted: string[] = []
    /** Posts a campaign unless it is there: an answer that was cut off may have been a yes. */
    const post = async (number: number) => {
      const name = `Campaign ${number}`
      const { data } = await admin.call('dashboard', 'GET /campaigns', { query: { limit: 100 } })
      const there = data.find((campaign) => campaign.name === name)
      accepted.push(
        (there ?? (await admin.call('dashboard', 'POST /campaigns', { body: { name, brief, deliverables } })))
          .id,
      )
    }
    let unposted: number | undefined
    for (let kill = 0; kill < kills; kill += 1) {
      const number = unposted ?? (kill % 4 === 0 ? kill : undefined)
      const life = 30 + random() * 700
      const killed = new Promise<void>((resolve) => {
        setTimeout(() => {
          server.kill('SIGKILL')
          resolve()
        }, life)
      })
      if (number !== undefined) unposted = (await ignoreCuts(post(number))) ? undefined : number
      while (await ignoreCuts(reviewOnce(reviewer, random)))
        await new Promise((resolve) => setTimeout(resolve, 60))
      await killed
      if (server.exitCode === null && server.signalCode === null) await once(server, 'exit')
      server = await start(env)
    }
    if (unposted !== undefined) await post(unposted)
    // Looked up in the database itself: asking the server this often is what its rate limit is for.
    const done = async () => {
      const [waiting] = await database.db.sql.all(
        `select 1 as one from approvals where status = 'pending' limit 1`,
      )
      if (waiting) await reviewOnce(reviewer, random)
      const [open] = await database.db.sql.all(
        `select 1 as one from activities where status <> 'done' limit 1`,
      )
      const [draft] = await database.db.sql.all(
        `select 1 as one from campaigns where status = 'draft' limit 1`,
      )
      return !open && !draft
    }
    const deadline = Date.now() + 90_000
    while (!(await done())) {
      if (Date.now() > deadline)
        throw new Error(
          `work stands still: ${JSON.stringify(await brokenInvariants(database.db, accepted, deliverables))}`,
        )
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
    server.kill('SIGTERM')
    await once(server, 'exit')
    expect(accepted).toHaveLength(Math.ceil(kills / 4))
    expect(await brokenInvariants(database.db, accepted, deliverables)).toEqual([])
    await rm(dataDir, { recursive: true, force: true })
  })
})
