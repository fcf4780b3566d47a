import type { Transaction } from '../../../../kernel/context.ts'
import { upsertRows } from '../../../../kernel/upsert-queries.ts'
import { placeholders } from '../../../../platform/database/database.ts'
import { pick, select, table } from '../../../../platform/database/read.ts'
import type { MappingRow } from '../entities.ts'
import type { PlatformGroup, PlatformKeyword, PlatformNegative } from '../platform.ts'
import { AdGroup, CampaignKeyword, NegativeKeyword } from './entities.ts'

const g = table(AdGroup, 'g')
const k = table(CampaignKeyword, 'k')
const n = table(NegativeKeyword, 'n')
const groupKey = select(pick(g, 'id', 'externalId'))
const keywordKey = select(pick(k, 'id', 'adGroupId', 'externalCriterionId'))
const negativeKey = select(pick(n, 'id', 'adGroupId', 'externalCriterionId'))

type Of = Pick<MappingRow, 'tenantId' | 'campaignId'>

/** Writes the ad groups of a campaign as they are there; what is gone there is removed here. @returns ids by the platform's */
export async function recordGroups(
  txn: Transaction,
  { tenantId, campaignId }: Of,
  groups: readonly PlatformGroup[],
): Promise<Map<string, string>> {
  const now = txn.clock.date()
  await upsertRows(
    txn.tx,
    {
      table: 'ad_groups',
      key: ['campaign_id', 'external_id'],
      fixed: ['id', 'tenant_id'],
      values: ['name', 'status', 'default_bid_micros'],
      stamp: ['updated_on'],
    },
    groups.map((group) => ({
      id: txn.newId(),
      tenant_id: tenantId,
      campaign_id: campaignId,
      external_id: group.id,
      name: group.name,
      status: group.status,
      default_bid_micros: group.bidMicros,
      updated_on: now,
    })),
  )
  const known = await groupKey.all(txn.tx, `from ${g} where g.campaign_id = ?`, [campaignId])
  const there = new Set(groups.map(({ id }) => id))
  await removeRows(
    txn,
    'ad_groups',
    known.filter(({ externalId }) => !there.has(externalId)).map(({ id }) => id),
  )
  return new Map(known.map(({ id, externalId }) => [externalId, id]))
}

/** Writes the keywords of a campaign as they are there. @param groups ids by the platform's */
export async function recordKeywords(
  txn: Transaction,
  { tenantId, campaignId }: Of,
  groups: ReadonlyMap<string, string>,
  keywords: readonly PlatformKeyword[],
): Promise<number> {
  const now = txn.clock.date()
  const rows = keywords.flatMap((one) => {
    const adGroupId = groups.get(one.groupId)
    if (adGroupId === undefined) return []
    return [
      {
        id: txn.newId(),
        tenant_id: tenantId,
        campaign_id: campaignId,
        ad_group_id: adGroupId,
        external_criterion_id: one.id,
        text: one.text,
        match_type: one.matchType,
        status: one.status,
        bid_micros: one.bidMicros,
        quality_score: one.qualityScore,
        impressions: one.impressions,
        clicks: one.clicks,
        cost_micros: one.costMicros,
        conversion_micros: one.conversionMicros,
        updated_on: now,
      },
    ]
  })
  const written = await upsertRows(
    txn.tx,
    {
      table: 'campaign_keywords',
      key: ['ad_group_id', 'external_criterion_id'],
      fixed: ['id', 'tenant_id', 'campaign_id'],
      values: [
        'text',
        'match_type',
        'status',
        'bid_micros',
        'quality_score',
        'impressions',
        'clicks',
        'cost_micros',
        'conversion_micros',
      ],
      stamp: ['updated_on'],
    },
    rows,
  )
  const there = new Set(rows.map((row) => `${row.ad_group_id} ${row.external_criterion_id}`))
  const known = await keywordKey.all(txn.tx, `from ${k} where k.campaign_id = ? and k.status <> 'removed'`, [
    campaignId,
  ])
  const gone = known.filter(
    ({ adGroupId, externalCriterionId }) => !there.has(`${adGroupId} ${externalCriterionId}`),
  )
  await removeRows(
    txn,
    'campaign_keywords',
    gone.map(({ id }) => id),
  )
  return written
}

/** Writes the negative keywords of a campaign as they are there; those that wait to be sent stay. */
export async function recordNegatives(
  txn: Transaction,
  { tenantId, campaignId }: Of,
  groups: ReadonlyMap<string, string>,
  negatives: readonly PlatformNegative[],
): Promise<void> {
  const now = txn.clock.date()
  const known = await negativeKey.all(txn.tx, `from ${n} where n.campaign_id = ? and n.status = 'active'`, [
    campaignId,
  ])
  const keyOf = (adGroupId: string | null, id: string | null) => `${adGroupId ?? ''} ${id ?? ''}`
  const here = new Set(known.map((one) => keyOf(one.adGroupId, one.externalCriterionId)))
  const there = new Set<string>()
  for (const one of negatives) {
    const adGroupId = one.groupId === null ? null : (groups.get(one.groupId) ?? null)
    if (one.groupId !== null && adGroupId === null) continue
    const key = keyOf(adGroupId, one.id)
    there.add(key)
    if (here.has(key)) continue
    txn.insert(NegativeKeyword, {
      id: txn.newId(),
      tenantId,
      campaignId,
      adGroupId,
      text: one.text,
      matchType: one.matchType,
      source: 'manual',
      status: 'active',
      externalCriterionId: one.id,
      createdOn: now,
      updatedOn: now,
    })
  }
  const gone = known.filter((one) => !there.has(keyOf(one.adGroupId, one.externalCriterionId)))
  await removeRows(
    txn,
    'negative_keywords',
    gone.map(({ id }) => id),
  )
}

const mostAtOnce = 500

async function removeRows(
  txn: Transaction,
  of: 'ad_groups' | 'campaign_keywords' | 'negative_keywords',
  ids: readonly string[],
): Promise<void> {
  for (let at = 0; at < ids.length; at += mostAtOnce) {
    const part = ids.slice(at, at + mostAtOnce)
    await txn.tx.run(
      `update ${of} set status = 'removed', updated_on = ? where id in (${placeholders(part)}) and status <> 'removed'`,
      [txn.clock.date(), ...part],
    )
  }
}
