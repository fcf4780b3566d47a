import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../config/postgres-server.ts'
import { entities } from '../../packages/core/src/composition/entities.ts'
import { migrations } from '../../packages/core/src/composition/migrations/migrations.ts'
import type { Database } from '../../packages/core/src/platform/database/database.ts'
import { openTestDatabase } from '../kit/database.ts'
import { fillReviewQueue } from '../kit/review-queue.ts'
import { createWordPressServer, type WordPressServer } from '../kit/wordpress-server.ts'
import { endMember, startMember } from './fleet.ts'
import { randomFrom } from './random.ts'
import { adminOfTenant, seedTenants } from './seed.ts'

/** How many pieces, and how many kills among them; the long form is 1,000 with 50. */
const count = Number(process.env['COPYDESK_PUBLISHES'] ?? 12)
const kills = Math.max(3, Math.round(count / 20))
const titleOf = (at: number) => `Piece ${at}`

describe('publishing', () => {
  it(`shows ${count} pieces once each, though the server is killed ${kills} times and answers are lost`, {
    timeout: 120_000 + count * 3_000,
  }, async () => {
    await using database = await openTestDatabase({ entities, migrations })
    await using site = await createWordPressServer()
    const { db } = database
    const dataDir = await mkdtemp(join(tmpdir(), 'copydesk-chaos-'))
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
    const port = await freePort()
    const installation = { database: database.url, dataDir, baseUrl: `http://127.0.0.1:${port}` }
    await seedTenants(installation, 1, async (copydesk, tenant) => {
      const admin = adminOfTenant(copydesk, tenant)
      await admin.call('dashboard.integrations.credentials', {
        params: { platform: 'cms_site' },
        body: { server: site.url, ...site.login },
      })
      const { data } = await admin.call('dashboard.channels.list', {})
      for (const activityId of await approvedPieces(db, tenant.tenantId))
        await admin.call('dashboard.publications.create', {
          body: { activityId, channelId: data[0]?.id ?? '' },
        })
    })
    const random = randomFrom(7)
    const mishaps: WordPressServer['mishaps'] = ['cut before', 'cut after', 'cut after', 502, 504, 'firewall']
    const trouble = () => {
      for (let i = 0; i < 4; i += 1)
        if (random() < 0.5) site.mishaps.push(mishaps[Math.floor(random() * 6)] ?? 502)
    }
    let server = await startMember('all', port, installation)
    onTestFinished(() => endMember(server, 'SIGKILL'))
    for (let kill = 1; kill <= kills; kill += 1) {
      trouble()
      const wanted = site.requests.length + 2 + Math.floor(random() * 9)
      await until(() => site.requests.length >= wanted || site.published.size >= count)
      await endMember(server, 'SIGKILL')
      await passTime(db, true)
      server = await startMember('all', port, installation)
    }
    site.mishaps.splice(0)
    const open = `status in ('scheduled', 'sending') or (status = 'unknown' and next_at is not null)`
    await until(async () => {
      await passTime(db, false)
      return !(await db.sql.get(`select 1 as one from publications where ${open} limit 1`))
    })
    const rows = await db.sql.all<{ title: string; status: string; url: string | null }>(
      'select title, status, url from publications',
    )
    expect(rows).toHaveLength(count)
    const sent = (title: string) => site.published.get(title) ?? 0
    const seen = (title: string) =>
      [...site.posts.values()].filter((post) => post.title === title && post.status === 'publish').length
    // None of WordPress’s requests leaves anybody in doubt, and each has fewer mishaps than attempts.
    expect(rows.map(({ title, status, url }) => [title, status, url, sent(title), seen(title)])).toEqual(
      rows.map(({ title }) => [title, 'published', expect.stringMatching(/^http/), 1, 1]),
    )
  })
})

/** Pieces as people have approved them. @returns the ids of their activities */
async function approvedPieces(db: Database, tenantId: string): Promise<string[]> {
  const approvals = await fillReviewQueue(db, tenantId, count)
  const links = await db.sql.all<{ activity_id: string }>(
    'select activity_id from approval_links order by approval_id',
  )
  const now = new Date()
  await db.write(async (tx) => {
    for (const [at, { activity_id: activityId }] of links.entries()) {
      const text = `# ${titleOf(at)}\n\nIt was approved.\n`
      const hash = createHash('sha256').update(text).digest('hex')
      await tx.run(
        `insert into outputs (id, tenant_id, activity_id, version, text, format, sha256, author_id, author_name, author_type, created_on)
         values (?, ?, ?, 1, ?, 'markdown', ?, 'social_writer', 'Writer', 'agent', ?)`,
        [activityId, tenantId, activityId, text, hash, now],
      )
      await tx.run(
        `update approvals set status = 'approved', resolution = 'approved', content_of = ?, content_hash = ? where id = ?`,
        [activityId, hash, approvals[at] ?? ''],
      )
      await tx.run(`update activities set status = 'done' where id = ?`, [activityId])
    }
  })
  return links.map(({ activity_id }) => activity_id)
}

/** Waits end at once, as if hours had passed. @param isDead nobody is at work, so that leases end too */
async function passTime(db: Database, isDead: boolean): Promise<void> {
  const past = new Date(Date.now() - 1_000)
  const waiting = isDead ? '' : ` and status <> 'sending'`
  await db.write(async (tx) => {
    await tx.run(`update publications set next_at = ?, lease_until = null where next_at > ?${waiting}`, [
      past,
      past,
    ])
    await tx.run(
      `update job set run_at = ? where kind = 'publish.turn' and status = 'waiting' and run_at > ?`,
      [past, past],
    )
  })
}

async function until(done: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await done())) await new Promise((resolve) => setTimeout(resolve, 5))
}
