import { LockMode } from '@mikro-orm/core'
import type { Transaction } from '../../../../kernel/context.ts'
import { DomainError } from '../../../../kernel/errors.ts'
import { flushOnce } from '../../../../kernel/transact.ts'
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
  tenantId: string,
  accountId: string,
  campaigns: readonly PlatformCampaign[],
): Promise<void> {
  if (await txn.em.findOne(AdLimit, { tenantId, accountId })) return
  const own = campaigns.filter(({ account }) => account.id === accountId)
  const running = own.filter(({ isRunning }) => isRunning)
  const counted = running.length > 0 ? running : own
  const budgets = new Map(
    counted.map((one) => [one.budgetName ?? one.id, one.dailyBudgetMicros ?? one.spendMicros ?? 0]),
  )
  const sum = [...budgets.values()].reduce((total, micros) => total + micros, 0)
  const now = txn.clock.date()
  txn.em.create(AdLimit, {
    id: txn.newId(),
    tenantId,
    accountId,
    currency: own[0]?.account.currency ?? 'USD',
    dailyCapMicros: Math.min(Number.MAX_SAFE_INTEGER, Math.round(sum * headroom)),
    proposedOn: now.toISOString().slice(0, 10),
    updatedOn: now,
  })
  await flushOnce(txn, new DomainError('CONFLICT', 'Someone else is importing from this account: try again'))
}

/** The limit of an account, locked, so that its change sets go out one after the other; null where there is none. */
export function lockLimit(
  txn: Transaction,
  of: { tenantId: string; accountId: string },
): Promise<AdLimitRow | null> {
  const { tenantId, accountId } = of
  return txn.em.findOne(AdLimit, { tenantId, accountId }, { lockMode: LockMode.PESSIMISTIC_WRITE })
}
