import type { Client, Reply } from '@copydesk/client'

/** Days that are listed one by one, as staff see them. */
const days = 14

/**
 * The status of the user's tenant, composed from the dashboard; the health of the installation is for staff
 * only.
 */
export async function teamStatus(
  client: Client,
  whose: { tenantId: string; tenantName: string },
  signal?: AbortSignal,
): Promise<Reply<'cli', 'GET /status'>> {
  const stop = signal ? { signal } : {}
  const [{ counts }, stats, month] = await Promise.all([
    client.call('dashboard', 'GET /queue', { query: { limit: 1 }, ...stop }),
    client.call('dashboard', 'GET /approvals/stats', stop),
    client.call('dashboard', 'GET /analytics/spend', stop),
  ])
  const sums = {
    pendingApprovals: counts.pending,
    runningAgents: counts.running,
    blockedActivities: counts.blocked,
    costMtd: month.totalUsd,
  }
  const cap = month.budgetCapUsd
  const own = {
    ...whose,
    ...sums,
    highRiskApprovals: stats.highRisk,
    creditUsed: month.totalUsd,
    creditLimit: cap ?? null,
    costByDay: month.dailySeries.slice(-days).map(({ costUsd }) => costUsd),
    doneByDay: [],
  }
  return { timestamp: new Date().toISOString(), tenants: [own], totals: sums, infrastructure: [] }
}
