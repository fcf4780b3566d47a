import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { DomainError, notFound } from '../../../../kernel/errors.ts'
import { addDays, dayIn } from '../../../../kernel/periods.ts'
import { transact } from '../../../../kernel/transact.ts'
import { lockCampaign } from '../../../work/campaigns/change.ts'
import { platformOf } from '../ask.ts'
import { AdChangeSet } from '../changes/entities.ts'
import { applyNow, refuseChange, refuseFailed } from '../changes/immediate.ts'
import { isTaken, negativeText } from '../changes/items.ts'
import { takenNegatives } from '../changes/queries.ts'
import { CampaignMapping, type MappingRow } from '../entities.ts'
import { adviseJob, checkPagesJob } from '../jobs.ts'
import { declinedNegatives } from '../keywords/declined-queries.ts'
import { requireCampaign, runningMappings } from '../mapping-queries.ts'
import type { SyncStarted } from '../schemas.ts'
import { requireMappings } from '../sync.ts'
import { topicOf } from '../topic.ts'
import { type AdviceRow, CampaignRecommendation } from './entities.ts'
import { markApplied } from './follow-set.ts'
import { keepAdvice } from './keep-advice.ts'
import { type AdAdvice, adAdviceOn, nextStatus, smallStep } from './policy.ts'
import { adviceItem, idleKeywords, negativeTerms, openTerms, sumsBetween } from './queries.ts'
import type { AdviceDecision, Recommendation } from './schemas.ts'
import { adviseByModel } from './with-model.ts'

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
  const payload = { mappingId: id, seen: [] }
  txn.enqueue(checkPagesJob, { tenantId, payload, uniqueKey: `${checkPagesJob.kind}:${id}` })
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

/** Looks for advice by the rules of `policy.ts`, and by a model where there is one: the job `ads.advise`. */
export async function advise(
  ctx: Ctx,
  { mappingId }: { mappingId: string },
  signal: AbortSignal,
): Promise<void> {
  const mapping = await transact(ctx, (txn) => txn.em.findOne(CampaignMapping, { id: mappingId }))
  if (!mapping) return
  const topic = await topicOf(ctx, mapping.campaignId)
  if (!topic) return
  const situation = await situationOf(ctx, mapping)
  const hasTerms = platformOf(ctx, mapping.platform).search !== undefined
  const open = hasTerms ? await openTerms(ctx, mapping.campaignId) : []
  const terms = await withoutDeclined(ctx, mapping.campaignId, open)
  const byRules = adAdviceOn(situation)
  const isSame = (a: AdAdvice, b: AdAdvice) => a.kind === b.kind && a.subject === b.subject
  // What both find is told once, with the rule.
  const more = (await adviseByModel(ctx, topic, situation, terms, signal)).filter(
    (one) => !byRules.some((other) => isSame(one, other)),
  )
  const found = [...byRules, ...more]
  await transact(ctx, async (txn) => {
    await lockCampaign(txn, mapping.campaignId)
    await keepAdvice(txn, mapping, found)
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
    terms: hasKeywords ? await wastedTerms(ctx, campaignId) : [],
  }
}

/**
 * Without those that people have declined as negative keywords, by removing them or by skipping a recommendation, unless someone
 * has decided on the term since.
 */
async function withoutDeclined<T extends { term: string; decidedOn: Date | null }>(
  ctx: Ctx,
  campaignId: string,
  terms: readonly T[],
): Promise<T[]> {
  const texts = terms.map(({ term }) => negativeText(term))
  const declined = await declinedNegatives(ctx, { campaignId, texts })
  return terms.filter(({ term, decidedOn }) => {
    const at = declined.get(negativeText(term))
    return at === undefined || (decidedOn !== null && decidedOn > at)
  })
}

/** Without those that were made negative keywords by hand. */
async function wastedTerms(ctx: Ctx, campaignId: string) {
  const terms = await withoutDeclined(ctx, campaignId, await negativeTerms(ctx, campaignId))
  const texts = terms.map(({ term }) => negativeText(term))
  const taken =
    texts.length === 0 ? new Set() : await takenNegatives(ctx, { campaignId, matchType: 'exact', texts })
  return terms.filter(
    ({ term, conversionMicros }) => conversionMicros === 0 && !taken.has(negativeText(term)),
  )
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
 * @throws DomainError `NOT_FOUND`; `CONFLICT` before the client has approved, but for budgets and bids that change by at most a tenth, and
 *   while its change set is on its way; `UNPROCESSABLE` for what is done by hand; as `applyNow`
 */
export async function applyAdvice(ctx: Ctx, at: At): Promise<Recommendation> {
  const { status, title, changes, platform } = await transact(ctx, (txn) => lockToApply(txn, at))
  const order = { title, source: 'recommendation' as const, changes, platform }
  const within = status === 'dm_approved' ? { mostStep: smallStep } : {}
  const set = await applyNow(
    ctx,
    at.campaignId,
    { ...order, ...within },
    {
      partly: true,
      // Linked by the transaction that approves the set: it may be done by another turn, when the answer of this one was lost.
      onPlanned: async (txn, { id: changeSetId }) => {
        const row = await lockToApply(txn, at)
        Object.assign(row, { changeSetId, updatedOn: txn.clock.date() })
      },
    },
  )
  if (set.status === 'refused' && !set.items.every(isTaken)) return refuseChange(set, 'guardrail')
  if (set.status === 'failed') return refuseFailed(set)
  await transact(ctx, async (txn) => {
    const row = await lockAdvice(txn, at)
    // Where the platform had all of it before, no turn has ended the set.
    if (row.status !== 'applied') markApplied(txn, row, set.id)
  })
  return adviceItem(ctx, at.recommendationId)
}

/** @throws DomainError as `applyAdvice` */
async function lockToApply(txn: Transaction, at: At): Promise<AdviceRow> {
  const row = await lockAdvice(txn, at)
  const { status, changes, changeSetId } = row
  if (status !== 'client_approved' && status !== 'dm_approved')
    throw new DomainError('CONFLICT', `The recommendation is ${status}: it is not to be applied`)
  if (changes.length === 0)
    throw new DomainError('UNPROCESSABLE', `Nothing can be applied from here. ${row.suggestedAction}`, {
      details: { reason: 'by_hand' },
    })
  const isMoney = changes.every(({ kind }) => kind === 'daily_budget' || kind === 'keyword_bid')
  if (status === 'dm_approved' && !isMoney)
    throw new DomainError('CONFLICT', 'The client has to approve this first')
  const set = changeSetId === null ? null : await txn.em.findOne(AdChangeSet, { id: changeSetId })
  if (set && ['approved', 'applying', 'unknown'].includes(set.status))
    throw new DomainError('CONFLICT', 'It is being applied: the change set goes on by itself', {
      details: { changeSetId },
    })
  return row
}
