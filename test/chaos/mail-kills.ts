import type { Copydesk, CopydeskOptions } from '@copydesk/core'
import { expect, onTestFinished } from 'vitest'
import { entities } from '../../packages/core/src/composition/entities.ts'
import { migrations } from '../../packages/core/src/composition/migrations/migrations.ts'
import { sha256Hex } from '../../packages/core/src/platform/crypto/hash.ts'
import type { Database } from '../../packages/core/src/platform/database/database.ts'
import { openTestDatabase } from '../kit/database.ts'
import { createTestMailServer } from '../kit/mail.ts'
import { createBrevo } from '../kit/platforms/mailings.ts'
import { fillReviewQueue } from '../kit/review-queue.ts'
import { endMember, newInstallation, startMember } from './fleet.ts'
import { type SeededTenant, seedTenants } from './seed.ts'

/** Mails that a server sends while it is killed again and again. */
interface Sending {
  count: number
  /** How many mails each of them gets; default 1. */
  each?: number
  kills: number
  table: 'sequence_mails' | 'outreach_mails'
  /** Where they go out; default a mail server. */
  open?: typeof openMailServer
  /** Makes the mails, all to addresses at site.example, before any server is there to send them. */
  prepare(copydesk: Copydesk, tenant: SeededTenant, db: Database): Promise<void>
}

/**
 * Kills the server each time when a mail has come and before it is answered, so that no one who asks can know what has become of it.
 * @returns how often each address got a mail of each subject, how many mails were on their way at each kill, and how many are of each status at the end
 */
export async function sendUnderKills({
  count,
  each = 1,
  kills,
  table,
  open = openMailServer,
  prepare,
}: Sending) {
  const total = count * each
  await using database = await openTestDatabase({ entities, migrations })
  const { db } = database
  const arrived = new Map<string, number>()
  let mails = 0
  let kill: (() => void) | undefined
  await using post = await open((to, subject) => {
    // Other mails tell people of those in doubt.
    if (!to.endsWith('@site.example')) return
    const mail = each === 1 ? to : `${to}: ${subject}`
    arrived.set(mail, (arrived.get(mail) ?? 0) + 1)
    mails += 1
    if (mails % Math.floor(total / (kills + 1)) === 0) kill?.()
  })
  const { installation, port } = await newInstallation(database.url, post.options)
  await seedTenants(installation, 1, (copydesk, tenant) => prepare(copydesk, tenant, db))
  const withStatus = async (status: string) =>
    (await db.sql.all(`select 1 from ${table} where status = ?`, [status])).length
  const inDoubt: number[] = []
  while (inDoubt.length < kills) {
    const killed = Promise.withResolvers<void>()
    const server = await startMember('all', port, installation)
    onTestFinished(() => endMember(server, 'SIGKILL'))
    kill = () => void endMember(server, 'SIGKILL').then(killed.resolve)
    await killed.promise
    inDoubt.push(await withStatus('sending'))
    await passTime(db, table)
  }
  kill = undefined
  const server = await startMember('all', port, installation)
  onTestFinished(() => endMember(server, 'SIGKILL'))
  // A sequence writes each mail down when it is about to send it.
  const ended = async () => (await withStatus('sent')) + (await withStatus('unknown'))
  await expect.poll(ended, { timeout: 60_000 + total * 1_000, interval: 50 }).toBe(total)
  return { arrived, inDoubt, sent: await withStatus('sent'), unknown: await withStatus('unknown') }
}

/** Where mails arrive, and the options by which a server finds it. */
interface MailPlace extends AsyncDisposable {
  options: Partial<CopydeskOptions>
}

/** @param arrives called with each mail before it is answered */
async function openMailServer(arrives: (to: string, subject: string) => void): Promise<MailPlace> {
  const server = await createTestMailServer({
    refusal({ to, subject }) {
      arrives(to, subject)
      return undefined
    },
  })
  const mail = { smtp: { host: '127.0.0.1', port: server.port }, from: 'desk@sender.example' }
  return { options: { mail }, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

/** The same for Brevo. @param arrives called with each mail before it is taken */
export async function openMailPlatform(arrives: (to: string, subject: string) => void): Promise<MailPlace> {
  const brevo = await createBrevo()
  brevo.watchers?.push(({ path, json }) => {
    if (!path.endsWith('/smtp/email')) return
    const { to, subject } = json as { to: Array<{ email: string }>; subject: string }
    for (const { email } of to) arrives(email, subject)
  })
  const channels = { email_platform_b: { baseUrl: brevo.url } }
  return {
    options: { channels, allowHosts: ['127.0.0.1'] },
    [Symbol.asyncDispose]: () => brevo[Symbol.asyncDispose](),
  }
}

/**
 * As if ten minutes had passed, after which what a dead process was handing over is in doubt, and others take its job over. Kills use
 * up the tries of a job, and one that is given up is only found minutes later.
 */
async function passTime(db: Database, table: Sending['table']): Promise<void> {
  const past = new Date(Date.now() - 1_000)
  await db.write(async (tx) => {
    await tx.run(`update ${table} set until = ? where status = 'sending'`, [past])
    await tx.run(`update job set lease_until = ?, attempt = 1 where status = 'running'`, [past])
  })
}

/** A text of a campaign as people have approved it. @returns the id of its activity, and the hash of the text */
export async function approvedText(
  db: Database,
  of: { tenantId: string; campaignId: string; type: 'email_newsletter' | 'backlink'; text: string },
): Promise<{ activityId: string; hash: string }> {
  const { tenantId, campaignId, type, text } = of
  const [approvalId = ''] = await fillReviewQueue(db, tenantId, 1)
  const link = await db.sql.get<{ id: string }>('select activity_id as id from approval_links')
  const activityId = link?.id ?? ''
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
      `update activities set status = 'done', deliverable_type = ?, is_final_step = true, campaign_id = ? where id = ?`,
      [type, campaignId, activityId],
    )
  })
  return { activityId, hash }
}
