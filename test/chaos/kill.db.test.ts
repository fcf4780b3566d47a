import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../config/postgres-server.ts'
import { entities } from '../../packages/core/src/composition/entities.ts'
import { migrations } from '../../packages/core/src/composition/migrations/migrations.ts'
import { maxAttempts } from '../../packages/core/src/domain/work/runs/queue/recover.ts'
import { brief } from '../kit/app.ts'
import { openTestDatabase } from '../kit/database.ts'
import { endMember, startMember } from './fleet.ts'
import { brokenInvariants } from './invariants.ts'
import { ignoreCuts, reviewOnce } from './people.ts'
import { chosenSeed, randomFrom } from './random.ts'
import { logIn, type SeededTenant, seedTenants } from './seed.ts'

const kills = 25
const deliverables = [
  { type: 'blog_post' as const, quantity: 1 },
  { type: 'social_post' as const, quantity: 2 },
]

describe('a server that is killed at any moment', () => {
  it(`loses nothing and does nothing twice over ${kills} kills`, { timeout: 300_000 }, async () => {
    const random = randomFrom(chosenSeed())
    await using database = await openTestDatabase({ entities, migrations })
    const dataDir = await mkdtemp(join(tmpdir(), 'copydesk-chaos-'))
    const port = await freePort()
    const baseUrl = `http://127.0.0.1:${port}`
    const installation = { database: database.url, dataDir, baseUrl }
    const [tenant] = (await seedTenants(installation, 1)) as [SeededTenant]
    let server = await startMember('all', port, installation)
    onTestFinished(() => endMember(server, 'SIGKILL'))
    const admin = await logIn(baseUrl, tenant.admin, 'dashboard')
    const reviewer = await logIn(baseUrl, tenant.reviewer, 'dm-portal')
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
    /** Waits until every run that has lost its process is at its end: one that loses it too often is given up. */
    const recovered = async () => {
      const again = `select 1 as one from runs where open and attempt > 1 limit 1`
      await expect.poll(() => database.db.sql.all(again), { timeout: 60_000 }).toEqual([])
    }
    const due: number[] = []
    for (let kill = 0; kill < kills; kill += 1) {
      if (kill % 4 === 0) due.push(kill)
      if (kill > 0 && kill % (maxAttempts / 2) === 0) await recovered()
      const life = 30 + random() * 700
      const killed = new Promise<void>((resolve) => {
        setTimeout(() => {
          server.process.kill('SIGKILL')
          resolve()
        }, life)
      })
      const [number] = due
      if (number !== undefined && (await ignoreCuts(post(number)))) due.shift()
      while (await ignoreCuts(reviewOnce(reviewer, random)))
        await new Promise((resolve) => setTimeout(resolve, 60))
      await killed
      await endMember(server, 'SIGKILL')
      server = await startMember('all', port, installation)
    }
    for (const number of due) await post(number)
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
    await endMember(server, 'SIGTERM')
    expect(accepted).toHaveLength(Math.ceil(kills / 4))
    expect(await brokenInvariants(database.db, accepted, deliverables)).toEqual([])
    await rm(dataDir, { recursive: true, force: true })
  })
})
