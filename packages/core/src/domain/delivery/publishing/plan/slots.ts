import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { addDays, dayIn, instantAt } from '../../../../kernel/periods.ts'
import { oneTenant } from '../../../../kernel/scope.ts'
import { transact } from '../../../../kernel/transact.ts'
import { Tenant } from '../../../accounts/tenants/entities.ts'
import { PublishingSlots } from './entities.ts'
import { takenTimes } from './queries.ts'
import type { SlotsChange, SlotsView } from './schemas.ts'

/** How far ahead a free slot is looked for, days; behind that a piece goes out beside another. */
const mostDays = 92

/** When pieces go out for which nobody has named a time. Serves `GET /dashboard/v1/publications/slots`. */
export function getSlots(ctx: Ctx): Promise<SlotsView> {
  return transact(ctx, (txn) => viewOf(txn, oneTenant(txn)))
}

/** Sets them; what is planned already keeps its time. Serves `PUT /dashboard/v1/publications/slots`. */
export function setSlots(ctx: Ctx, { days, times }: SlotsChange): Promise<SlotsView> {
  return transact(ctx, async (txn) => {
    const tenantId = oneTenant(txn)
    const before = await viewOf(txn, tenantId)
    const values = {
      days: [...new Set(days)].toSorted((a, b) => a - b),
      times: [...new Set(times)].toSorted(),
      updatedOn: txn.clock.date(),
    }
    await txn.em.upsert(PublishingSlots, { tenantId, ...values })
    const after = { ...before, days: values.days, times: values.times }
    txn.audit({ tenantId, resourceType: 'tenant', resourceId: tenantId, before, after })
    return after
  })
}

async function viewOf(txn: Transaction, tenantId: string): Promise<SlotsView> {
  const [{ timezone }, set] = await Promise.all([
    txn.em.findOneOrFail(Tenant, { id: tenantId }),
    txn.em.findOne(PublishingSlots, { tenantId }),
  ])
  return { days: set?.days ?? [], times: set?.times ?? [], timezone }
}

/**
 * The next slot of a tenant at which nothing goes out on a channel yet. The caller holds the channel's lock, so that two pieces do
 * not take the same.
 * @returns null for at once, where the tenant has no slots
 */
export async function nextSlot(txn: Transaction, tenantId: string, channelId: string): Promise<Date | null> {
  const { days, times, timezone } = await viewOf(txn, tenantId)
  const all = slotsAfter(txn.clock.date(), { days, times, timezone })
  const [first] = all
  const last = all.at(-1)
  if (!first || !last) return null
  const taken = await takenTimes(txn, channelId, { from: first, to: last })
  return all.find((at) => !taken.has(at.getTime())) ?? last
}

/** The slots after an instant, in order; a time that the clocks of the zone leave out is near the gap. */
export function slotsAfter(now: Date, { days, times, timezone }: SlotsView): Date[] {
  const today = dayIn(now, timezone)
  return Array.from({ length: mostDays }, (_, i) => addDays(today, i))
    .filter((day) => days.includes(weekdayOf(day)))
    .flatMap((day) => times.map((time) => instantAt(day, minuteOf(time), timezone)))
    .filter((at) => at > now)
}

/** 1 is Monday, 7 is Sunday. */
const weekdayOf = (day: string) => new Date(`${day}T00:00:00Z`).getUTCDay() || 7

function minuteOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number) as [number, number]
  return hours * 60 + minutes
}
