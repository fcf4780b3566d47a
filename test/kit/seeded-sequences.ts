import { hashOf } from '../../packages/core/src/domain/delivery/sequences/policy.ts'
import { createIds, createSystemClock } from '../../packages/core/src/platform/clock.ts'
import type { SqlValue } from '../../packages/core/src/platform/database/database.ts'
import type { Team, TestApp } from './app.ts'
import { insertRow } from './insert-row.ts'

const ulid = createIds(createSystemClock())

/**
 * A campaign by e-mail that is active, with a sequence that was approved and has not begun, and one of the leads in it; and a campaign
 * with review requests that were approved.
 * @param name is contained in their texts
 * @param given a campaign that is there, in the place of one by e-mail
 */
export async function addSequence(
  app: TestApp,
  { tenantId, adminId }: Pick<Team, 'tenantId' | 'adminId'>,
  name: string,
  given?: string,
): Promise<{ sequenceId: string; stepId: string }> {
  const now = new Date(app.options.clock?.now() ?? Date.now())
  const insert = (table: string, row: Record<string, SqlValue>) => insertRow(app, tenantId, table, row)
  const one = async (from: string) =>
    (await app.db.sql.get<Record<string, SqlValue>>(`select * from ${from}`, [tenantId])) ?? {}
  const campaign = async (type: 'email_marketing' | 'review_generation') => {
    const known = await one(
      `campaigns where type = 'content_marketing' and tenant_id = ? order by id limit 1`,
    )
    const own = { attachments: '[]', channels: '["email"]', name: `${name} by mail` }
    return insert('campaigns', { ...known, ...own, type, status: 'active' })
  }
  const sequence = (row: Record<string, SqlValue>) =>
    insert('campaign_sequences', {
      name: `Welcome to ${name}`,
      audience: '{"statuses":[],"sources":[],"tag":null}',
      status: 'draft',
      leads_read: 0,
      waiting: 0,
      done: 0,
      stopped: 0,
      created_on: now,
      updated_on: now,
      ...row,
    })
  const text = { subject: `Hello from ${name}`, body: `Dear {{firstName}}, ${name} bakes at night.` }
  const step = (of: string) =>
    insert('sequence_steps', {
      sequence_id: of,
      position: 0,
      ...text,
      delay_days: 0,
      approved_hash: hashOf(text),
      approved_by_id: adminId,
      approved_by_name: name,
      sent: 0,
      failed: 0,
      unknown: 0,
      updated_on: now,
    })
  const sequenceId = await sequence({
    campaign_id: given ?? (await campaign('email_marketing')),
    kind: 'email',
    trigger_type: 'on_subscribe',
    waiting: 1,
  })
  const stepId = await step(sequenceId)
  if (given === undefined) {
    const about = { campaign_id: await campaign('review_generation'), kind: 'review', released: 0 }
    await step(await sequence({ ...about, trigger_type: 'manual' }))
  }
  const lead = await one('leads where email is not null and tenant_id = ? order by seq limit 1')
  await insert('sequence_contacts', {
    sequence_id: sequenceId,
    lead_id: lead['id'] ?? ulid(),
    address: `${name.toLowerCase()}@site.example`,
    status: 'waiting',
    next_position: 0,
    next_at: new Date(now.getTime() + 86_400_000),
    link_key: linkKeyOf(tenantId),
    created_on: now,
  })
  return { sequenceId, stepId }
}

/** What the contact's link to unsubscribe ends with. */
export const linkKeyOf = (tenantId: string) => Buffer.from(tenantId).toString('hex').slice(-32)
