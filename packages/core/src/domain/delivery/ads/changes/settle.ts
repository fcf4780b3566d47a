import type { Transaction } from '../../../../kernel/context.ts'
import type { FailureKind } from '../../../accounts/channels/platform-error.ts'
import { notify } from '../../../people/notifications/notify.ts'
import { logActivity } from '../../../work/activities/state.ts'
import { followSet } from '../advice/follow-set.ts'
import { platformOf } from '../ask.ts'
import type { MappingRow } from '../entities.ts'
import { CampaignKeyword, NegativeKeyword } from '../keywords/entities.ts'
import { lockMapping } from '../mapping.ts'
import { hasOutcome, outcomeTime } from '../outcomes/policy.ts'
import { markPushed } from '../terms/queries.ts'
import type { ChangeItem, ChangeSetRow, ChangeSetStatus } from './entities.ts'
import { lookUpMs, mostTries, retryMs } from './policy.ts'

/** What a turn has brought. */
export interface ApplyOutcome {
  items: ChangeItem[]
  /** @property isLost a request to change something may have been done, and the platform could not be asked. */
  failure?: {
    kind: FailureKind
    message: string
    until?: Date | undefined
    requestId?: string | undefined
    isLost: boolean
  }
}

/** How often the platform is looked at after the last try whose answer was lost: nothing is sent any more. */
const mostLooks = 3
/** Whether this turn only looks at what has become of the tries before. */
export const onlyLooks = ({ touched, failures }: Pick<ChangeSetRow, 'touched' | 'failures'>): boolean =>
  touched && failures >= mostTries

type LookAt = (txn: Transaction, set: ChangeSetRow, at: Date) => void

/** Writes down what a turn has brought, and brings our rows to what the platform has. */
export async function settleChanges(
  txn: Transaction,
  set: ChangeSetRow,
  mapping: MappingRow,
  { items, failure }: ApplyOutcome,
  lookAt: LookAt,
): Promise<void> {
  set.leaseUntil = null
  if (failure) return settleFailure(txn, set, failure, lookAt)
  // What was approved, also where guardrails have stopped it since.
  const wanted = set.items.filter(({ state }) => state !== 'refused' && state !== 'rejected').length
  set.items = items
  for (const item of items) await follow(txn, set, mapping, item)
  const applied = items.filter(({ state }) => state === 'applied').length
  const missed = items.find(({ state }) => state === 'drifted' || state === 'failed' || state === 'refused')
  const status = applied === 0 ? 'failed' : applied < wanted ? 'partly_applied' : 'applied'
  await end(txn, set, status, applied === wanted && applied > 0 ? null : (missed?.reason ?? null))
}

/** Nothing was done for certain, or no one knows: then the platform is asked what it has before anything is sent again. */
async function settleFailure(
  txn: Transaction,
  set: ChangeSetRow,
  { kind, message, until, requestId, isLost }: NonNullable<ApplyOutcome['failure']>,
  lookAt: LookAt,
): Promise<void> {
  set.failures += 1
  set.error = message
  set.touched = kind === 'unknown'
  const waits = kind === 'unknown' || kind === 'transient' || kind === 'quota'
  if (waits && set.failures < (kind === 'unknown' ? mostTries + mostLooks : mostTries)) {
    set.status = kind === 'unknown' ? 'unknown' : 'approved'
    const waitMs = kind === 'unknown' ? lookUpMs(set.failures, set.items) : retryMs(set.failures)
    return lookAt(txn, set, until ?? new Date(txn.clock.now() + waitMs))
  }
  const reason = isLost ? `Whether it was done is not known: look at the platform. ${message}` : message
  const failed = { state: 'failed' as const, reason, ...(requestId !== undefined && { requestId }) }
  set.items = set.items.map((item) => (item.state === 'planned' ? { ...item, ...failed } : item))
  for (const item of set.items) await withdrawNegative(txn, item)
  await end(txn, set, 'failed', message)
  await notify(txn, {
    tenantId: set.tenantId,
    to: 'admins',
    type: 'campaign_update',
    title: `Ads were not changed: ${set.title}`,
    body: isLost
      ? `The answers of the platform were lost; look there what it has. ${message}`
      : `The platform has refused: ${message}`,
    subjectKind: 'campaigns',
    subjectId: set.campaignId,
  })
}

async function end(
  txn: Transaction,
  set: ChangeSetRow,
  status: ChangeSetStatus,
  error: string | null,
): Promise<void> {
  const now = txn.clock.date()
  const { id, tenantId, digest } = set
  Object.assign(set, { status, error, nextAt: null, touched: false, updatedOn: now })
  if (status !== 'failed') {
    set.appliedOn = now
    // A paused ad brings nothing by itself.
    if (hasOutcome(set.source) && set.items.some(({ kind }) => kind !== 'ad'))
      set.outcomeAt = outcomeTime(now, 0)
    await followSet(txn, set)
  }
  txn.audit({
    tenantId,
    resourceType: 'ad_change_set',
    resourceId: id,
    action: `ad_change_set.${status}`,
    after: { status, digest, items: set.items.map(({ label, state }) => `${state}: ${label}`) },
  })
}

/** Brings our row of an item to what the platform has. */
export async function follow(
  txn: Transaction,
  set: ChangeSetRow,
  { id: mappingId, platform }: MappingRow,
  item: ChangeItem,
): Promise<void> {
  const { campaignId } = set
  if (item.state !== 'applied') return withdrawNegative(txn, item)
  const { kind, after, subjectId, externalId, reason } = item
  const now = txn.clock.date()
  if (kind === 'daily_budget' || kind === 'campaign_status') {
    const mapping = await lockMapping(txn, mappingId)
    const words = platformOf(txn, platform).words
    const changed =
      kind === 'daily_budget'
        ? { dailyBudgetMicros: after }
        : { externalStatus: words[after === 'enabled' ? 'enabled' : 'paused'] }
    if (mapping) Object.assign(mapping, changed, { updatedOn: now })
    return
  }
  if (subjectId === null) return
  // What was so already is no news.
  if (kind === 'ad') return reason === null ? logAd(txn, set, item) : undefined
  if (kind === 'keyword_bid' || kind === 'keyword_status') {
    const keyword = await txn.em.findOne(CampaignKeyword, { id: subjectId })
    const changed = kind === 'keyword_bid' ? { bidMicros: after } : { status: after }
    if (keyword) Object.assign(keyword, changed, { updatedOn: now })
    return
  }
  const negative = await txn.em.findOne(NegativeKeyword, { id: subjectId })
  if (!negative) return
  Object.assign(
    negative,
    after === null ? { status: 'removed' } : { status: 'active', externalCriterionId: externalId },
    { updatedOn: now },
  )
  if (negative.source === 'search_term_classification')
    await markPushed(txn, campaignId, negative.text, after === null ? 'dm_reviewed' : 'pushed')
}

/** The log of an activity says what has become of its text. */
function logAd(txn: Transaction, { id: changeSetId, tenantId }: ChangeSetRow, item: ChangeItem): void {
  const { subjectId, label, externalId } = item
  const message = `Done at the platform: ${label}`
  const activity = { id: subjectId ?? '', tenantId }
  logActivity(txn, activity, { kind: 'publishing', message, data: { changeSetId, externalId } })
}

/** A negative keyword that does not come to the platform is none. */
export async function withdrawNegative(
  txn: Transaction,
  { kind, after, subjectId }: ChangeItem,
): Promise<void> {
  if (kind !== 'negative_keyword' || after === null || subjectId === null) return
  const negative = await txn.em.findOne(NegativeKeyword, { id: subjectId, status: 'pending_push' })
  if (negative) Object.assign(negative, { status: 'removed', updatedOn: txn.clock.date() })
}
