import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { Row } from '../../../packages/core/src/platform/database/database.ts'
import { brief, createTestApp } from '../../kit/app.ts'
import { asJson } from '../../kit/columns.ts'
import { adminOf } from '../agents.ts'

/** An external runtime that refuses every dispatch as if the key were wrong, after `first` has been done. */
async function refusingRuntime(first: () => Promise<unknown>) {
  const server = createServer((_request, response) => {
    first().then(
      () => response.writeHead(401).end(),
      () => response.writeHead(500).end(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/run`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

describe('an agent whose API key is rejected', () => {
  it.each([
    { was: 'active', becomes: 'error' },
    { was: 'paused', becomes: 'paused' },
  ])('is set to error with a notification: $was becomes $becomes', async ({ was, becomes }) => {
    await using app = await createTestApp({ allowHosts: ['127.0.0.1'] })
    const { admin, tenantId } = await app.team()
    // Someone may pause an agent while a run of it is running.
    await using runtime = await refusingRuntime(() =>
      app.db.write((tx) => tx.run(`update tenant_agents set status = ? where role = 'social_writer'`, [was])),
    )
    await adminOf(app, tenantId).configure('social_writer', {
      adapterType: 'adapter_b',
      adapterConfig: { webhookUrl: runtime.url },
    })
    await admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Spring', brief, deliverables: [{ type: 'social_post', quantity: 1 }] },
    })
    const told = await app.until(
      () => app.db.sql.get<Row>(`select * from event where type = 'agent_error'`),
      'the fault is told',
    )
    const error = 'The runtime refused the dispatch with 401'
    const agent = await app.db.sql.get('select * from tenant_agents where id = ?', [
      told['subject'] as string,
    ])
    expect(agent).toMatchObject({
      tenant_id: tenantId,
      role: 'social_writer',
      status: becomes,
      last_error_message: error,
    })
    expect(agent?.['last_error_at']).not.toBeNull()
    expect(told['tenant_id']).toBe(tenantId)
    expect(asJson(told['data'])).toMatchObject({ tenantId, agentRole: 'social_writer', error })
    const { data } = await admin.call('dashboard', 'GET /activities')
    expect(data).toMatchObject([{ status: 'failed' }])
  })
})
