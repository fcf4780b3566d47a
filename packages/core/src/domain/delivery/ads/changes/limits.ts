import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { DomainError } from '../../../../kernel/errors.ts'
import { flushOnce, transact } from '../../../../kernel/transact.ts'
import type { AdPlatformName } from '../entities.ts'
import type { PlatformCampaign } from '../platform.ts'
import { AdLimit, type AdLimitRow } from './entities.ts'

/** What is proposed above what is spent now. */
const headroom = 1.5

/**
 * Proposes what may be spent in an account, from what its running campaigns may spend today: half as much again. What is there stays.
 * @param campaigns all of the account
 */
export async function proposeLimit(
  txn: Transaction,
  { tenantId, platform, accountId }: OfAccount,
  campaigns: readonly PlatformCampaign[],
): Promise<void> {
  if (await txn.em.findOne(AdLimit, { tenantId, platform, accountId })) return
  const own = campaigns.filter(({ account }) => account.id === accountId)
  const running = own.filter(({ isRunning }) => isRunning)
  const sum = spendOf(running.length > 0 ? running : own)
  const now = txn.clock.date()
  txn.em.create(AdLimit, {
    id: txn.newId(),
    tenantId,
    platform,
    accountId,
    currency: own[0]?.account.currency ?? 'USD',
    dailyCapMicros: Math.min(Number.MAX_SAFE_INTEGER, Math.round(sum * headroom)),
    proposedOn: now.toISOString().slice(0, 10),
    setByName: null,
    runningMicros: running.length > 0 ? safe(sum) : 0,
    runningOn: now,
    updatedOn: now,
  })
  await flushOnce(txn, new DomainError('CONFLICT', 'Someone else is importing from this account: try again'))
}

/** What campaigns may spend on a day; a budget that several share counts once. */
function spendOf(campaigns: readonly PlatformCampaign[]): number {
  const budgets = new Map(
    campaigns.map((one) => [one.budgetName ?? one.id, one.dailyBudgetMicros ?? one.spendMicros ?? 0]),
  )
  return [...budgets.values()].reduce((total, micros) => total + micros, 0)
}

const safe = (micros: number): number | null => (Number.isSafeInteger(micros) ? micros : null)

/** Accounts of two platforms may have the same id. */
export interface OfAccount {
  tenantId: string
  platform: AdPlatformName
  accountId: string
}

/** Keeps what a platform has said that an account may spend on a day, for people to see beside the limit. */
export function noteRunning(ctx: Ctx, of: OfAccount, micros: number): Promise<void> {
  return transact(ctx, async (txn) => {
    const limit = await lockLimit(txn, of)
    if (limit) Object.assign(limit, { runningMicros: safe(micros), runningOn: txn.clock.date() })
  })
}

/** Brings the figure of `noteRunning` to what a set has changed since it was read. @param shiftMicros below zero where it spends less */
export async function shiftRunning(ctx: Ctx, of: OfAccount, shiftMicros: number): Promise<void> {
  if (shiftMicros === 0) return
  await transact(ctx, async (txn) => {
    const limit = await lockLimit(txn, of)
    if (limit && limit.runningMicros !== null)
      limit.runningMicros = safe(Math.max(0, limit.runningMicros + shiftMicros))
  })
}

/** The limit of an account, locked, so that its change sets go out one after the other; null where there is none. */
export function lockLimit(
  txn: Transaction,
  { tenantId, platform, accountId }: OfAccount,
): Promise<AdLimitRow | null> {
  return txn.em.findOne(AdLimit, { tenantId, platform, accountId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
}
