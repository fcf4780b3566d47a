import type { Command } from '../context.ts'
import { DomainError } from '../errors.ts'
import { countOutsideMail } from './outside-queries.ts'

/** How many mails a day (UTC) go to people who are no users yet, such as invitations. */
export interface OutsideMailLimits {
  /** Of one tenant. */
  perTenant: number
  /** Of all tenants together. */
  total: number
}

export const usualMailLimits: OutsideMailLimits = { perTenant: 50, total: 500 }

/** The day of an instant, as mails are counted. */
export const mailDay = (at: Date) => at.toISOString().slice(0, 10)

/**
 * Counts a mail to somebody outside, with the change that it belongs to: what does not commit is not counted. Servers that share a database count
 * together. What operators send is theirs to answer for, and is not counted.
 * @param tenantId null for a mail of no tenant, which counts for the installation only
 * @throws DomainError `RATE_LIMITED` when the tenant or the installation has sent all that it may today
 */
export async function countMailOutside(cmd: Command, tenantId: string | null): Promise<void> {
  if (cmd.actor.role === 'super_admin') return
  const { perTenant, total } = cmd.services.settings.mailLimits
  const now = cmd.clock.date()
  const day = mailDay(now)
  if (tenantId !== null && !(await countOutsideMail(cmd.tx, day, tenantId, perTenant)))
    throw spent(
      now,
      'tenant',
      `This tenant has sent ${perTenant} mails to people outside today, which is its limit`,
    )
  if (!(await countOutsideMail(cmd.tx, day, 'all', total)))
    throw spent(
      now,
      'installation',
      'This installation has sent all the mails to people outside that its operator allows in a day',
    )
}

function spent(now: Date, limit: 'tenant' | 'installation', message: string): DomainError {
  const midnight = new Date(now)
  midnight.setUTCHours(24, 0, 0, 0)
  return new DomainError('RATE_LIMITED', `${message}; it goes on after midnight (UTC)`, {
    details: { limit: `mails_per_day_${limit}` },
    retryAfterS: Math.ceil((midnight.getTime() - now.getTime()) / 1_000),
  })
}
