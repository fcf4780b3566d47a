import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { transact } from '../../../../kernel/transact.ts'
import { withAccess } from '../../../accounts/channels/access.ts'
import type { PlatformCall, PlatformRequest } from '../../../accounts/channels/platform-call.ts'
import { PlatformError } from '../../../accounts/channels/platform-error.ts'
import { CampaignMapping, type MappingRow } from '../entities.ts'
import { applyChangesJob } from '../jobs.ts'
import type { AdChanges, AdPlatform, CampaignAddress, ItemOutcome, LiveValue } from '../platform.ts'
import { AdChangeSet, type ChangeItem, type ChangeSetRow } from './entities.ts'
import { addressAt, guardedOf, moreOf, readFacts, shiftOf } from './facts.ts'
import { lockLimit, shiftRunning } from './limits.ts'
import { textDrift } from './new-ad.ts'
import { applyLeaseMs, money, obstacleTo, roomObstacle } from './policy.ts'
import { accountOfSet, isAccountBusy } from './queries.ts'
import { type ApplyOutcome, onlyLooks, settleChanges } from './settle.ts'

/** A change set in the hands of one turn. */
interface ApplyTurn {
  set: ChangeSetRow
  mapping: MappingRow
  platform: AdPlatform
  changes: AdChanges
}

/** How long a set waits while another one of the same account is on its way, milliseconds. */
const queueMs = 5_000

/** Loads a change set and locks it; null when it is gone. */
export function lockChangeSet(txn: Transaction, id: string): Promise<ChangeSetRow | null> {
  return txn.em.findOne(AdChangeSet, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
}

/**
 * Says when a set is looked at next, in the transaction that changes it.
 * @param jobAt when a job looks, where the caller does so before
 */
export function lookAtChanges(txn: Transaction, set: ChangeSetRow, at: Date, jobAt = at): void {
  const { id, tenantId, attempt } = set
  set.nextAt = at
  set.updatedOn = txn.clock.date()
  txn.enqueue(applyChangesJob, {
    tenantId,
    payload: { changeSetId: id },
    runAt: jobAt,
    // Another job than the one that asks for it, into which it would fold.
    uniqueKey: `${applyChangesJob.kind}:${id}:${attempt}:${jobAt.getTime()}`,
  })
}

/** One turn of an approved change set: the job `ads.apply`. What is not due is left alone. */
export async function applyChanges(
  ctx: Ctx,
  { changeSetId }: { changeSetId: string },
  signal: AbortSignal,
): Promise<void> {
  const turn = await claim(ctx, changeSetId)
  if (!turn) return
  const outcome = await perform(ctx, turn, signal)
  await transact(ctx, async (txn) => {
    const set = await lockChangeSet(txn, changeSetId)
    if (set?.attempt !== turn.set.attempt || set.status !== 'applying')
      return ctx.log.warn('a turn of ads ended after another had begun', { changeSetId })
    await settleChanges(txn, set, turn.mapping, outcome, lookAtChanges)
  })
}

function claim(ctx: Ctx, id: string): Promise<ApplyTurn | undefined> {
  return transact(ctx, async (txn) => {
    const seen = await accountOfSet(txn, id)
    if (!seen) return undefined
    // One after the other for each account: what may still be spent is known to each.
    await lockLimit(txn, seen)
    const set = await lockChangeSet(txn, id)
    const mapping = await txn.em.findOne(CampaignMapping, { id: seen.mappingId })
    const platform = mapping ? txn.services.adPlatforms.get(mapping.platform) : undefined
    const isOpen = set && ['approved', 'applying', 'unknown'].includes(set.status)
    if (!isOpen || !mapping || !platform?.changes) return undefined
    const now = txn.clock.now()
    if (set.nextAt === null || set.nextAt.getTime() > now) return undefined
    if (await isAccountBusy(txn, { ...seen, id })) {
      lookAtChanges(txn, set, new Date(now + queueMs))
      return undefined
    }
    set.status = 'applying'
    set.attempt += 1
    set.leaseUntil = new Date(now + applyLeaseMs)
    // Should this process die, another turn begins when the lease ends.
    lookAtChanges(txn, set, set.leaseUntil)
    return { set, mapping, platform, changes: platform.changes }
  })
}

async function perform(ctx: Ctx, turn: ApplyTurn, signal: AbortSignal): Promise<ApplyOutcome> {
  const { set, mapping, platform } = turn
  const items = set.items.map((item) => ({ ...item }))
  let sent = set.touched
  const before = async ({ effect }: PlatformRequest) => {
    if (effect !== 'once') return
    await note(ctx, set)
    sent = true
  }
  const options = {
    rules: platform.rules,
    signal,
    before,
    onRefused: ({ effect }: PlatformRequest) => {
      if (effect === 'once') sent = false
    },
  }
  try {
    return await withAccess(ctx, mapping.channelId, options, (call) => change(ctx, turn, call, items))
  } catch (error) {
    const { kind, message, until, requestId } = toPlatformError(ctx, set, error)
    const isUnknown = sent && kind !== 'auth'
    return { items, failure: { kind: isUnknown ? 'unknown' : kind, message, until, requestId, isLost: sent } }
  }
}

function toPlatformError(ctx: Ctx, { id }: ChangeSetRow, error: unknown): PlatformError {
  if (error instanceof PlatformError) return error
  ctx.log.warn('a turn of ads failed', { changeSetId: id, error })
  return new PlatformError('transient', 'Something went wrong here')
}

/** Before a request that changes something is sent, it is on record that one may have been. */
function note(ctx: Ctx, { id, attempt }: ChangeSetRow): Promise<void> {
  return transact(ctx, async (txn) => {
    const set = await lockChangeSet(txn, id)
    if (set?.attempt !== attempt || set.status !== 'applying')
      throw new PlatformError('transient', 'Another turn has taken this change set over')
    set.touched = true
  })
}

const notDone = 'The answers of the platform were lost, and it shows that it was not done'
const limitUsedUp = 'The daily limit of the account is used up'

/** Reads once more what guardrails measure by: much may have changed since people have approved the plan. */
async function change(
  ctx: Ctx,
  { set, mapping, changes, platform }: ApplyTurn,
  call: PlatformCall,
  items: ChangeItem[],
): Promise<ApplyOutcome> {
  const open = items.filter(({ state }) => state === 'planned')
  const facts = await readFacts(ctx, { mapping, changes, call }, open)
  let room = facts.roomMicros
  const allowed: ChangeItem[] = []
  for (const [i, item] of open.entries()) {
    const now = facts.values[i]
    const { value = null, externalId } = now ?? {}
    item.live = value
    if (value === item.after && set.touched) Object.assign(item, done(now))
    else if (value !== item.before)
      Object.assign(item, {
        state: 'drifted',
        reason: `The platform has ${money(value, mapping.currency)}, not ${money(item.before, mapping.currency)} any more: nothing was done`,
      })
    else if (onlyLooks(set)) Object.assign(item, { state: 'failed', reason: notDone })
    else {
      const drift = await transact(ctx, (txn) => textDrift(txn, item))
      if (drift !== undefined) {
        Object.assign(item, { state: 'drifted', reason: drift })
        continue
      }
      const more = moreOf(item, facts.budget)
      const how = { isUndo: set.source === 'undo', mostStep: item.mostStep }
      const known = guardedOf(facts, { item, now, items: open }, how)
      const reason =
        obstacleTo(item, known) ??
        roomObstacle(more, { roomMicros: room, currency: mapping.currency, usedUp: limitUsedUp })
      if (reason !== undefined) {
        Object.assign(item, { state: 'refused', reason })
        continue
      }
      item.externalId ??= externalId ?? null
      if (room !== null) room -= more ?? 0
      allowed.push(item)
    }
  }
  if (allowed.length === 0) return { items }
  const address = { ...addressAt(mapping), budgetName: facts.budget?.budgetName ?? null }
  const outcomes = await changes.mutate(call, address, allowed, { dry: false })
  await readBack(changes, call, { address, currency: mapping.currency }, allowed, outcomes)
  const runs = mapping.externalStatus === platform.words.enabled
  const dailyBudgetMicros = facts.budget?.dailyBudgetMicros ?? 0
  await shiftRunning(ctx, mapping, shiftOf(allowed, { runs, dailyBudgetMicros }))
  return { items }
}

const done = (live: LiveValue | undefined) => ({
  state: 'applied',
  reason: null,
  ...(live?.externalId !== undefined && { externalId: live.externalId }),
})

/** What was changed is looked at once more; the platform may need a moment to show it. */
async function readBack(
  changes: AdChanges,
  call: PlatformCall,
  { address, currency }: { address: CampaignAddress; currency: string },
  allowed: readonly ChangeItem[],
  outcomes: readonly ItemOutcome[],
): Promise<void> {
  for (const [i, item] of allowed.entries()) {
    const { externalId, requestId } = outcomes[i] ?? {}
    item.externalId ??= externalId ?? null
    if (requestId !== undefined) item.requestId = requestId
  }
  const { values } = await changes.live(call, address, allowed)
  for (const [i, item] of allowed.entries()) {
    const now = values[i]
    item.live = now?.value ?? null
    if (item.live === item.after) Object.assign(item, done(now))
    else
      Object.assign(item, {
        state: 'failed',
        reason: `The platform took it, and shows ${money(item.live, currency)}`,
      })
  }
}
