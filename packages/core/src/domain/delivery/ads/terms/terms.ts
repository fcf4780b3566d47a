import { LockMode } from '@mikro-orm/core'
import { actorName, type Ctx, type Transaction } from '../../../../kernel/context.ts'
import { DomainError, invalid, notFound } from '../../../../kernel/errors.ts'
import { addDays, daysBetween } from '../../../../kernel/periods.ts'
import { transact } from '../../../../kernel/transact.ts'
import { lockCampaign } from '../../../work/campaigns/change.ts'
import { syncTermsJob } from '../jobs.ts'
import { requireSearchMapping } from '../keywords/sync.ts'
import { lockMapping } from '../mapping.ts'
import type { SyncStarted } from '../schemas.ts'
import { withMapping } from '../sync.ts'
import { type Classification, SearchTermReport, type SearchTermRow } from './entities.ts'
import { classificationOf } from './policy.ts'
import { recordTerms, sortTerm, termItem, toIntent } from './queries.ts'
import type { IntentDecision, IntentItem, TermDecision, TermItem, TermSyncOrder } from './schemas.ts'

/** The most days that are asked for in one go, and in one request to the platform. */
const mostDays = 92
const partDays = 7

/**
 * Has search terms of some days fetched. Serves `POST /tenant/v1/campaigns/:campaignId/search-terms/sync`.
 * @throws DomainError as `requireSearchMapping`; `VALIDATION_ERROR` on `from` for a span that is none, or longer than 92 days
 */
export function startTermSync(
  ctx: Ctx,
  campaignId: string,
  { from, to }: TermSyncOrder,
): Promise<SyncStarted> {
  if (from > to) throw invalid('from', 'from must not be after to')
  if (daysBetween(from, to) > mostDays) throw invalid('from', `At most ${mostDays} days at once`)
  return transact(ctx, async (txn) => {
    const { id, tenantId } = await requireSearchMapping(txn, campaignId)
    txn.enqueue(syncTermsJob, {
      tenantId,
      payload: { mappingId: id, from, to },
      uniqueKey: `${syncTermsJob.kind}:${id}:${from}:${to}`,
    })
    return { queued: 1 }
  })
}

/** The job `ads.terms`; each part is written before the next one is asked for. @throws PlatformError `transient` */
export async function syncTerms(
  ctx: Ctx,
  payload: { mappingId: string; from: string; to: string },
  signal: AbortSignal,
): Promise<void> {
  const { mappingId, to } = payload
  await withMapping(ctx, mappingId, syncTermsJob, signal, async (platform, call, _mapping, address) => {
    if (!platform.search) return
    const parts = Math.ceil(daysBetween(payload.from, to) / partDays)
    for (let part = 0; part < parts; part += 1) {
      const from = addDays(payload.from, part * partDays)
      const last = addDays(from, partDays - 1)
      const terms = await platform.search.terms(call, address, { from, to: last < to ? last : to })
      await transact(ctx, async (txn) => {
        const row = await lockMapping(txn, mappingId)
        if (!row) return
        await recordTerms(txn, row, terms)
        const now = txn.clock.date()
        Object.assign(row, { termsSyncedAt: now, syncError: null, updatedOn: now })
      })
    }
  })
}

/**
 * A person says what a search term is; it holds for all of its days. Serves
 * `PATCH /tenant/v1/campaigns/:campaignId/search-terms/:searchTermId/classification`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` when it is at the platform already
 */
export async function decideTerm(
  ctx: Ctx,
  at: { campaignId: string; searchTermId: string },
  { dmDecision }: TermDecision,
): Promise<TermItem> {
  await transact(ctx, async (txn) => {
    await lockCampaign(txn, at.campaignId)
    const row = await lockTerm(txn, { id: at.searchTermId, campaignId: at.campaignId })
    await decide(txn, row, dmDecision, null)
  })
  return termItem(ctx, at.searchTermId)
}

/**
 * The same by the words of the dashboard, with a note. Serves `PATCH /dashboard/v1/paid-ads/search-terms/:searchTermId/classify`.
 * @throws DomainError as `decideTerm`
 */
export async function decideIntent(
  ctx: Ctx,
  searchTermId: string,
  { classification, note }: IntentDecision,
): Promise<IntentItem> {
  await transact(ctx, async (txn) => {
    const row = await lockTerm(txn, { id: searchTermId })
    await decide(txn, row, classificationOf(classification), note ?? null)
  })
  return toIntent(await termItem(ctx, searchTermId))
}

async function lockTerm(txn: Transaction, at: { id: string; campaignId?: string }): Promise<SearchTermRow> {
  const row = await txn.em.findOne(SearchTermReport, at, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!row) throw notFound('search term')
  return row
}

async function decide(
  txn: Transaction,
  row: SearchTermRow,
  classification: Classification,
  note: string | null,
): Promise<void> {
  const { id, tenantId, campaignId, term } = row
  if (row.classificationStatus === 'pushed')
    throw new DomainError('CONFLICT', 'The term is a negative keyword at the platform: remove that first')
  const set = {
    classification,
    classificationStatus: 'dm_reviewed',
    note,
    decidedByName: actorName(txn),
  } as const
  txn.audit({
    tenantId,
    resourceType: 'search_term',
    resourceId: id,
    before: { classification: row.classification, status: row.classificationStatus },
    after: { classification, status: 'dm_reviewed', term, note },
  })
  // The row stays as it was read: the statement writes it with its other days.
  await sortTerm(txn, campaignId, term, set, 'all')
}
