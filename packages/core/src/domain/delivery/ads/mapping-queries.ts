import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { toUsd } from '../../../kernel/money.ts'
import { equals, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { exists, like, nullable, select, table } from '../../../platform/database/read.ts'
import { CampaignMapping, type MappingRow } from './entities.ts'
import type { Mapping } from './schemas.ts'

const p = table(CampaignMapping, 'p')
const external = select({ externalCampaignId: p.externalCampaignId })
const reference = select({ id: p.id, tenantId: p.tenantId })

/** The ids of a platform's campaigns that the tenants in scope have already. */
export async function importedIds(ctx: Ctx, channelId: string): Promise<Set<string>> {
  const scope = within(ctx.scope, 'p.tenant_id')
  const rows = await external.all(ctx.sql, `from ${p} where p.channel_id = ? and ${scope.sql}`, [
    channelId,
    ...scope.params,
  ])
  return new Set(rows.map(({ externalCampaignId }) => externalCampaignId))
}

const latest = select({ at: nullable(like(p.createdOn, 'max(p.last_synced_at)')) })

/** When figures of a campaign were last fetched from any platform. */
export async function lastSyncOf(ctx: Ctx, campaignId: string): Promise<Date | null> {
  const scope = within(ctx.scope, 'p.tenant_id')
  const row = await latest.get(ctx.sql, `from ${p} where p.campaign_id = ? and ${scope.sql}`, [
    campaignId,
    ...scope.params,
  ])
  return row?.at ?? null
}

/** Mappings after one, of campaigns that run; for the daily round, which goes through all of them in parts. */
export function runningMappings(ctx: Ctx, after: string, limit: number) {
  return reference.all(
    ctx.sql,
    `from ${p} join campaigns c on c.id = p.campaign_id join channel_connections n on n.id = p.channel_id
     where p.id > ? and c.status = 'active' and c.type = 'paid_ads' and n.status = 'connected' order by p.id limit ?`,
    [after, limit],
  )
}

/** The mappings that a channel serves, after one. */
export function mappingsOfChannel(ctx: Ctx, channelId: string, after: string, limit: number) {
  return reference.all(ctx.sql, `from ${p} where p.channel_id = ? and p.id > ? order by p.id limit ?`, [
    channelId,
    after,
    limit,
  ])
}

/** A mapping as it is shown. */
export function shownMapping(
  row: Pick<
    MappingRow,
    | 'id'
    | 'campaignId'
    | 'channelId'
    | 'platform'
    | 'accountId'
    | 'currency'
    | 'externalCampaignId'
    | 'externalName'
    | 'externalStatus'
    | 'dailyBudgetMicros'
    | 'lastSyncedAt'
    | 'syncError'
    | 'createdOn'
  >,
): Mapping {
  const { channelId, externalName, dailyBudgetMicros, ...rest } = row
  return {
    id: rest.id,
    campaignId: rest.campaignId,
    connectedChannelId: channelId,
    platform: rest.platform,
    accountId: rest.accountId,
    currency: rest.currency,
    externalCampaignId: rest.externalCampaignId,
    externalCampaignName: externalName,
    externalStatus: rest.externalStatus,
    dailyBudget: dailyBudgetMicros === null ? null : toUsd(dailyBudgetMicros),
    lastSyncedAt: rest.lastSyncedAt,
    syncError: rest.syncError,
    createdOn: rest.createdOn,
  }
}

/** @throws DomainError `NOT_FOUND` when the tenants in scope have no such campaign */
export async function requireCampaign(ctx: Ctx, id: string): Promise<void> {
  const known = where(within(ctx.scope, 'tenant_id'), equals('id', id))
  if (!(await exists(ctx.sql, `from campaigns where ${known.sql}`, known.params))) throw notFound('campaign')
}
