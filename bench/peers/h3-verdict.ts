import { H3, readBody, toNodeHandler } from 'h3'
import { createIds, createSystemClock } from '../../packages/core/src/platform/clock.ts'
import { openDatabase, type Sql, type SqlValue } from '../../packages/core/src/platform/database/database.ts'
import { jobEntities } from '../../packages/core/src/platform/jobs/entities.ts'
import { silentLogger } from '../../packages/core/src/platform/logger.ts'
import { listen, settings } from '../servers/answer.ts'

/** The rows of one verdict, by hand-written statements in one durable transaction; nothing is checked, no one is asked who he is. */
const { database, adminId, reviewerId } = settings<{
  database: string
  adminId: string
  reviewerId: string
}>()

const clock = createSystemClock()
const newId = createIds(clock)
const db = await openDatabase({ url: database, entities: jobEntities, migrations: [], log: silentLogger })
const json = JSON.stringify

async function approve(tx: Sql, id: string): Promise<number> {
  const now = clock.date()
  const locking = db.dialect === 'postgresql' ? 'for update' : ''
  const approval = await tx.get(`select * from approvals where id = ? ${locking}`, [id])
  const link = await tx.get('select activity_id from approval_links where approval_id = ?', [id])
  const activity = await tx.get(`select * from activities where id = ? ${locking}`, [
    link?.['activity_id'] as string,
  ])
  if (!approval || !activity) throw new Error('There is no such approval')
  const { tenant_id: tenantId } = approval as { tenant_id: string }
  const { id: activityId, campaign_id: campaignId } = activity as { id: string; campaign_id: string }
  await tx.run(
    `update approvals set status = 'approved', resolution = 'approved', resolved_at = ?, resolved_by_id = ?, resolved_by_name = 'Rita', updated_on = ? where id = ?`,
    [now, reviewerId, now, id],
  )
  await tx.run(
    `update activities set status = 'assigned', status_since = ?, wake_reason = 'review_approved', failures = 0, updated_on = ? where id = ?`,
    [now, now, activityId],
  )
  const insert = (table: string, row: Record<string, SqlValue>) =>
    tx.run(
      `insert into ${table} (${Object.keys(row).join(', ')}) values (${Object.keys(row)
        .map(() => '?')
        .join(', ')})`,
      Object.values(row),
    )
  const own = { id: newId(), tenant_id: tenantId }
  const line = { tenant_id: tenantId, activity_id: activityId, at: now, actor: 'Rita' }
  await insert('activity_log', {
    ...line,
    id: newId(),
    kind: 'verdict',
    message: 'approved',
    data: json({ approvalId: id }),
  })
  await insert('activity_log', {
    ...line,
    id: newId(),
    kind: 'status',
    message: 'Given to its agent',
    data: json({ to: 'assigned' }),
  })
  await insert('feedback', {
    ...own,
    content_kind: 'social_post',
    kind: 'approved',
    text: '',
    activity_id: activityId,
    approval_id: id,
    created_on: now,
  })
  await insert('runs', {
    ...own,
    activity_id: activityId,
    campaign_id: campaignId,
    agent_role: 'social_writer',
    status: 'pending',
    open: true,
    wake_reason: 'review_approved',
    wake_note: '{}',
    priority: 0,
    not_before: now,
    attempt: 0,
    cancel_requested: false,
    input_tokens: 0,
    output_tokens: 0,
    cost_micros: 0,
    priced: true,
    created_on: now,
  })
  await insert('audit_records', {
    ...own,
    request_id: newId(),
    actor_id: reviewerId,
    actor_type: 'human',
    surface: 'dm',
    method: 'POST',
    path: '/',
    action: 'approval.resolve',
    resource_type: 'approval',
    resource_id: id,
    before: json({ status: 'pending' }),
    after: json({ status: 'approved' }),
    status: 200,
    duration_ms: 0,
    created_at: now,
  })
  await insert('notifications', {
    ...own,
    user_id: adminId,
    type: 'campaign_update',
    title: 'Approved',
    body: 'Decided by Rita.',
    read: false,
    subject_kind: 'approvals',
    subject_id: id,
    created_on: now,
  })
  await insert(db.dialect === 'sqlite' ? 'event' : 'event_unnumbered', {
    tenant_id: tenantId,
    type: 'approval_resolved',
    subject: id,
    data: json({ approvalId: id }),
    at: now,
  })
  return 1
}

const app = new H3().post('/approvals/:id/resolve', async (event) => {
  const { resolution } = (await readBody<{ resolution: string }>(event)) ?? {}
  const reEnqueuedActivities = await db.write((tx) => approve(tx, event.context.params?.['id'] ?? ''))
  return { resolution, reEnqueuedActivities }
})
listen(toNodeHandler(app))
