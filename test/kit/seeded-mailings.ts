import { hashOf } from '../../packages/core/src/domain/delivery/sequences/policy.ts'
import { createIds, createSystemClock } from '../../packages/core/src/platform/clock.ts'
import type { SqlValue } from '../../packages/core/src/platform/database/database.ts'
import type { Team, TestApp } from './app.ts'
import { insertRow } from './insert-row.ts'

const ulid = createIds(createSystemClock())

/**
 * Three newsletters that were approved: one that goes nowhere yet, one whose mailing waits for its time, and one whose mailing is paused.
 * @param name is contained in their texts
 * @param campaignId of which; without it of any
 * @returns the activity of the first, and the mailing that waits
 */
export async function addMailings(
  app: TestApp,
  { tenantId, adminId }: Pick<Team, 'tenantId' | 'adminId'>,
  name: string,
  campaignId?: string,
): Promise<{ newsletterId: string; mailingId: string }> {
  const now = new Date(app.options.clock?.now() ?? Date.now())
  const source = await app.db.sql.get<{
    id: string
    output: string
    campaign: string
    sha256: string
    text: string
  }>(
    `select x.id, o.id as output, x.campaign_id as campaign, o.sha256, o.text from activities x join outputs o on o.activity_id = x.id
     where x.tenant_id = ? and x.campaign_id is not null${campaignId === undefined ? '' : ' and x.campaign_id = ?'}
     order by o.version desc, x.id limit 1`,
    [tenantId, ...(campaignId === undefined ? [] : [campaignId])],
  )
  const approval = await app.db.sql.get<{ id: string }>(
    'select id from approvals where tenant_id = ? order by id limit 1',
    [tenantId],
  )
  if (!source || !approval) throw new Error(`${name} has no text, or no one was asked about any`)
  /** A row like another one, but for some columns. */
  const copy = async (table: string, from: string, changes: Record<string, SqlValue>) => {
    const row =
      (await app.db.sql.get<Record<string, SqlValue>>(`select * from ${table} where id = ?`, [from])) ?? {}
    const all: Record<string, SqlValue> = { ...changes, id: ulid() }
    const names = Object.keys(row)
    const values = names.map((column) => (column in all ? '?' : column))
    const given = names.filter((column) => column in all).map((column) => all[column] ?? null)
    await app.db.write((tx) =>
      tx.run(
        `insert into ${table} (${names.join(', ')}) select ${values.join(', ')} from ${table} where id = ?`,
        [...given, from],
      ),
    )
    return String(all['id'])
  }
  const insert = (table: string, row: Record<string, SqlValue>) => insertRow(app, tenantId, table, row)
  const newsletter = async () => {
    const id = await copy('activities', source.id, {
      deliverable_type: 'email_newsletter',
      is_final_step: app.db.dialect === 'sqlite' ? 1 : true,
      status: 'done',
      deliverable_id: null,
      period_id: null,
      piece: null,
      step_number: null,
      hold: null,
      failure_reason: null,
    })
    await copy('outputs', source.output, { activity_id: id })
    await copy('approvals', approval.id, {
      status: 'approved',
      resolution: 'approved',
      content_of: id,
      content_hash: source.sha256,
      resolved_by_id: adminId,
      resolved_by_name: name,
      resolved_at: now,
      replaced_by: null,
    })
    return id
  }
  const text = { subject: `News of ${name}`, body: source.text }
  const mailing = async (status: 'active' | 'paused') => {
    const sequenceId = await insert('campaign_sequences', {
      campaign_id: source.campaign,
      kind: 'mailing',
      activity_id: await newsletter(),
      content_hash: source.sha256,
      name: text.subject,
      trigger_type: 'on_date',
      starts_at: new Date(now.getTime() + 20 * 86_400_000),
      audience: '{"statuses":[],"sources":[],"tag":null}',
      status,
      leads_read: 0,
      waiting: 0,
      done: 0,
      stopped: 0,
      created_on: now,
      updated_on: now,
    })
    await insert('sequence_steps', {
      sequence_id: sequenceId,
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
    return sequenceId
  }
  const newsletterId = await newsletter()
  const mailingId = await mailing('active')
  await mailing('paused')
  return { newsletterId, mailingId }
}
