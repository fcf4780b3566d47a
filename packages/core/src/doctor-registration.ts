import type { Assembled } from './assemble.ts'
import type { Finding } from './doctor.ts'
import { toUsd } from './domain/money.ts'
import { freePool } from './domain/runs/free-pool.ts'

const name = 'registration'

/** Whether visitors may register, what they may take, and whether they can confirm their addresses. */
export async function lookAtRegistration(assembled: Assembled): Promise<Finding> {
  const { services, options } = assembled
  const { registration, freeTenants } = services.settings
  if (registration === 'closed')
    return { name, ok: true, message: 'closed: people come by invitation, or an operator adds them' }
  if (options.mail?.smtp === undefined)
    return {
      name,
      ok: false,
      message:
        'open, but mails are written to files: nobody can confirm an address, and no registered tenant works before',
      remedy: 'Set mail.smtp, or close registration (registration: "closed").',
    }
  const { spent, limit } = await freePool(assembled.system())
  const used = `$${toUsd(spent).toFixed(2)} of $${toUsd(limit)} spent this month`
  if (spent < limit)
    return { name, ok: true, message: `open: ${freeTenants.perDay} free tenants a day, together ${used}` }
  return {
    name,
    ok: false,
    message: `open, but the free tenants have used up their budget: ${used}`,
    remedy: 'Raise freeTenants.monthlyUsd, or wait for the next month; blocked activities are then retried.',
  }
}
