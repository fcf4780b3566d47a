import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { DomainError, notFound } from '../../../../kernel/errors.ts'
import { addDays, dayIn } from '../../../../kernel/periods.ts'
import { transact } from '../../../../kernel/transact.ts'
import { lockCampaign } from '../../../work/campaigns/change.ts'
import { platformOf } from '../ask.ts'
import type { ChangeSetRow } from '../changes/entities.ts'
import { applyNow } from '../changes/immediate.ts'
import { CampaignMapping, type MappingRow } from '../entities.ts'
import { adviseJob } from '../jobs.ts'
import { requireCampaign, runningMappings } from '../mapping-queries.ts'
import type { SyncStarted } from '../schemas.ts'
import { requireMappings } from '../sync.ts'
import { type AdviceRow, CampaignRecommendation, priorities } from './entities.ts'
import { adAdviceOn, nextStatus, smallStep } from './policy.ts'
import { adviceItem, idleKeywords, isAdvised, negativeTerms, sumsBetween } from './queries.ts'
import type { AdviceDecision, Recommendation } from './schemas.ts'

const dayMs = 86_400_000
/** What people have skipped or followed is not suggested again for so long, days. */
const quietDays = 14
/** Mappings that are asked for in one command. */
const roundSize = 500

/**
 * Has advice looked for at once, in the place of the weekly round. Serves `POST /tenant/v1/campaigns/:campaignId/optimizations/trigger`.
 * @throws DomainError `NOT_FOUND`; `BAD_REQUEST` when it runs at no platform
 */
export function startAdvising(ctx: Ctx, campaignId: string): Promise<SyncStarted> {
  return transact(ctx, async (txn) => {
    const mappings = await requireMappings(txn, campaignId)
    for (const mapping of mappings) requestAdvice(txn, mapping)
    return { queued: mappings.length }
  })
}

function requestAdvice(txn: Transaction, { id, tenantId }: { id: string; tenantId: string }): void {
  txn.enqueue(adviseJob, { tenantId, payload: { mappingId: id }, uniqueKey: `${adviseJob.kind}:${id}` })
}

/** Asks for advice on every campaign that runs: the job `ads.weekly`. */
export async function adviseWeekly(ctx: Ctx): Promise<void> {
  for (let after = ''; ; ) {
    const part = await runningMappings(ctx, after, roundSize)
    await transact(ctx, async (txn) => {
      for (const mapping of part) requestAdvice(txn, mapping)
    })
    const last = part.at(-1)
    if (!last || part.length < roundSize) return
    after = last.id
  }
}

/** Looks for advice by the rules of `policy.ts`: the job `ads.advise`. */
export async function advise(ctx: Ctx, { mappingId }: { mappingId: string }): Promise<void> {
  const mapping = await transact(ctx, (txn) => txn.em.findOne(CampaignMapping, { id: mappingId }))
  if (!mapping) return
  const found = adAdviceOn(await situationOf(ctx, mapping))
  await transact(ctx, async (txn) => {
    const { campaignId, tenantId, platform } = mapping
    await lockCampaign(txn, campaignId)
    const now = txn.clock.date()
    const since = new Date(now.getTime() - quietDays * dayMs)
    for (const advice of found)
      if (!(await isAdvised(txn, { campaignId, kind: advice.kind, subject: advice.subject, since })))
        txn.em.create(CampaignRecommendation, {
          id: txn.newId(),
          tenantId,
          campaignId,
          platform,
          ...advice,
          rank: priorities.indexOf(advice.priority),
          status: 'pending',
          dmNote: null,
          clientNote: null,
          changeSetId: null,
          appliedAt: null,
          createdOn: now,
          updatedOn: now,
        })
  })
}

async function situationOf(ctx: Ctx, mapping: MappingRow) {
  const { campaignId, platform, currency, timezone, dailyBudgetMicros, budgetShared } = mapping
  // Today is not over, and would look like a bad day.
  const to = addDays(dayIn(ctx.clock.date(), timezone), -1)
  const from = addDays(to, -29)
  const all = await sumsBetween(ctx, campaignId, platform, { from, to })
  const there = platformOf(ctx, platform)
  const hasKeywords = there.search !== undefined
  const week = await sumsBetween(ctx, campaignId, platform, { from: addDays(to, -6), to })
  return {
    currency,
    from,
    to,
    dailyBudgetMicros,
    budgetShared,
    budgetUnit: there.budgetUnit(currency),
    ...all,
    weekCostMicros: week.costMicros,
    weekConversionMicros: week.conversionMicros,
    keywords: hasKeywords ? await idleKeywords(ctx, campaignId) : [],
    terms: hasKeywords
      ? (await negativeTerms(ctx, campaignId)).filter(({ conversionMicros }) => conversionMicros === 0)
      : [],
  }
}

type At = { campaignId: string; recommendationId: string }

async function lockAdvice(txn: Transaction, { campaignId, recommendationId: id }: At): Promise<AdviceRow> {
  await requireCampaign(txn, campaignId)
  const lockMode = LockMode.PESSIMISTIC_WRITE
  const row = await txn.em.findOne(CampaignRecommendation, { id, campaignId }, { lockMode })
  if (!row) throw notFound('recommendation')
  return row
}

/**
 * The team or the client decides. Serves `PATCH /tenant/v1/campaigns/:campaignId/optimizations/:recommendationId`.
 * @throws DomainError `NOT_FOUND`; as `nextStatus`
 */
export async function decideAdvice(
  ctx: Ctx,
  at: At,
  { status, note }: AdviceDecision,
): Promise<Recommendation> {
  await transact(ctx, async (txn) => {
    const row = await lockAdvice(txn, at)
    const before = row.status
    row.status = nextStatus(txn.actor.role, before, status)
    const ofClient = status === 'client_approved' || status === 'client_rejected'
    if (note !== undefined) Object.assign(row, ofClient ? { clientNote: note } : { dmNote: note })
    row.updatedOn = txn.clock.date()
    const { tenantId, id } = row
    const after = { status: row.status, decision: status, note: note ?? null }
    txn.audit({ tenantId, resourceType: 'recommendation', resourceId: id, before: { status: before }, after })
  })
  return adviceItem(ctx, at.recommendationId)
}

/**
 * Does what is suggested, through a change set under the guardrails. Serves
 * `POST /tenant/v1/campaigns/:campaignId/optimizations/:recommendationId/apply`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` before the client has approved, but for budgets and bids that change by at most a tenth;
 *   as `applyNow`
 */
export async function applyAdvice(ctx: Ctx, at: At): Promise<Recommendation> {
  const { status, title, changes, platform } = await transact(ctx, (txn) => lockAdvice(txn, at))
  if (status !== 'client_approved' && status !== 'dm_approved')
    throw new DomainError('CONFLICT', `The recommendation is ${status}: it is not to be applied`)
  const isMoney = changes.every(({ kind }) => kind === 'daily_budget' || kind === 'keyword_bid')
  if (status === 'dm_approved' && !isMoney)
    throw new DomainError('CONFLICT', 'The client has to approve this first')
  const order = { title, source: 'recommendation' as const, changes, platform }
  const within = status === 'dm_approved' ? { mostStep: smallStep } : {}
  const set: ChangeSetRow = await applyNow(ctx, at.campaignId, { ...order, ...within })
  await transact(ctx, async (txn) => {
    const row = await lockAdvice(txn, at)
    const now = txn.clock.date()
    Object.assign(row, { status: 'applied', changeSetId: set.id, appliedAt: now, updatedOn: now })
    const { tenantId, id } = row
    txn.audit({
      tenantId,
      resourceType: 'recommendation',
      resourceId: id,
      after: { status: 'applied', changeSetId: set.id },
    })
  })
  return adviceItem(ctx, at.recommendationId)
}
