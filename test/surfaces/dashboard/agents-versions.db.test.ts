import { describe, expect, it } from 'vitest'
import { createTestApp, type Team } from '../../kit/app.ts'
import { expectRefused, sendTo } from '../../kit/operator.ts'

const path = '/dashboard/v1/agents'
const hook = { webhookUrl: 'https://agents.example/run', authHeader: 'X-Agent-Key' }
const withHook = { adapterType: 'adapter_b', adapterConfig: { ...hook, authValue: 's3cret-value' } }

async function harness() {
  const app = await createTestApp({ worker: false })
  const team = await app.team()
  const send = (method: string, rest: string, body?: object, token = team.adminToken) =>
    sendTo(app, method, `${path}${rest}`, { token, ...(body && { body }) })
  return { app, team, send, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

describe('dashboard.agents.restore', () => {
  it('restores the default settings, and later versions again', async () => {
    await using t = await harness()
    const original = (await t.send('GET', '/blog_writer')).json
    await t.send('PATCH', '/blog_writer', { concurrency: 7, adapterConfig: { timeoutSec: 44 } })
    const restored = await t.send('POST', '/blog_writer/versions/1/restore')
    expect(restored).toMatchObject({ status: 200, json: original })
    expect((await t.send('POST', '/blog_writer/versions/2/restore')).json).toMatchObject({
      concurrency: 7,
      adapterConfig: { timeoutSec: 44 },
    })
  })

  it('keeps the current secret for the same host, and stores none in a version', async () => {
    await using t = await harness()
    await t.send('PATCH', '/blog_writer', withHook)
    await t.send('PATCH', '/blog_writer', { concurrency: 3, adapterConfig: { authValue: 'another-value' } })
    const kept = JSON.stringify(await t.app.db.sql.all('select * from config_versions'))
    const agent = await t.app.db.sql.get<{ adapter_config: unknown }>(
      `select adapter_config from tenant_agents where role = 'blog_writer' and tenant_id = ?`,
      [t.team.tenantId],
    )
    const config = agent?.adapter_config
    const { authValueSealed } = typeof config === 'string' ? JSON.parse(config) : (config as never)
    expect(authValueSealed).toEqual(expect.any(String))
    expect(kept).not.toContain(authValueSealed)
    expect(kept).not.toMatch(/s3cret-value|another-value/)
    expect((await t.send('POST', '/blog_writer/versions/2/restore')).json).toMatchObject({
      concurrency: 2,
      adapterConfig: { authValue: '[redacted]' },
    })
  })

  it('never sends a secret to the host of an earlier version', async () => {
    await using t = await harness()
    await t.send('PATCH', '/blog_writer', withHook)
    const elsewhere = { webhookUrl: 'https://elsewhere.example/run', authValue: 'another-value' }
    await t.send('PATCH', '/blog_writer', { adapterConfig: elsewhere })
    const restore = () => t.send('POST', '/blog_writer/versions/2/restore')
    await expectRefused(t.app, restore, { status: 422, code: 'UNPROCESSABLE' })
    expect((await t.send('POST', '/blog_writer/versions/1/restore')).json.isGlobalDefault).toBe(true)
    await expectRefused(t.app, restore, { status: 422, code: 'UNPROCESSABLE' })
  })

  it('requires an admin', async () => {
    await using t = await harness()
    await t.send('PATCH', '/blog_writer', { concurrency: 7 })
    const params = { agentRole: 'blog_writer', version: '1' }
    const call = t.team.member.call('dashboard', 'POST /agents/:agentRole/versions/:version/restore', {
      params,
    })
    await expect(call).rejects.toMatchObject({ status: 403 })
    expect((await t.send('GET', '/blog_writer')).json.concurrency).toBe(7)
  })
})

describe('dashboard.agents.versions', () => {
  it('lists the versions of an agent, newest first, also to members', async () => {
    await using t = await harness()
    const other = await t.app.team()
    await t.send('PATCH', '/blog_writer', { concurrency: 7 })
    await t.send('POST', '/blog_writer/versions/1/restore')
    const list = (team: Team, order: 'asc' | 'desc' = 'desc') =>
      team.member.call('dashboard', 'GET /agents/:agentRole/versions', {
        params: { agentRole: 'blog_writer' },
        query: { order },
      })
    const { data } = await list(t.team)
    expect(data).toMatchObject([
      { version: 3, createdBy: { name: 'Ada Admin' }, note: 'Version 1 put back' },
      { version: 2, createdBy: { name: 'Ada Admin' } },
      { version: 1, createdBy: { name: 'Copydesk' } },
    ])
    expect((await list(t.team, 'asc')).data).toEqual(data.toReversed())
    expect((await list(other)).data).toEqual([])
  })
})

describe('dashboard.agents.version', () => {
  it('returns an earlier version, and the fields that differ from another version, also to members', async () => {
    await using t = await harness()
    const other = await t.app.team()
    await t.send('PATCH', '/blog_writer', { concurrency: 7, adapterConfig: { timeoutSec: 44 } })
    const read = (version: string, query: { against?: number } = {}, { member } = t.team) =>
      member.call('dashboard', 'GET /agents/:agentRole/versions/:version', {
        params: { agentRole: 'blog_writer', version },
        query,
      })
    expect((await read('1')).data).toMatchObject({ concurrency: null })
    expect((await read('2', { against: 1 })).changes).toEqual([
      { field: 'adapterConfig', before: null, after: { timeoutSec: 44 } },
      { field: 'concurrency', before: null, after: 7 },
    ])
    for (const call of [() => read('3'), () => read('1', {}, other)])
      await expect(call()).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })
})
