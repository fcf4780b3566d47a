import { createHash } from 'node:crypto'
import type { Copydesk, CopydeskOptions } from '@copydesk/core'
import type { Database } from '../../packages/core/src/platform/database/database.ts'
import { type OAuthServer, redirectUrl } from '../kit/oauth-server.ts'
import type { Platform } from '../kit/platforms/frame.ts'
import type { Press } from '../kit/publishing.ts'
import { fillReviewQueue } from '../kit/review-queue.ts'
import { addVersion } from '../kit/versions.ts'
import type { Installation } from './fleet.ts'
import { adminOfTenant, logIn, seedTenants } from './seed.ts'

type Admin = ReturnType<typeof adminOfTenant>

/** Fills an empty installation with a tenant whose approved pieces go to its website, each once. */
export async function seedPieces(
  installation: Installation,
  db: Database,
  site: Parameters<Press['connect']>[0],
  count: number,
): Promise<void> {
  await seedPiecesOn(installation, db, count, async (admin) => {
    await admin.call('dashboard.integrations.credentials', {
      params: { platform: 'cms_site' },
      body: { server: site.url, ...site.login },
    })
  })
}

/** The same on every channel that `connect` connects. */
async function seedPiecesOn(
  installation: Installation,
  db: Database,
  count: number,
  connect: (admin: Admin, copydesk: Copydesk) => Promise<void>,
): Promise<void> {
  await seedTenants(installation, 1, async (copydesk, tenant) => {
    const admin = adminOfTenant(copydesk, tenant)
    await connect(admin, copydesk)
    const { data } = await admin.call('dashboard.channels.list', {})
    const channels = data.filter(({ status }) => status === 'connected')
    for (const activityId of await approvedPieces(db, tenant.tenantId, count))
      for (const { id: channelId } of channels)
        await admin.call('dashboard.publications.create', { body: { activityId, channelId } })
  })
}

/** What a server is given to publish on platforms to which people consent at a provider. */
export function optionsFor(provider: OAuthServer, platforms: readonly Platform[]): Partial<CopydeskOptions> {
  const { redirectUrls = [], cms_site = {} } = provider.channels
  const { scopes: _, ...client } = cms_site
  const channels = platforms.map(({ type, url }) => [type, { ...client, baseUrl: url, uploadBaseUrl: url }])
  return { channels: { redirectUrls, ...Object.fromEntries(channels) } }
}

/** Fills an empty installation with a tenant whose approved pieces go to an account on each of the platforms. */
export async function seedPosts(
  installation: Installation,
  db: Database,
  { provider, platforms }: { provider: OAuthServer; platforms: readonly Platform[] },
  count: number,
): Promise<void> {
  await seedPiecesOn(installation, db, count, async (admin, copydesk) => {
    for (const platform of platforms) {
      const { type, account } = platform
      Object.assign(platform, { accepts: provider.accepts, grants: provider.grants })
      const body = { redirectUrl }
      const { authUrl } = await admin.call('dashboard.channels.connect', { params: { platform: type }, body })
      await copydesk.fetch(new Request(await provider.consent(authUrl)))
      if (account === undefined) continue
      const { data } = await admin.call('dashboard.channels.list', {})
      const params = { channelId: data.find((one) => one.type === type)?.id ?? '' }
      const accounts = await admin.call('dashboard.channels.accounts', { params })
      const chosen = accounts.data.find(({ name }) => name === account)?.id ?? ''
      await admin.call('dashboard.channels.choose_account', { params, body: { account: chosen } })
    }
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

/**
 * Each piece has a newer text, which people have approved and which is to take the place of the one that is out.
 * @param name is contained in their titles @returns the titles
 */
export async function rewritePieces(
  installation: Installation,
  db: Database,
  name: string,
): Promise<Map<string, string>> {
  const client = await logIn(installation.baseUrl, 'admin0@chaos.example', 'dashboard')
  const rows = await db.sql.all<{ id: string; activity_id: string }>(
    'select id, activity_id from publications',
  )
  const titles = new Map<string, string>()
  for (const [at, { id: publicationId, activity_id: activityId }] of rows.entries()) {
    const title = `${name} ${at}`
    await addVersion(db, {
      activityId,
      text: `# ${title}\n\nIt is ${name}.\n`,
      isApproved: true,
      now: new Date(),
    })
    await client.call('dashboard', 'POST /publications/:publicationId/update', { params: { publicationId } })
    titles.set(publicationId, title)
  }
  return titles
}

/** Waits end at once, as if hours had passed. @param isDead nobody is at work, so that leases end too */
export async function passTime(db: Database, isDead: boolean): Promise<void> {
  const past = new Date(Date.now() - 1_000)
  const [waiting, changing] = isDead
    ? ['', '']
    : [` and status <> 'sending'`, ` and change_status <> 'sending'`]
  await db.write(async (tx) => {
    if (isDead) await tx.run(`update job set lease_until = ? where status = 'running'`, [past])
    // The jobs first: one that is added in between would be due before its publication is, and find nothing to do.
    await tx.run(
      `update job set run_at = ? where kind in ('publish.turn', 'publish.change') and status = 'waiting' and run_at > ?`,
      [past, past],
    )
    await tx.run(`update publications set next_at = ?, lease_until = null where next_at > ?${waiting}`, [
      past,
      past,
    ])
    await tx.run(
      `update publications set change_next_at = ?, lease_until = null where change_next_at > ?${changing}`,
      [past, past],
    )
  })
}

/** Moves time on until nothing more happens to any publication by itself. */
export async function untilAllRest(db: Database): Promise<void> {
  const open = `status in ('scheduled', 'sending') or (status = 'unknown' and next_at is not null)
    or change_status in ('waiting', 'sending')`
  await until(async () => {
    await passTime(db, false)
    return !(await db.sql.get(`select 1 as one from publications where ${open} limit 1`))
  })
}

export async function until(done: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await done())) await new Promise((resolve) => setTimeout(resolve, 5))
}
