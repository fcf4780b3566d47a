import { command } from '../command.ts'
import type { Command, Ctx } from '../context.ts'
import { oneTenant } from '../scope.ts'
import { Tenant } from '../tenants/entities.ts'
import { ReviewHours } from './entities.ts'
import { officeHours, type WorkingHours } from './hours.ts'
import type { ReviewHoursView } from './schemas.ts'

/** When the tenant's people work. Serves `GET /dashboard/v1/approvals/hours`. */
export function getReviewHours(ctx: Ctx): Promise<ReviewHoursView> {
  return command(ctx, (cmd) => viewOf(cmd, oneTenant(cmd)))
}

/**
 * Sets when the tenant's people work; what is asked from then on is due accordingly.
 * Serves `PUT /dashboard/v1/approvals/hours`.
 */
export function setReviewHours(
  ctx: Ctx,
  { days, from, until }: Omit<ReviewHoursView, 'timezone'>,
): Promise<ReviewHoursView> {
  return command(ctx, async (cmd) => {
    const tenantId = oneTenant(cmd)
    const before = await viewOf(cmd, tenantId)
    const values = {
      days: [...new Set(days)].toSorted((a, b) => a - b),
      fromMinute: minuteOf(from),
      untilMinute: minuteOf(until),
      updatedOn: cmd.clock.date(),
    }
    await cmd.em.upsert(ReviewHours, { tenantId, ...values })
    const after = { ...before, days: values.days, from, until }
    cmd.audit({ tenantId, resourceType: 'tenant', resourceId: tenantId, before, after })
    return after
  })
}

/** @returns when a tenant's people work, and in which zone */
export async function hoursOf(
  cmd: Command,
  tenantId: string,
): Promise<{ hours: WorkingHours; timeZone: string }> {
  const { timezone } = await cmd.em.findOneOrFail(Tenant, { id: tenantId })
  const set = await cmd.em.findOne(ReviewHours, { tenantId })
  const hours = set ? { days: set.days, from: set.fromMinute, until: set.untilMinute } : officeHours
  return { hours, timeZone: timezone }
}

async function viewOf(cmd: Command, tenantId: string): Promise<ReviewHoursView> {
  const { hours, timeZone } = await hoursOf(cmd, tenantId)
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
