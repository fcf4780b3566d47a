import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { addDays, dayIn } from '../../../kernel/periods.ts'
import { transact } from '../../../kernel/transact.ts'
import { withAccess } from '../../accounts/channels/access.ts'
import { PlatformError } from '../../accounts/channels/platform-error.ts'
import { lockCampaign } from '../../work/campaigns/change.ts'
import { readMetrics } from '../../work/campaigns/metrics/queries.ts'
import { recordDays } from '../../work/campaigns/metrics/record-queries.ts'
import type { CampaignMetricsReply, MetricsQuery } from '../../work/campaigns/metrics/schemas.ts'
import { CampaignMapping, type MappingRow } from './entities.ts'
import { syncMetricsJob } from './jobs.ts'
import { lockMapping, requestSync, standing } from './mapping.ts'
import { lastSyncOf, mappingsOfChannel, runningMappings } from './mapping-queries.ts'
import { importOutside } from './outside/import.ts'
import type { AdPlatform, CampaignAddress } from './platform.ts'
import type { SyncStarted } from './schemas.ts'

/** How far back the first time goes, and each later one: platforms put days right as long as conversions come in, days. */
const firstDays = 90
const restatedDays = 30

/** Mappings that are asked for in one command. */
const roundSize = 500

/** Serves `GET /tenant/v1/campaigns/:campaignId/metrics`. @throws DomainError as `readMetrics` */
export async function campaignMetrics(
  ctx: Ctx,
  campaignId: string,
  query: MetricsQuery,
): Promise<CampaignMetricsReply> {
  return readMetrics(ctx, campaignId, query, await lastSyncOf(ctx, campaignId))
}

/**
 * Has the figures of a campaign fetched. Serves `POST /tenant/v1/campaigns/:campaignId/metrics/sync`.
 * @throws DomainError `NOT_FOUND`; `BAD_REQUEST` when it runs at no platform
 */
export function startSync(ctx: Ctx, campaignId: string): Promise<SyncStarted> {
  return transact(ctx, async (txn) => {
    const mappings = await requireMappings(txn, campaignId)
    for (const mapping of mappings) requestSync(txn, mapping)
    return { queued: mappings.length }
  })
}

/** @throws DomainError `NOT_FOUND`; `BAD_REQUEST` when the campaign runs at no platform */
export async function requireMappings(txn: Transaction, campaignId: string): Promise<MappingRow[]> {
  await lockCampaign(txn, campaignId)
  const mappings = await txn.em.find(CampaignMapping, { campaignId }, { orderBy: { id: 'asc' } })
  if (mappings.length === 0)
    throw new DomainError('BAD_REQUEST', 'The campaign is linked to no campaign of a platform')
  return mappings
}

/** The job `ads.metrics`. @throws PlatformError `transient` when another try may do */
export async function syncMetrics(
  ctx: Ctx,
  { mappingId }: { mappingId: string },
  signal: AbortSignal,
): Promise<void> {
  await withMapping(ctx, mappingId, syncMetricsJob, signal, async (platform, call, mapping, address) => {
    const to = dayIn(ctx.clock.date(), mapping.timezone)
    const from = addDays(to, -(mapping.lastSyncedAt ? restatedDays : firstDays))
    const there = await platform.campaign(call, address)
    const days = await platform.days(call, address, { from, to })
    await transact(ctx, async (txn) => {
      const row = await lockMapping(txn, mappingId)
      if (!row) return
      const { tenantId, campaignId, platform: channel } = row
      const currency = there?.account.currency ?? row.currency
      const written = await recordDays(txn, { tenantId, campaignId, channel, currency }, days)
      const now = txn.clock.date()
      Object.assign(row, {
        ...(there ? standing(there) : { externalStatus: 'REMOVED' }),
        currency,
        lastSyncedAt: now,
        syncError: null,
        updatedOn: now,
      })
      ctx.log.debug('fetched the figures of a campaign', { mappingId, days: days.length, written })
    })
    await importOutside(ctx, platform, { call, mapping, address })
  })
}

type Call = Parameters<AdPlatform['campaign']>[0]

/**
 * Works at the platform of a mapping as a job. What the platform refuses is kept with the mapping in words for people; what may do at
 * another time is tried then.
 */
export async function withMapping(
  ctx: Ctx,
  mappingId: string,
  job: { kind: string },
  signal: AbortSignal,
  work: (platform: AdPlatform, call: Call, mapping: MappingRow, address: CampaignAddress) => Promise<void>,
): Promise<void> {
  const mapping = await transact(ctx, (txn) => txn.em.findOne(CampaignMapping, { id: mappingId }))
  const platform = mapping && ctx.services.adPlatforms.get(mapping.platform)
  if (!mapping || !platform) return
  const account = { id: mapping.accountId, loginId: mapping.loginAccountId }
  const address = { account, campaignId: mapping.externalCampaignId }
  try {
    await withAccess(ctx, mapping.channelId, { rules: platform.rules, signal }, (call) =>
      work(platform, call, mapping, address),
    )
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    const { kind, message } = error
    await transact(ctx, async (txn) => {
      const row = await lockMapping(txn, mappingId)
      if (row) Object.assign(row, { syncError: message, updatedOn: txn.clock.date() })
    })
    ctx.log.warn('an advertising platform could not be read', { mappingId, job: job.kind, kind, message })
    if (kind === 'transient' || kind === 'quota') throw error
  }
}

/** Asks for the figures of every campaign that runs: the job `ads.daily`. */
export async function syncDaily(ctx: Ctx): Promise<void> {
  await eachMapping(ctx, (after) => runningMappings(ctx, after, roundSize))
}

/** A channel was connected again: what has waited for it is fetched, the job `channel.resume`. */
export async function syncOfChannel(ctx: Ctx, { channelId }: { channelId: string }): Promise<void> {
  await eachMapping(ctx, (after) => mappingsOfChannel(ctx, channelId, after, roundSize))
}

async function eachMapping(
  ctx: Ctx,
  read: (after: string) => Promise<Array<{ id: string; tenantId: string }>>,
): Promise<void> {
  for (let after = ''; ; ) {
    const part = await read(after)
    await transact(ctx, async (txn) => {
      for (const mapping of part) requestSync(txn, mapping)
    })
    const last = part.at(-1)
    if (!last || part.length < roundSize) return
    after = last.id
  }
}
