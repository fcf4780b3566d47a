import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { DomainError } from '../../../../kernel/errors.ts'
import { transact } from '../../../../kernel/transact.ts'
import type { PlatformCall } from '../../../accounts/channels/platform-call.ts'
import { lockCampaign } from '../../../work/campaigns/change.ts'
import { requireChangeable } from '../../../work/campaigns/workflow/change.ts'
import { askPlatform, platformOf } from '../ask.ts'
import type { AdPlatformName, MappingRow } from '../entities.ts'
import type { NegativeSource } from '../keywords/entities.ts'
import type { AdChanges } from '../platform.ts'
import { changedMapping } from './changed-mapping.ts'
import type { Draft } from './draft.ts'
import type { ChangeItem, ChangeSetRow, ChangeSource } from './entities.ts'
import { addressAt, guardedOf, type LiveFacts, moreOf, readFacts } from './facts.ts'
import { draftAll } from './items.ts'
import { keepPlan } from './keep.ts'
import { isSoAlready, money, obstacleTo, roomObstacle } from './policy.ts'
import { getChangeSet } from './queries.ts'
import type { ChangeSet, NewChangeSet, PlannedChange } from './schemas.ts'

/** A plan that is to be made. */
export interface ChangeOrder {
  title: string
  source: ChangeSource
  changes: readonly PlannedChange[]
  /** Where they are made; default: as `changedMapping` says. */
  platform?: AdPlatformName | undefined
  /** Of negative keywords that are added. */
  negativeSource?: NegativeSource
  /** A smaller step than guardrails let through, as a share. */
  mostStep?: number
  /** The set that is taken back: the item of it that each change takes back, by its place, and those that none does. */
  undo?: { id: string; items: readonly ChangeItem[]; kept: readonly ChangeItem[] }
}

/**
 * Plans changes: nothing is done until a person approves it by its digest. Serves
 * `POST /tenant/v1/campaigns/:campaignId/change-sets`.
 * @throws DomainError as `planChanges`
 */
export async function createChangeSet(ctx: Ctx, campaignId: string, input: NewChangeSet): Promise<ChangeSet> {
  const { title = 'Changes', changes, platform } = input
  const { id } = await planChanges(ctx, campaignId, { title, source: 'plan', changes, platform })
  return getChangeSet(ctx, campaignId, id)
}

/**
 * Reads what the platform has now, holds every item against the guardrails, has the platform validate the rest, and keeps the plan.
 * Items that do not pass are refused, each with its reason; with none left, so is the plan.
 * @param onPlanned what is done with a plan that has open items, in the transaction that keeps it
 * @throws DomainError `UNPROCESSABLE` when the campaign is archived or the platform refuses; as `changedMapping` and `draftAll`
 */
export async function planChanges(
  ctx: Ctx,
  campaignId: string,
  order: ChangeOrder,
  onPlanned?: (txn: Transaction, set: ChangeSetRow) => Promise<void>,
): Promise<ChangeSetRow> {
  const { mapping, drafts, kept } = await transact(ctx, async (txn) => {
    const found = await changedMapping(txn, campaignId, order)
    requireChangeable(await lockCampaign(txn, campaignId))
    return { mapping: found, ...(await draftAll(txn, found, order)) }
  })
  const platform = platformOf(ctx, mapping.platform)
  const { changes } = platform
  if (!changes) throw new DomainError('UNPROCESSABLE', 'Nothing is changed at this platform')
  const items = await askPlatform(ctx, mapping.channelId, platform, async (call) => {
    const checked = await guard(ctx, { mapping, changes, call }, { drafts, order })
    return validated(call, changes, mapping, checked)
  })
  return transact(ctx, async (txn) => {
    const set = await keepPlan(txn, mapping, { order, items: [...items, ...kept], drafts })
    if (set.status === 'planned') await onPlanned?.(txn, set)
    return set
  })
}

async function guard(
  ctx: Ctx,
  at: { mapping: MappingRow; changes: AdChanges; call: PlatformCall },
  { drafts, order }: { drafts: readonly Draft[]; order: ChangeOrder },
): Promise<{ items: ChangeItem[]; facts: LiveFacts }> {
  const { currency } = at.mapping
  const planned = drafts.map(({ item }) => item)
  const facts = await readFacts(ctx, at, planned)
  const how = { isUndo: order.undo !== undefined, mostStep: order.mostStep }
  let room = facts.roomMicros
  const items = drafts.map(({ item, expected }, i): ChangeItem => {
    const { value = null, externalId } = facts.values[i] ?? {}
    const now = { ...item, before: value, live: value, externalId: item.externalId ?? externalId ?? null }
    if (isSoAlready(now)) return { ...now, state: 'applied', reason: 'The platform has it so already' }
    const more = moreOf(now, facts.budget)
    const known = guardedOf(facts, { item: now, now: facts.values[i], items: planned }, how)
    const reason =
      driftOf(now, expected, currency) ??
      obstacleTo(now, known) ??
      roomObstacle(more, { roomMicros: room, currency })
    if (reason !== undefined) return { ...now, state: 'refused', reason }
    if (room !== null) room -= more ?? 0
    // Kept with the item: it is held against it once more when the plan is applied.
    return order.mostStep === undefined ? now : { ...now, mostStep: order.mostStep }
  })
  return { items, facts }
}

const driftOf = (
  { live }: ChangeItem,
  expected: ChangeItem['after'] | undefined,
  currency: string,
): string | undefined =>
  expected === undefined || live === expected
    ? undefined
    : `It was changed elsewhere since, to ${money(live, currency)}: it is left as it is`

async function validated(
  call: PlatformCall,
  changes: AdChanges,
  mapping: MappingRow,
  { items, facts }: { items: ChangeItem[]; facts: LiveFacts },
): Promise<ChangeItem[]> {
  const open = items.filter(({ state }) => state === 'planned')
  if (open.length === 0) return items
  const at = { ...addressAt(mapping), budgetName: facts.budget?.budgetName ?? null }
  const outcomes = await changes.mutate(call, at, open, { dry: true })
  for (const [i, { refusal, requestId }] of outcomes.entries())
    if (refusal !== undefined)
      Object.assign(open[i] as ChangeItem, {
        state: 'refused',
        reason: refusal,
        ...(requestId !== undefined && { requestId }),
      })
  return items
}
