import type { Transaction } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { addDays } from '../../../kernel/periods.ts'
import { nextNumber } from '../billing/invoices/number-queries.ts'

/** What visitors may take of the operator without paying, where registration is open. */
export interface FreeTenantLimits {
  /** Tenants that register in a day (UTC) on the free plan or on trial, over the whole installation. */
  perDay: number
  /** What the agents of all of them together may spend in a month (UTC); micro-dollars. */
  monthlyMicros: number
}

export const defaultFreeTenants = { perDay: 10, monthlyUsd: 50 } as const

/** A registered tenant that works without paying. */
export function isFree(tenant: { registered: boolean; plan: string; status: string }): boolean {
  return tenant.registered && (tenant.plan === 'free' || tenant.status === 'trial')
}

/**
 * Counts one more tenant that works without paying, in the transaction that makes it; those at the same moment wait for each other.
 * @throws DomainError `RATE_LIMITED` when today's are taken, with the seconds to the next day
 */
export async function countFreeTenant(txn: Transaction): Promise<void> {
  const now = txn.clock.date()
  const day = now.toISOString().slice(0, 10)
  const count = await nextNumber(txn, `free-tenants:${day}`)
  if (count <= txn.services.settings.freeTenants.perDay) return
  const retryAfterS = Math.ceil((Date.parse(addDays(day, 1)) - now.getTime()) / 1_000)
  throw new DomainError(
    'RATE_LIMITED',
    'No more free tenants are taken today: choose a paid plan, or register again tomorrow',
    { retryAfterS },
  )
}

declare module '../../../kernel/services.ts' {
  interface Settings {
    freeTenants: FreeTenantLimits
  }
}
