import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { oneTenant } from '../../../kernel/scope.ts'
import { transact } from '../../../kernel/transact.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import { ReviewHours } from './entities.ts'
import { officeHours, type WorkingHours } from './hours.ts'
import type { ReviewHoursView } from './schemas.ts'

/** When the tenant's people work. Serves `GET /dashboard/v1/approvals/hours`. */
export function getReviewHours(ctx: Ctx): Promise<ReviewHoursView> {
  return transact(ctx, (txn) => viewOf(txn, oneTenant(txn)))
}

/**
 * Sets when the tenant's people work; what is asked from then on is due accordingly.
 * Serves `PUT /dashboard/v1/approvals/hours`.
 */
export function setReviewHours(
  ctx: Ctx,
  { days, from, until }: Omit<ReviewHoursView, 'timezone'>,
): Promise<ReviewHoursView> {
  return transact(ctx, async (txn) => {
    const tenantId = oneTenant(txn)
    const before = await viewOf(txn, tenantId)
    const values = {
      days: [...new Set(days)].toSorted((a, b) => a - b),
      fromMinute: minuteOf(from),
      untilMinute: minuteOf(until),
      updatedOn: txn.clock.date(),
    }
    await txn.em.upsert(ReviewHours, { tenantId, ...values })
    const after = { ...before, days: values.days, from, until }
    txn.audit({ tenantId, resourceType: 'tenant', resourceId: tenantId, before, after })
    return after
  })
}

/** @returns when a tenant's people work, and in which zone */
export async function hoursOf(
  txn: Transaction,
  tenantId: string,
): Promise<{ hours: WorkingHours; timeZone: string }> {
  const [{ timezone }, set] = await Promise.all([
    txn.em.findOneOrFail(Tenant, { id: tenantId }),
    txn.em.findOne(ReviewHours, { tenantId }),
  ])
  const hours = set ? { days: set.days, from: set.fromMinute, until: set.untilMinute } : officeHours
  return { hours, timeZone: timezone }
}

async function viewOf(txn: Transaction, tenantId: string): Promise<ReviewHoursView> {
  const { hours, timeZone } = await hoursOf(txn, tenantId)
  return {
    days: [...hours.days],
    from: timeOf(hours.from),
    until: timeOf(hours.until),
    timezone: timeZone,
  }
}

function minuteOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number) as [number, number]
  return hours * 60 + minutes
}

function timeOf(minute: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`
}
