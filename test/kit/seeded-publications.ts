import { createIds, createSystemClock } from '../../packages/core/src/platform/clock.ts'
import { sha256Hex } from '../../packages/core/src/platform/crypto/hash.ts'
import type { SqlValue } from '../../packages/core/src/platform/database/database.ts'
import type { Team, TestApp } from './app.ts'

const ulid = createIds(createSystemClock())

/**
 * A website that is connected, two texts that were approved, and publications: of the first one that has failed, one that waits, one of which no
 * one knows what became, one that is out, and of the first again one that is out elsewhere and whose newer text is held. The others are of pieces
 * that are gone.
 * @param name is contained in their titles
 */
export async function addPublications(
  app: TestApp,
  team: Pick<Team, 'tenantId' | 'adminId'>,
  name: string,
): Promise<string> {
  const { tenantId, adminId } = team
  const now = new Date(app.options.clock?.now() ?? Date.now())
  const insert = (table: string, row: Record<string, SqlValue>) =>
    app.db.write((tx) =>
      tx.run(
        `insert into ${table} (${Object.keys(row).join(', ')}) values (${Object.keys(row)
          .map(() => '?')
          .join(', ')})`,
        Object.values(row),
      ),
    )
  const website = await app.db.sql.get<{ id: string }>(
    `select id from channel_connections where tenant_id = ? and type = 'cms_site'`,
    [tenantId],
  )
  const channelId = website?.id ?? ulid()
  if (!website) {
    const known = await app.db.sql.get<Record<string, SqlValue>>(
      'select * from channel_connections where tenant_id = ?',
      [tenantId],
    )
    await insert('channel_connections', { ...known, id: channelId, type: 'cms_site', account_name: name })
  }
  const pending = await app.db.sql.all<Record<string, SqlValue>>(
    `select * from approvals where id in (select min(id) from approvals
       where tenant_id = ? and status = 'pending' and content_hash is not null group by content_of) order by id limit 2`,
    [tenantId],
  )
  const approved = {
    resolution: 'approved',
    resolved_at: now,
    resolved_by_id: adminId,
    resolved_by_name: 'Ada',
  }
  for (const one of pending)
    await insert('approvals', { ...one, ...approved, id: ulid(), status: 'approved' })
  const [approval = {}] = pending
  const publication = async (row: Record<string, SqlValue>) => {
    const id = ulid()
    await insert('publications', {
      id,
      tenant_id: tenantId,
      activity_id: ulid(),
      title: name,
      output_id: approval['output_id'] ?? '',
      content_hash: approval['content_hash'] ?? '',
      channel_id: channelId,
      channel_type: 'cms_site',
      scheduled_for: now,
      attempt: 1,
      touched: false,
      progress: '{}',
      failures: 0,
      checks: 0,
      asked: false,
      requested_by_id: adminId,
      requested_by_name: name,
      created_on: now,
      updated_on: now,
      ...row,
    })
    return id
  }
  const activityId = approval['content_of'] ?? ''
  const failed = await publication({
    status: 'failed',
    activity_id: activityId,
    error: `${name} was refused`,
  })
  await publication({ status: 'scheduled', next_at: new Date(now.getTime() + 365 * 86_400_000) })
  await publication({ status: 'unknown', touched: true, asked: true })
  const out = await publication({
    status: 'published',
    external_id: '1',
    url: 'https://oats.example/rye',
    published_at: now,
  })
  const elsewhere = await app.db.sql.get<{ id: string }>(
    `select id from channel_connections where tenant_id = ? and type <> 'cms_site' order by id`,
    [tenantId],
  )
  await publication({
    status: 'published',
    activity_id: activityId,
    channel_id: elsewhere?.id ?? ulid(),
    external_id: '2',
    url: 'https://oats.example/rye-elsewhere',
    published_at: now,
    content_hash: sha256Hex('The text before'),
    change_output_id: approval['output_id'] ?? '',
    change_hash: approval['content_hash'] ?? '',
    change_status: 'held',
    change_hold_reason: 'campaign_stopped',
  })
  const counted = {
    tenant_id: tenantId,
    publication_id: out,
    day: now.toISOString().slice(0, 10),
    updated_on: now,
  }
  await insert('publication_metrics', { ...counted, id: ulid(), impressions: 7 })
  await insert('website_days', {
    ...counted,
    id: ulid(),
    channel_id: channelId,
    account_key: sha256Hex(name).slice(0, 32),
    views: 7,
  })
  await insert('account_days', {
    id: ulid(),
    tenant_id: tenantId,
    channel_id: elsewhere?.id ?? channelId,
    account_key: sha256Hex(name).slice(0, 32),
    day: counted.day,
    views: 7,
    updated_on: now,
  })
  return failed
}
