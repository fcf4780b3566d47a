import { createIds, createSystemClock } from '../../packages/core/src/platform/clock.ts'
import { sha256Hex } from '../../packages/core/src/platform/crypto/hash.ts'
import type { Database, SqlValue } from '../../packages/core/src/platform/database/database.ts'
import { adCopy } from '../kit/ad-copy.ts'

const ulid = createIds(createSystemClock())

/**
 * What is there once an agent has written ad copy and a person has approved it: no server is needed for it.
 * @param piece that someone has ordered
 */
export async function addApprovedCopy(
  db: Database,
  piece: { activityId: string; campaignId: string; tenantId: string },
): Promise<void> {
  const { activityId, campaignId, tenantId } = piece
  const now = new Date()
  const insert = inserterFor(db, tenantId)
  await db.write(async (tx) => {
    await tx.run('delete from runs where activity_id = ?', [activityId])
    await tx.run(`update activities set status = 'done' where id = ?`, [activityId])
  })
  const hash = sha256Hex(adCopy)
  const outputId = await insert('outputs', {
    activity_id: activityId,
    version: 1,
    text: adCopy,
    format: 'markdown',
    sha256: hash,
    author_id: 'ads_writer',
    author_name: 'Ads writer',
    author_type: 'agent',
    created_on: now,
  })
  await insert('approvals', {
    campaign_id: campaignId,
    title: 'Ad copy',
    type: 'content_review',
    risk_level: 'low',
    risk_rank: 3,
    status: 'approved',
    resolution: 'approved',
    created_by_id: 'ads_writer',
    created_by_name: 'Ads writer',
    created_by_type: 'agent',
    created_on: now,
    expires_at: new Date(now.getTime() + 86_400_000),
    resolved_at: now,
    content_of: activityId,
    output_id: outputId,
    content_hash: hash,
    edited: false,
    updated_on: now,
  })
}

/**
 * An ad group, as a fetch would have found it.
 * @param externalId its id at the platform
 * @returns its id
 */
export function addAdGroup(
  db: Database,
  { tenantId, campaignId }: { tenantId: string; campaignId: string },
  externalId: string,
): Promise<string> {
  return inserterFor(db, tenantId)('ad_groups', {
    campaign_id: campaignId,
    external_id: externalId,
    name: `Group ${externalId}`,
    status: 'enabled',
    default_bid_micros: 500_000,
    updated_on: new Date(),
  })
}

/** Adds rows of a tenant. @returns what adds one and says its id */
const inserterFor =
  (db: Database, tenantId: string) => async (table: string, row: Record<string, SqlValue>) => {
    const id = ulid()
    const all = { id, tenant_id: tenantId, ...row }
    const names = Object.keys(all)
    await db.write((tx) =>
      tx.run(
        `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`,
        Object.values(all),
      ),
    )
    return id
  }

/**
 * A keyword in an ad group, as a fetch would have found it.
 * @param at ids of the platform
 * @returns its id
 */
export async function addKeyword(
  db: Database,
  { tenantId, campaignId }: { tenantId: string; campaignId: string },
  at: { group: string; criterion: string; text: string; bidMicros: number },
): Promise<string> {
  const adGroupId = await addAdGroup(db, { tenantId, campaignId }, at.group)
  return inserterFor(db, tenantId)('campaign_keywords', {
    campaign_id: campaignId,
    ad_group_id: adGroupId,
    external_criterion_id: at.criterion,
    text: at.text,
    match_type: 'exact',
    status: 'enabled',
    bid_micros: at.bidMicros,
    quality_score: null,
    impressions: 0,
    clicks: 0,
    cost_micros: 0,
    conversion_micros: 0,
    updated_on: new Date(),
  })
}
