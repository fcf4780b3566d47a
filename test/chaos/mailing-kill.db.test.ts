import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../config/postgres-server.ts'
import { entities } from '../../packages/core/src/composition/entities.ts'
import { migrations } from '../../packages/core/src/composition/migrations/migrations.ts'
import { sha256Hex } from '../../packages/core/src/platform/crypto/hash.ts'
import type { Database } from '../../packages/core/src/platform/database/database.ts'
import { openTestDatabase } from '../kit/database.ts'
import { createTestMailServer } from '../kit/mail.ts'
import { fillReviewQueue } from '../kit/review-queue.ts'
import { endMember, startMember } from './fleet.ts'
import { seedTenants } from './seed.ts'

/** How many leads, at most a hundred, and how many kills among their mails. */
const count = Number(process.env['COPYDESK_MAILS'] ?? 40)
const kills = Math.max(3, Math.round(count / 10))

describe('a mailing', () => {
  it(`reaches each of ${count} leads at most once, though the server is killed ${kills} times while it sends`, {
    timeout: 120_000 + kills * 20_000,
  }, async () => {
    await using database = await openTestDatabase({ entities, migrations })
    const arrived = new Map<string, number>()
    let mails = 0
    let kill: (() => void) | undefined
    await using post = await createTestMailServer({
      refusal({ to }) {
        arrived.set(to, (arrived.get(to) ?? 0) + 1)
        mails += 1
        // When a mail has come and before it is answered, so that no one who asks can know what has become of it.
        if (mails % Math.floor(count / (kills + 1)) === 0) kill?.()
        return undefined
      },
    })
    const { db } = database
    const dataDir = await mkdtemp(join(tmpdir(), 'copydesk-chaos-'))
    onTestFinished(() => rm(dataDir, { recursive: true, force: true }))
    const port = await freePort()
    const mail = { smtp: { host: '127.0.0.1', port: post.port }, from: 'desk@sender.example' }
    const installation = {
      database: database.url,
      dataDir,
      baseUrl: `http://127.0.0.1:${port}`,
      more: { mail },
    }
    await seedTenants(installation, 1, async (copydesk, { tenantId, adminId }) => {
      const admin = copydesk.as({
        id: adminId,
        type: 'human',
        role: 'admin',
        tenantId,
        appAccess: ['dashboard'],
      })
      for (let n = 0; n < count; n += 1)
        await admin.call('dashboard.leads.create', {
          body: { firstName: `Lead ${n}`, lastName: 'Field', email: `lead${n}@site.example` },
        })
      const campaign = await admin.call('tenant.campaigns.create', {
        body: { name: 'News', type: 'content_marketing', channel: ['email'], goal: 'Sell' },
      })
      const activityId = await approvedNewsletter(db, tenantId, campaign.id)
      await admin.call('dashboard.mailings.create', { body: { activityId } })
    })
    const inDoubt: number[] = []
    while (inDoubt.length < kills) {
      const killed = Promise.withResolvers<void>()
      const server = await startMember('all', port, installation)
      onTestFinished(() => endMember(server, 'SIGKILL'))
      kill = () => void endMember(server, 'SIGKILL').then(killed.resolve)
      await killed.promise
      inDoubt.push(await countMails(db, 'sending'))
      await passTime(db)
    }
    kill = undefined
    const server = await startMember('all', port, installation)
    onTestFinished(() => endMember(server, 'SIGKILL'))
    await until(async () =>
      Boolean(await db.sql.get(`select 1 from campaign_sequences where status = 'completed'`)),
    )

    // Each time a mail was on its way, or the kills would show nothing.
    expect(inDoubt).toEqual(Array.from({ length: kills }, () => 1))
    expect(await countMails(db, 'unknown')).toBe(kills)
    expect(await countMails(db, 'sent')).toBe(count - kills)
    expect([...arrived.values()].filter((times) => times !== 1)).toEqual([])
    expect(arrived.size).toBe(count)
  })
})

/** A newsletter as people have approved it. @returns the id of its activity */
async function approvedNewsletter(db: Database, tenantId: string, campaignId: string): Promise<string> {
  const [approvalId = ''] = await fillReviewQueue(db, tenantId, 1)
  const link = await db.sql.get<{ id: string }>('select activity_id as id from approval_links')
  const activityId = link?.id ?? ''
  const text = '# News\n\nDear {{firstName}}, it was approved.\n'
  const hash = sha256Hex(text)
  await db.write(async (tx) => {
    await tx.run(
      `insert into outputs (id, tenant_id, activity_id, version, text, format, sha256, author_id, author_name, author_type, created_on)
       values (?, ?, ?, 1, ?, 'markdown', ?, 'email_writer', 'Writer', 'agent', ?)`,
      [activityId, tenantId, activityId, text, hash, new Date()],
    )
    await tx.run(
      `update approvals set status = 'approved', resolution = 'approved', content_of = ?, content_hash = ? where id = ?`,
      [activityId, hash, approvalId],
    )
    await tx.run(
      `update activities set status = 'done', deliverable_type = 'email_newsletter', is_final_step = true, campaign_id = ? where id = ?`,
      [campaignId, activityId],
    )
  })
  return activityId
}

async function countMails({ sql }: Database, status: string): Promise<number> {
  return (await sql.all('select 1 from sequence_mails where status = ?', [status])).length
}

/** As if ten minutes had passed, after which what a dead process was handing over is in doubt, and others take its job over. */
async function passTime(db: Database): Promise<void> {
  const past = new Date(Date.now() - 1_000)
  await db.write(async (tx) => {
    await tx.run(`update sequence_mails set until = ? where status = 'sending'`, [past])
    await tx.run(`update job set lease_until = ? where status = 'running'`, [past])
  })
}

async function until(done: () => Promise<boolean>): Promise<void> {
  while (!(await done())) await new Promise((resolve) => setTimeout(resolve, 20))
}
