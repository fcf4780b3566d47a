import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { DomainError, notFound } from '../../../../kernel/errors.ts'
import { transact } from '../../../../kernel/transact.ts'
import { lockCampaign } from '../change.ts'
import type { AudienceSegment, AudienceSegmentChange, NewAudienceSegment } from './audience-schemas.ts'
import { requireChangeable } from './change.ts'
import { type AudienceRow, CampaignAudience } from './entities.ts'

/** The most groups that one campaign speaks to. */
const mostSegments = 100

/**
 * Adds a group of people. Serves `POST /tenant/v1/campaigns/:campaignId/audience`.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` when the campaign is archived, or has a hundred
 */
export function addSegment(
  ctx: Ctx,
  campaignId: string,
  input: NewAudienceSegment,
): Promise<AudienceSegment> {
  return transact(ctx, async (txn) => {
    const campaign = await lockCampaign(txn, campaignId)
    requireChangeable(campaign)
    if ((await txn.em.count(CampaignAudience, { campaignId })) >= mostSegments)
      throw new DomainError('UNPROCESSABLE', `A campaign has at most ${mostSegments} segments`)
    const now = txn.clock.date()
    const segment = txn.em.create(CampaignAudience, {
      id: txn.newId(),
      tenantId: campaign.tenantId,
      campaignId,
      name: input.name,
      segmentType: input.segmentType,
      filters: input.filters ?? {},
      estimatedSize: input.estimatedSize ?? null,
      platformAudienceId: input.platformAudienceId ?? null,
      source: 'manual',
      createdOn: now,
      updatedOn: now,
    })
    record(txn, segment, null, view(segment))
    return shown(segment)
  })
}

/**
 * Changes what is named. What a person has changed is theirs, and no analysis replaces it. Serves
 * `PATCH /tenant/v1/campaigns/:campaignId/audience/:segmentId`.
 * @throws DomainError `NOT_FOUND`; `UNPROCESSABLE` when the campaign is archived
 */
export function changeSegment(
  ctx: Ctx,
  at: { campaignId: string; segmentId: string },
  changes: AudienceSegmentChange,
): Promise<AudienceSegment> {
  return transact(ctx, async (txn) => {
    const segment = await lockSegment(txn, at)
    const before = view(segment)
    Object.assign(segment, changes, { source: 'manual', updatedOn: txn.clock.date() })
    record(txn, segment, before, view(segment))
    return shown(segment)
  })
}

/**
 * Removes a group. Serves `DELETE /tenant/v1/campaigns/:campaignId/audience/:segmentId`.
 * @throws DomainError as `changeSegment`
 */
export function removeSegment(ctx: Ctx, at: { campaignId: string; segmentId: string }): Promise<void> {
  return transact(ctx, async (txn) => {
    const segment = await lockSegment(txn, at)
    record(txn, segment, view(segment), null)
    txn.em.remove(segment)
  })
}

async function lockSegment(
  txn: Transaction,
  { campaignId, segmentId }: { campaignId: string; segmentId: string },
): Promise<AudienceRow> {
  requireChangeable(await lockCampaign(txn, campaignId))
  const lockMode = LockMode.PESSIMISTIC_WRITE
  const segment = await txn.em.findOne(CampaignAudience, { id: segmentId, campaignId }, { lockMode })
  if (!segment) throw notFound('segment')
  return segment
}

const view = ({ name, segmentType, filters, estimatedSize, platformAudienceId }: AudienceRow) => ({
  name,
  segmentType,
  filters,
  estimatedSize,
  platformAudienceId,
})

function shown(segment: AudienceRow): AudienceSegment {
  const { id, campaignId, source, createdOn, updatedOn } = segment
  return { id, campaignId, ...view(segment), source, createdOn, updatedOn }
}

function record(
  txn: Transaction,
  { id, tenantId, campaignId }: AudienceRow,
  before: unknown,
  after: unknown,
): void {
  txn.audit({
    tenantId,
    resourceType: 'campaign_audience',
    resourceId: id,
    before,
    after: after && { ...after, campaignId },
  })
}
