import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { DomainError } from '../../../../kernel/errors.ts'
import { transact } from '../../../../kernel/transact.ts'
import { lockCampaign } from '../../../work/campaigns/change.ts'
import { requireChangeable } from '../../../work/campaigns/workflow/change.ts'
import { askPlatform, platformOf } from '../ask.ts'
import type { AdPlatformName, MappingRow } from '../entities.ts'
import type { NegativeSource } from '../keywords/entities.ts'
import type { AdChanges, CampaignAddress } from '../platform.ts'
import { changedMapping } from './changed-mapping.ts'
import type { Draft } from './draft.ts'
import { AdLimit, type ChangeItem, type ChangeSetRow, type ChangeSource } from './entities.ts'
import { draftAll } from './items.ts'
import { keepPlan } from './keep.ts'
import { type Guarded, isSoAlready, obstacleTo } from './policy.ts'
import { enabledKeywords, getChangeSet } from './queries.ts'
import type { ChangeSet, NewChangeSet, PlannedChange } from './schemas.ts'

type Call = Parameters<AdChanges['live']>[0]

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
    const checked = await guard(ctx, { mapping, drafts, changes, call, order })
    return validated(call, changes, mapping, checked)
  })
  return transact(ctx, async (txn) => {
    const set = await keepPlan(txn, mapping, { order, items: [...items, ...kept], drafts })
    if (set.status === 'planned') await onPlanned?.(txn, set)
    return set
  })
}

export const addressAt = (mapping: MappingRow): CampaignAddress & { budgetName: string | null } => ({
  account: { id: mapping.accountId, loginId: mapping.loginAccountId },
  campaignId: mapping.externalCampaignId,
  budgetName: mapping.budgetName,
})

async function guard(
  ctx: Ctx,
  {
    mapping,
    drafts,
    changes,
    call,
    order,
  }: { mapping: MappingRow; drafts: readonly Draft[]; changes: AdChanges; call: Call; order: ChangeOrder },
): Promise<ChangeItem[]> {
  const live = await changes.live(
    call,
    addressAt(mapping),
    drafts.map(({ item }) => item),
  )
  let room = await roomOf(
    ctx,
    mapping,
    changes,
    call,
    drafts.map(({ item }) => item),
  )
  const all: ChangeItem[] = []
  for (const [i, { item, adGroupId, groupBidMicros, expected }] of drafts.entries()) {
    const { value = null, externalId } = live[i] ?? {}
    const now = { ...item, before: value, live: value, externalId: item.externalId ?? externalId ?? null }
    const keywords =
      item.kind === 'negative_keyword' && item.after !== null
        ? await enabledKeywords(ctx, mapping.campaignId, adGroupId)
        : []
    const known: Guarded = {
      currency: mapping.currency,
      dailyBudgetMicros: mapping.dailyBudgetMicros,
      budgetShared: mapping.budgetShared,
      groupBidMicros,
      keywords,
      isUndo: order.undo !== undefined,
      mostStep: order.mostStep,
      roomMicros: room,
    }
    if (isSoAlready(now)) {
      all.push({ ...now, state: 'applied', reason: 'The platform has it so already' })
      continue
    }
    const reason = driftOf(now, expected) ?? obstacleTo(now, known)
    if (reason === undefined && room !== null) room -= moreOf(now, mapping)
    all.push(reason === undefined ? now : { ...now, state: 'refused', reason })
  }
  return all
}

/** What an item may add to what is spent on a day. */
export function moreOf({ kind, before, after }: ChangeItem, mapping: MappingRow): number {
  if (kind === 'daily_budget' && typeof before === 'number' && typeof after === 'number')
    return Math.max(0, after - before)
  return kind === 'campaign_status' && after === 'enabled' ? (mapping.dailyBudgetMicros ?? 0) : 0
}

/** What the limit of the account leaves; null where none is known. Asked for only where something may cost more. */
export async function roomOf(
  ctx: Ctx,
  mapping: MappingRow,
  changes: AdChanges,
  call: Call,
  items: readonly ChangeItem[],
): Promise<number | null> {
  if (!items.some(({ kind }) => kind === 'daily_budget' || kind === 'campaign_status')) return null
  const { tenantId, accountId } = mapping
  const limit = await transact(ctx, (txn) => txn.em.findOne(AdLimit, { tenantId, accountId }))
  if (!limit || limit.currency !== mapping.currency) return null
  return limit.dailyCapMicros - (await changes.dailySpend(call, addressAt(mapping).account))
}

const driftOf = ({ live }: ChangeItem, expected: ChangeItem['after'] | undefined): string | undefined =>
  expected === undefined || live === expected
    ? undefined
    : `It was changed elsewhere since, to ${live ?? 'nothing'}: it is left as it is`

async function validated(
  call: Call,
  changes: AdChanges,
  mapping: MappingRow,
  items: ChangeItem[],
): Promise<ChangeItem[]> {
  const open = items.filter(({ state }) => state === 'planned')
  if (open.length === 0) return items
  const outcomes = await changes.mutate(call, addressAt(mapping), open, { dry: true })
  for (const [i, { refusal }] of outcomes.entries())
    if (refusal !== undefined) Object.assign(open[i] as ChangeItem, { state: 'refused', reason: refusal })
  return items
}
