import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createTestApp } from '../../kit/app.ts'
import { startCompatible } from '../../kit/model-servers.ts'
import { createOperator } from '../../kit/operator.ts'
import { createAgentHarness } from '../../kit/runtime.ts'

const path = '/admin/v1/system/health'
const fine = {
  api: 'ok',
  relational_store: 'ok',
  document_store: 'ok',
  cache: 'ok',
  vector_store: 'ok',
  local_model: 'ok',
}

describe('admin.system.health', () => {
  it('checks every dependency, and counts pending jobs', async () => {
    await using harness = await createAgentHarness()
    const operator = await createOperator(harness.app)
    await harness.order()
    const failed = await harness.order()
    await failed.fail('It broke', { family: 'invalid' })
    const { status, json } = await operator.send('GET', path)
    expect(status).toBe(200)
    expect(json).toMatchObject({ status: 'healthy', services: fine, sseConnections: 0 })
    const queue = (name: string) => json.queues.find((one: { name: string }) => one.name === name)
    expect(queue('social_writer')).toEqual({
      name: 'social_writer',
      waiting: 0,
      active: 1,
      delayed: 0,
      failed: 1,
      deadLettered: 1,
    })
    expect(queue('auditor')).toMatchObject({ active: 0, failed: 0 })
    expect(queue('jobs')).toMatchObject({ deadLettered: 0 })
    expect(new Date(json.lastCheckedAt).getTime()).toBeGreaterThan(0)
  })

  it('counts open streams', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const { adminToken } = await app.team()
    const headers = { authorization: `Bearer ${adminToken}` }
    const response = await app.fetch('/dashboard/v1/events/stream', { headers })
    expect(response.headers.get('content-type')).toContain('event-stream')
    expect((await operator.send('GET', path)).json.sseConnections).toBe(1)
    await response.body?.cancel()
    expect((await operator.send('GET', path)).json.sseConnections).toBe(0)
  })

  it('reports an unusable data folder and a local model server that does not respond', async () => {
    const server = await startCompatible([], { models: ['llama3'] })
    const providers = [{ id: 'local', type: 'local' as const, baseUrl: server.url, models: ['llama3'] }]
    await using app = await createTestApp({
      worker: false,
      allowErrors: true,
      allowHosts: ['127.0.0.1'],
      providers,
    })
    const operator = await createOperator(app)
    expect((await operator.send('GET', path)).json).toMatchObject({ status: 'healthy', services: fine })
    await server[Symbol.asyncDispose]()
    await rm(join(app.options.dataDir, 'blobs'), { recursive: true })
    const { writeFile } = await import('node:fs/promises')
    await writeFile(join(app.options.dataDir, 'blobs'), 'in the way')
    expect((await operator.send('GET', path)).json).toMatchObject({
      status: 'degraded',
      services: { ...fine, document_store: 'error', local_model: 'error' },
    })
  })
})
