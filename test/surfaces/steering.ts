import type { Client } from '@copydesk/client'
import { expect } from 'vitest'
import { password, type TestApp } from '../kit/app.ts'
import type { AgentHarness } from '../kit/runtime.ts'

/** What a reviewer does to one activity. */
export function steer(reviewer: Client, activityId: string) {
  const params = { activityId }
  return {
    pause: (body = {}) => reviewer.call('dm', 'POST /activities/:activityId/pause', { params, body }),
    resume: (body = {}) => reviewer.call('dm', 'POST /activities/:activityId/resume', { params, body }),
    retry: () => reviewer.call('dm', 'POST /activities/:activityId/retry', { params }),
    cancel: (reason = 'Not wanted') =>
      reviewer.call('dm', 'POST /activities/:activityId/cancel', { params, body: { reason } }),
    reassign: (assigneeType: 'agent' | 'human', assigneeId: string, note?: string) =>
      reviewer.call('dm', 'POST /activities/:activityId/reassign', {
        params,
        body: { assigneeType, assigneeId, reason: 'Better there', ...(note !== undefined && { note }) },
      }),
    see: () => reviewer.call('dm', 'GET /activities/:activityId', { params }),
    log: () => reviewer.call('dm', 'GET /activities/:activityId/log', { params, query: { limit: 100 } }),
  }
}

/** What a reviewer does to one agent of a tenant. */
export function steerAgent(reviewer: Client, tenantId: string, agentRole: string) {
  const params = { tenantId, agentRole }
  return {
    see: () => reviewer.call('dm', 'GET /agents/:tenantId/:agentRole', { params }),
    pause: (body = {}) => reviewer.call('dm', 'POST /agents/:tenantId/:agentRole/pause', { params, body }),
    resume: () => reviewer.call('dm', 'POST /agents/:tenantId/:agentRole/resume', { params }),
    clear: (body = {}) =>
      reviewer.call('dm', 'POST /agents/:tenantId/:agentRole/clear-error', { params, body }),
  }
}

/** The refusal of a call that must change no row. */
export async function refused(harness: AgentHarness, call: () => Promise<unknown>) {
  const before = await harness.state()
  const error = await call().then(
    () => undefined,
    (thrown: unknown) => thrown as { status: number; code: string; field?: string },
  )
  expect(await harness.state()).toEqual(before)
  return `${error?.status} ${error?.code}${error?.field ? ` ${error.field}` : ''}`
}

/** Nothing that is open stands without a mover. */
export const sweepOf = ({ app }: Pick<AgentHarness, 'app'>) => app.copydesk.asSystem().activities.sweep()

/** Someone who works for these tenants, logged in. */
export async function addReviewer(app: TestApp, name: string, tenantIds: string[]) {
  const email = `${name}@test.example`
  const { id } = await app.copydesk
    .asSystem()
    .users.create({ email, name, password, role: 'reviewer', tenantIds })
  const body = { email, password, app: 'dm-portal' as const }
  const { accessToken: token } = await app.clientFor().call('auth', 'POST /login', { body })
  return { id, token, client: app.clientFor(token) }
}
