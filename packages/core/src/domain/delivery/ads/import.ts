import { actorName, type Ctx, type Transaction } from '../../../kernel/context.ts'
import { DomainError, invalid } from '../../../kernel/errors.ts'
import { toUsd } from '../../../kernel/money.ts'
import { oneTenant } from '../../../kernel/scope.ts'
import { transact } from '../../../kernel/transact.ts'
import { lockCampaign } from '../../work/campaigns/change.ts'
import { Campaign } from '../../work/campaigns/entities.ts'
import { campaignUpdate } from '../../work/campaigns/events.ts'
import { requireChangeable } from '../../work/campaigns/workflow/change.ts'
import { requirePeriod } from '../../work/campaigns/workflow/create.ts'
import { getWorkflowCampaign } from '../../work/campaigns/workflow/queries.ts'
import { askPlatform, channelFor, platformOf } from './ask.ts'
import { proposeLimit } from './changes/limits.ts'
import type { AdPlatformName } from './entities.ts'
import { joinCampaign } from './mapping.ts'
import { importedIds, shownMapping } from './mapping-queries.ts'
import type { PlatformCampaign } from './platform.ts'
import type { Imported, ImportList, ImportOrder, ImportQuery, LinkOrder, Mapping } from './schemas.ts'

/**
 * The campaigns at a platform, as it has them at present. Serves `GET /tenant/v1/campaigns/import`.
 * @throws DomainError as `channelFor` and `askPlatform`
 */
export async function listForImport(ctx: Ctx, query: ImportQuery): Promise<ImportList> {
  const { channel: platform, connectedChannelId } = query
  await channelFor(ctx, connectedChannelId, platform, { platform: 'channel' })
  const found = await campaignsAt(ctx, connectedChannelId, platform)
  const known = await importedIds(ctx, connectedChannelId)
  return {
    campaigns: found.map(({ id, name, status, account, dailyBudgetMicros, startDate, endDate }) => ({
      externalCampaignId: id,
      name,
      status,
      ...(dailyBudgetMicros !== null && { budget: toUsd(dailyBudgetMicros) }),
      currency: account.currency,
      accountId: account.id,
      ...(startDate !== null && { startDate }),
      ...(endDate !== null && { endDate }),
      alreadyImported: known.has(id),
    })),
  }
}

const campaignsAt = (ctx: Ctx, channelId: string, name: AdPlatformName) => {
  const platform = platformOf(ctx, name)
  return askPlatform(ctx, channelId, platform, (call) => platform.campaigns(call))
}

/**
 * Takes campaigns of a platform over as they stand there, all or none, and has their figures fetched. The status is the platform's, and so
 * is the money where the request says nothing. Serves `POST /tenant/v1/campaigns/import`.
 * @throws DomainError as `channelFor`; `VALIDATION_ERROR` on the campaign that the platform does not have, or that is named twice, and on the
 *   date of one that would end before it begins; `CONFLICT` when one is imported already
 */
export async function importCampaigns(ctx: Ctx, order: ImportOrder): Promise<Imported> {
  const tenantId = oneTenant(ctx)
  const { connectedChannelId, platform } = order
  const channel = await channelFor(ctx, connectedChannelId, platform, { platform: 'platform' })
  const found = new Map((await campaignsAt(ctx, connectedChannelId, platform)).map((one) => [one.id, one]))
  const wanted = new Map<string, { there: PlatformCampaign; given: ImportOrder['campaigns'][number] }>()
  for (const [i, given] of order.campaigns.entries()) {
    const there = found.get(given.externalCampaignId)
    const field = `campaigns.${i}.externalCampaignId`
    if (!there) throw invalid(field, 'The platform has no such campaign')
    if (wanted.has(there.id)) throw invalid(field, 'Is named twice')
    const { startDate, endDate } = datesOf(there, given)
    if (startDate && endDate && startDate > endDate)
      throw invalid(
        `campaigns.${i}.${given.endDate === undefined ? 'startDate' : 'endDate'}`,
        'endDate must not be before startDate',
      )
    wanted.set(there.id, { there, given })
  }
  const mappings = await transact(ctx, async (txn) => {
    await requirePeriod(txn, order.deliverablePeriodId)
    const made: Mapping[] = []
    for (const { there, given } of wanted.values()) {
      const campaign = takeOver(txn, { tenantId, platform, period: order.deliverablePeriodId }, there, given)
      made.push(shownMapping(await joinCampaign(txn, campaign, channel, platform, there)))
      await proposeLimit(txn, { tenantId, platform, accountId: there.account.id }, [...found.values()])
    }
    return made
  })
  return Promise.all(
    mappings.map(async (mapping) => ({ ...(await getWorkflowCampaign(ctx, mapping.campaignId)), mapping })),
  )
}

/** The platform's, where the request says nothing. */
const datesOf = (there: PlatformCampaign, given: ImportOrder['campaigns'][number]) => ({
  startDate: given.startDate ?? there.startDate,
  endDate: given.endDate ?? there.endDate,
})

function takeOver(
  txn: Transaction,
  { tenantId, platform, period }: { tenantId: string; platform: AdPlatformName; period: string | undefined },
  there: PlatformCampaign,
  given: ImportOrder['campaigns'][number],
): { id: string; tenantId: string } {
  const now = txn.clock.date()
  const id = txn.newId()
  const status = there.isRunning ? 'active' : 'paused'
  const name = given.name.slice(0, 200).toWellFormed()
  const micros = given.budget === undefined ? there.dailyBudgetMicros : Math.round(given.budget * 1_000_000)
  txn.em.create(Campaign, {
    id,
    tenantId,
    name,
    brief: '',
    status,
    budgetCapMicros: null,
    ...datesOf(there, given),
    attachments: [],
    type: 'paid_ads',
    source: 'imported',
    channels: [platform],
    goal: null,
    budgetMicros: micros,
    budgetCurrency: micros === null ? null : there.account.currency,
    deliverablePeriodId: period ?? null,
    autoPilotEnabled: false,
    startsWhenPlanned: false,
    statusNote: null,
    createdById: txn.actor.id,
    createdByName: actorName(txn),
    createdOn: now,
    updatedOn: now,
  })
  const after = { name, status, source: 'imported', platform, externalCampaignId: there.id }
  txn.audit({ tenantId, resourceType: 'campaign', resourceId: id, after })
  txn.emit(campaignUpdate, { tenantId, subject: id, data: { campaignId: id, name, status } })
  return { id, tenantId }
}

/**
 * Joins a campaign of ours to one that the platform has already. Serves `POST /tenant/v1/campaigns/:campaignId/link-external`.
 * @throws DomainError `NOT_FOUND`; as `channelFor`; `CONFLICT` when it has one of that platform, or that one is joined already;
 *   `UNPROCESSABLE` when it is archived, or no campaign of paid ads; `VALIDATION_ERROR` for one that the platform does not have
 */
export async function linkExternal(ctx: Ctx, campaignId: string, order: LinkOrder): Promise<Mapping> {
  const { connectedChannelId, platform, externalCampaignId } = order
  const linkable = async (txn: Transaction) => {
    const campaign = await lockCampaign(txn, campaignId)
    requireChangeable(campaign)
    if (campaign.type !== 'paid_ads')
      throw new DomainError('UNPROCESSABLE', 'Only a campaign of the type paid_ads runs at a platform')
    return campaign
  }
  const channel = await channelFor(ctx, connectedChannelId, platform, { platform: 'platform' })
  await transact(ctx, linkable)
  const found = await campaignsAt(ctx, connectedChannelId, platform)
  const there = found.find(({ id }) => id === externalCampaignId)
  if (!there) throw invalid('externalCampaignId', 'The platform has no such campaign')
  return transact(ctx, async (txn) => {
    const campaign = await linkable(txn)
    const mapping = await joinCampaign(txn, campaign, channel, platform, there)
    await proposeLimit(txn, { tenantId: campaign.tenantId, platform, accountId: there.account.id }, found)
    campaign.channels = [...new Set([...(campaign.channels ?? []), platform])]
    campaign.updatedOn = txn.clock.date()
    const after = { platform, externalCampaignId, externalName: there.name }
    txn.audit({
      tenantId: campaign.tenantId,
      resourceType: 'campaign_mapping',
      resourceId: mapping.id,
      after: { ...after, campaignId },
    })
    return shownMapping(mapping)
  })
}
