import type { TestClock } from '../../kit/clock.ts'
import { asJson } from '../../kit/columns.ts'
import type { Agent, AgentHarness } from '../../kit/runtime.ts'
import { inbox } from '../agent-harness.ts'

/** Hands in a result that costs so many micro-dollars: a token in is one. */
export const spend = (agent: Agent, micros: number) =>
  agent.deliver('A post', { usage: { inputTokens: micros, outputTokens: 0 } })

/** Sets a tenant's monthly cap. */
export const capTenant = (harness: AgentHarness, micros: number | null, tenantId = harness.team.tenantId) =>
  harness.app.db.write((tx) =>
    tx.run('update tenants set spend_cap_micros = ? where id = ?', [micros, tenantId]),
  )

/** Orders social posts without waiting for a dispatch. */
export async function place(harness: AgentHarness, quantity = 1, more: object = {}): Promise<string> {
  const { id } = await harness.team.admin.call('dashboard', 'POST /campaigns', {
    body: { name: 'Spring', brief: 'Oats', deliverables: [{ type: 'social_post', quantity }], ...more },
  })
  return id
}

export interface Blocked {
  id: string
  description: string
}

/** The activities that a budget holds up, once there are so many. */
export async function blocked(harness: AgentHarness, count: number, clock?: TestClock): Promise<Blocked[]> {
  return harness.app.until(async () => {
    clock?.advance(500)
    const rows = await harness.app.db.sql.all<{ id: string; blocker: unknown }>(
      `select id, blocker from activities where status = 'blocked' order by id`,
    )
    const found = rows.map(({ id, blocker }) => ({
      id,
      ...asJson<{ type: string; description: string }>(blocker),
    }))
    if (found.some(({ type }) => type !== 'budget')) throw new Error('blocked by something else')
    return found.length >= count && found.map(({ id, description = '' }) => ({ id, description }))
  }, `${count} activities are blocked`)
}

/** Gives a blocked activity another run, as an admin does. */
export const retry = (harness: AgentHarness, activityId: string) =>
  harness.team.admin.call('dashboard', 'POST /activities/:activityId/retry', { params: { activityId } })

/** What people were told about money, line by line. */
export const alerts = async (harness: AgentHarness) =>
  (await inbox(harness, 'budget_alert')).map(({ title, body }) => `${title}: ${body}`)

/** Micro-dollars that all runs of the tenant have cost. */
export const spentInAll = (harness: AgentHarness) =>
  harness.count('select sum(cost_micros) as n from runs where tenant_id = ?', harness.team.tenantId)
