import type { SystemApi } from '@copydesk/core'
import { table } from '@copydesk/terminal/output'

type Tenant = Awaited<ReturnType<SystemApi['tenants']['get']>>

/** A tenant on a terminal: its data, its agents, its users. */
export function showTenant(tenant: Tenant): string {
  const { usage, billing } = tenant
  const cap = tenant.spendCapUsd === null ? 'no limit' : `of at most ${usd(tenant.spendCapUsd)}`
  const flags = Object.entries(tenant.featureFlags).filter(([, on]) => on)
  const lines: Array<[string, string]> = [
    ['id', tenant.id],
    ['status', tenant.status],
    ['plan', tenant.plan],
    ['domain', tenant.domain ?? '-'],
    ['time zone', tenant.timezone],
    ['this month', `${usd(usage.monthlySpendUsd)} (${cap}), ${usage.monthlyLlmCallCount} runs with a model`],
    ['activities', `${usage.totalActivities}, ${usage.storageBytes} bytes of text`],
    ['payment', billing.paymentStatus ?? '-'],
    ['next invoice', day(billing.nextBillingDate)],
    ['flags', flags.map(([name]) => name).join(', ') || '-'],
    ['since', day(tenant.createdOn)],
  ]
  const agents = table(
    ['AGENT', 'STATUS', 'RUNS', 'MODEL'],
    tenant.agents.map(({ role, status, runningCount, model }) => [role, status, String(runningCount), model]),
    [3, 0],
  )
  const people = table(
    ['ID', 'E-MAIL', 'ROLE', 'STATUS'],
    tenant.users.map(({ id, email, role, status }) => [id, email, role, status]),
    [1],
  )
  const head = lines.map(([name, value]) => `${name.padEnd(12)}${value}`).join('\n')
  return `${tenant.name}\n${head}\n\n${agents}\n\n${people}`
}

const usd = (amount: number) => `$${amount.toFixed(2)}`
const day = (date: Date | undefined) => date?.toISOString().slice(0, 10) ?? '-'
