import { createHash } from 'node:crypto'
import type { Database } from '../../packages/core/src/platform/database/database.ts'
import type { Press } from '../kit/publishing.ts'
import { fillReviewQueue } from '../kit/review-queue.ts'
import type { Installation } from './fleet.ts'
import { adminOfTenant, seedTenants } from './seed.ts'

/** Fills an empty installation with a tenant whose approved pieces go to its website, each once. */
export async function seedPieces(
  installation: Installation,
  db: Database,
  site: Parameters<Press['connect']>[0],
  count: number,
): Promise<void> {
  await seedTenants(installation, 1, async (copydesk, tenant) => {
    const admin = adminOfTenant(copydesk, tenant)
    await admin.call('dashboard.integrations.credentials', {
      params: { platform: 'cms_site' },
      body: { server: site.url, ...site.login },
    })
    const { data } = await admin.call('dashboard.channels.list', {})
    for (const activityId of await approvedPieces(db, tenant.tenantId, count))
      await admin.call('dashboard.publications.create', {
        body: { activityId, channelId: data[0]?.id ?? '' },
      })
  })
}

/** Pieces as people have approved them. @returns the ids of their activities */
async function approvedPieces(db: Database, tenantId: string, count: number): Promise<string[]> {
  const approvals = await fillReviewQueue(db, tenantId, count)
  const links = await db.sql.all<{ activity_id: string }>(
    'select activity_id from approval_links order by approval_id',
  )
  const now = new Date()
  await db.write(async (tx) => {
    for (const [at, { activity_id: activityId }] of links.entries()) {
      const text = `# Piece ${at}\n\nIt was approved.\n`
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
export async function passTime(db: Database, isDead: boolean): Promise<void> {
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

/** Moves time on until nothing more happens to any publication by itself. */
export async function untilAllRest(db: Database): Promise<void> {
  const open = `status in ('scheduled', 'sending') or (status = 'unknown' and next_at is not null)`
  await until(async () => {
    await passTime(db, false)
    return !(await db.sql.get(`select 1 as one from publications where ${open} limit 1`))
  })
}

export async function until(done: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await done())) await new Promise((resolve) => setTimeout(resolve, 5))
}
