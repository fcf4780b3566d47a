import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { addDays, dayIn } from '../../../../kernel/periods.ts'
import { transact } from '../../../../kernel/transact.ts'
import { notify } from '../../../people/notifications/notify.ts'
import { sumsBetween } from '../advice/queries.ts'
import { lockChangeSet } from '../changes/apply.ts'
import type { ChangeOutcome, ChangeSetRow } from '../changes/entities.ts'
import { CampaignMapping } from '../entities.ts'
import { dayMs, outcomeDays, outcomeTime, patienceDays, wordOutcome } from './policy.ts'
import { dueOutcomes, isUndone, othersApplied, perRound } from './queries.ts'

/**
 * Holds the days after each change set against those before it, once they are over and their figures have come, and tells it to the one who approved
 * the set: the job `ads.outcomes`.
 */
export async function measureOutcomes(ctx: Ctx): Promise<void> {
  for (let after = ''; ; ) {
    const due = await dueOutcomes(ctx, ctx.clock.date(), after)
    for (const id of due)
      await transact(ctx, async (txn) => {
        const set = await lockChangeSet(txn, id)
        if (set?.outcomeAt && set.outcomeAt <= txn.clock.date()) await measure(txn, set)
      })
    const last = due.at(-1)
    if (last === undefined || due.length < perRound) return
    after = last
  }
}

async function measure(txn: Transaction, set: ChangeSetRow): Promise<void> {
  const { campaignId, mappingId, appliedOn } = set
  const told = set.outcomes ?? []
  const days = outcomeDays[told.length]
  const mapping = await txn.em.findOne(CampaignMapping, { id: mappingId })
  // What was taken back has no outcome.
  if (!appliedOn || days === undefined || !mapping || (await isUndone(txn, set.id))) {
    set.outcomeAt = null
    return
  }
  const { timezone, platform, lastSyncedAt } = mapping
  const day = dayIn(appliedOn, timezone)
  const last = addDays(day, days)
  const now = txn.clock.now()
  if (!lastSyncedAt || dayIn(lastSyncedAt, timezone) <= last) {
    const end = appliedOn.getTime() + (days + patienceDays) * dayMs
    if (now >= end) set.outcomeAt = null
    return
  }
  const between = (from: string, to: string) => sumsBetween(txn, campaignId, platform, { from, to })
  const outcome: ChangeOutcome = {
    days,
    measuredOn: txn.clock.date().toISOString(),
    before: await between(addDays(day, -days), addDays(day, -1)),
    after: await between(addDays(day, 1), last),
    otherSets: await othersApplied(txn, set, days),
  }
  set.outcomes = [...told, outcome]
  set.outcomeAt = outcomeTime(appliedOn, told.length + 1)
  await tell(txn, set, outcome)
}

async function tell(
  txn: Transaction,
  { tenantId, campaignId, title, currency, approvedById }: ChangeSetRow,
  outcome: ChangeOutcome,
): Promise<void> {
  await notify(txn, {
    tenantId,
    to: approvedById === null ? 'admins' : [approvedById],
    type: 'campaign_update',
    title: `${outcome.days} days after: ${title}`,
    body: wordOutcome(outcome, currency),
    subjectKind: 'campaigns',
    subjectId: campaignId,
  })
}
