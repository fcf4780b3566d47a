import type { Ctx } from '../../../../kernel/context.ts'
import { transact } from '../../../../kernel/transact.ts'
import { lockCampaign } from '../../../work/campaigns/change.ts'
import { negativeText } from '../changes/items.ts'
import { classifyTermsJob } from '../jobs.ts'
import { removedNegatives } from '../keywords/declined-queries.ts'
import { topicOf } from '../topic.ts'
import { classify } from './policy.ts'
import { costPerConversion, countUnsorted, sortTerm, unsortedTerms } from './queries.ts'
import type { ClassifyStarted } from './schemas.ts'
import { sortByModel } from './with-model.ts'

/** Terms that are sorted in one transaction. */
const batch = 200
/** What a term becomes that would be a negative keyword again: a person has said that it is none. */
const wasRemoved = {
  classification: 'watch',
  reason: 'It was a negative keyword (exact) until a person removed it',
} as const
/** Terms that a model is asked about in one job. */
const mostAsked = 1_000

/**
 * Has the search terms sorted that nobody has sorted. Serves `POST /tenant/v1/campaigns/:campaignId/search-terms/classify`.
 * @throws DomainError `NOT_FOUND`
 */
export function startClassifying(ctx: Ctx, campaignId: string): Promise<ClassifyStarted> {
  return transact(ctx, async (txn) => {
    const { tenantId } = await lockCampaign(txn, campaignId)
    const queued = await countUnsorted(txn, campaignId)
    if (queued > 0)
      txn.enqueue(classifyTermsJob, {
        tenantId,
        payload: { campaignId },
        uniqueKey: `${classifyTermsJob.kind}:${campaignId}`,
      })
    return { queued }
  })
}

/**
 * Sorts term by term in the order of their letters: the job `ads.classify`. What has converted or is a keyword is sorted by rules, the rest
 * by a model, as far as there is one, and else by rules too.
 */
export async function classifyTerms(
  ctx: Ctx,
  { campaignId }: { campaignId: string },
  signal: AbortSignal,
): Promise<void> {
  const costPerConversionMicros = await costPerConversion(ctx, campaignId)
  const topic = await topicOf(ctx, campaignId)
  if (!topic) return
  let asked = 0
  for (let after = ''; !signal.aborted; ) {
    const part = await unsortedTerms(ctx, campaignId, after, batch)
    const unsure = part
      .filter(({ isKeyword, conversionMicros }) => isKeyword === 0 && conversionMicros === 0)
      .slice(0, mostAsked - asked)
    asked += unsure.length
    const said = await sortByModel(ctx, topic, unsure, signal)
    const texts = part.map(({ term }) => negativeText(term))
    const removed = await removedNegatives(ctx, { campaignId, texts })
    await transact(ctx, async (txn) => {
      for (const { isKeyword, currency, ...sums } of part) {
        const known = { isKeyword: isKeyword > 0, costPerConversionMicros, currency }
        const found = said.get(sums.term) ?? classify(sums, known)
        const isDeclined = found.classification === 'add_as_negative' && removed.has(negativeText(sums.term))
        await sortTerm(
          txn,
          campaignId,
          sums.term,
          { ...(isDeclined ? wasRemoved : found), classificationStatus: 'pending' },
          'unsorted',
        )
      }
    })
    const last = part.at(-1)
    if (!last || part.length < batch) return
    after = last.term
  }
}
