import { createIds, createSystemClock } from '../../packages/core/src/platform/clock.ts'
import { sha256Hex } from '../../packages/core/src/platform/crypto/hash.ts'
import type { Team, TestApp } from './app.ts'

const ulid = createIds(createSystemClock())

/**
 * A mail of an approved text of a tenant that no one has sent yet.
 * @param name is contained in it
 * @param campaignId of which; without it of any
 * @returns the id of the campaign
 */
export async function addOutreach(
  app: TestApp,
  { tenantId }: Pick<Team, 'tenantId'>,
  name: string,
  campaignId?: string,
): Promise<string> {
  const from = await app.db.sql.get<{ id: string; campaign_id: string; sha256: string }>(
    `select x.id, x.campaign_id, o.sha256 from activities x join outputs o on o.activity_id = x.id
       left join approvals a on a.content_of = x.id and a.content_hash = o.sha256 and a.status = 'approved'
     where x.tenant_id = ? and x.campaign_id is not null${campaignId === undefined ? '' : ' and x.campaign_id = ?'}
     order by case when a.id is null then 1 else 0 end, o.version desc limit 1`,
    [tenantId, ...(campaignId === undefined ? [] : [campaignId])],
  )
  if (!from) throw new Error(`${name} has no text`)
  const now = new Date(app.options.clock?.now() ?? Date.now())
  const recipient = `${name}@prospect.example`
  const row = {
    id: ulid(),
    tenant_id: tenantId,
    campaign_id: from.campaign_id,
    activity_id: from.id,
    recipient,
    address: recipient.toLowerCase(),
    subject: `A page about ${name}`,
    body: `Hello, would a link to ${name} fit on your site?`,
    content_hash: from.sha256,
    status: 'approved',
    attempts: 0,
    link_key: sha256Hex(tenantId).slice(0, 32),
    created_on: now,
    at: now,
  }
  const names = Object.keys(row)
  await app.db.write((tx) =>
    tx.run(
      `insert into outreach_mails (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`,
      Object.values(row),
    ),
  )
  return from.campaign_id
}
