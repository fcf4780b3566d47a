import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createTestApp, type Team } from '../kit/app.ts'
import { expectRefused, sendTo } from '../kit/operator.ts'
import { createDesk } from '../kit/runtime.ts'

const path = '/dashboard/v1/agents'
const hook = { webhookUrl: 'https://agents.example/run', authHeader: 'X-Agent-Key' }
const withHook = { adapterType: 'adapter_b', adapterConfig: { ...hook, authValue: 's3cret-value' } }

async function desk() {
  const app = await createTestApp({ worker: false, allowHosts: ['127.0.0.1'] })
  const team = await app.team()
  const send = (method: string, rest: string, body?: object, token = team.adminToken) =>
    sendTo(app, method, `${path}${rest}`, { token, ...(body && { body }) })
  return { app, team, send, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

/** A server that answers everything with one status. */
async function answering(status: number): Promise<{ url: string } & AsyncDisposable> {
  const server: Server = createServer((_, response) => void response.writeHead(status).end())
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/run`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

describe('dashboard.agents.list', () => {
  it('shows every agent as it works here, to members too', async () => {
    await using t = await desk()
    await t.send('PATCH', '/blog_writer', { concurrency: 5 })
    const { data } = await t.team.member.call('dashboard', 'GET /agents')
    expect(data.map(({ role }) => role)).toEqual(data.map(({ role }) => role).toSorted())
    expect(data.find(({ role }) => role === 'blog_writer')).toEqual({
      id: expect.any(String),
      role: 'blog_writer',
      status: 'idle',
      runningCount: 0,
      model: 'builtin-writer',
      adapterType: 'local',
      toolNames: ['report_blocker', 'request_review', 'add_comment'],
      skillIds: [],
      concurrency: 5,
      isGlobalDefault: false,
    })
    expect(data.filter(({ isGlobalDefault }) => !isGlobalDefault)).toHaveLength(1)
  })

  it('says who is running, and who has ended in an error', async () => {
    await using t = await createDesk()
    const agent = await t.order()
    const role = agent.dispatch.agentRole
    const running = (await t.team.admin.call('dashboard', 'GET /agents')).data.find(
      (one) => one.role === role,
    )
    expect(running).toMatchObject({ status: 'running', runningCount: 1 })
    await agent.fail('The key is wrong', { family: 'auth' })
    const after = (await t.team.admin.call('dashboard', 'GET /agents')).data.find((one) => one.role === role)
    expect(after).toMatchObject({
      status: 'error',
      runningCount: 0,
      lastErrorAt: expect.any(String),
      lastErrorMessage: expect.stringContaining('The key is wrong'),
    })
  })
})

describe('dashboard.agents.get', () => {
  it('shows how an agent works and no secret', async () => {
    await using t = await desk()
    expect((await t.send('PATCH', '/blog_writer', withHook)).status).toBe(200)
    const { json, text } = await t.send('GET', '/blog_writer')
    expect(json).toMatchObject({
      name: 'Blog writer',
      description: expect.any(String),
      adapterType: 'adapter_b',
      customFields: [
        'adapterConfig.authHeader',
        'adapterConfig.authValue',
        'adapterConfig.webhookUrl',
        'adapterType',
      ],
      adapterConfig: {
        model: 'builtin-writer',
        promptTemplate: expect.stringContaining('{{company}}'),
        timeoutSec: 1_800,
        graceSec: 30,
        maxTurnsPerRun: expect.any(Number),
        ...hook,
        authValue: '[redacted]',
        environmentKeys: [],
      },
    })
    expect(text).not.toMatch(/s3cret-value|Sealed|k1:/)
    expect(await t.send('GET', '/poet')).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })
})

describe('dashboard.agents.change', () => {
  it('lays what is named over the platform’s, for this tenant only', async () => {
    await using t = await desk()
    const other = await t.app.team()
    const before = (await t.send('GET', '/blog_writer', undefined, other.adminToken)).json
    const changes = {
      maxCostUsdPerActivity: 0.5,
      toolNames: ['add_comment'],
      concurrency: 4,
      adapterConfig: { promptTemplate: 'You write for {{company}}.', timeoutSec: 60, maxTurnsPerRun: 3 },
    }
    const { status, json } = await t.send('PATCH', '/blog_writer', changes)
    expect(status).toBe(200)
    expect(json).toMatchObject({ ...changes, isGlobalDefault: false })
    expect((await t.send('GET', '/blog_writer')).json).toEqual(json)
    expect((await t.send('GET', '/blog_writer', undefined, other.adminToken)).json).toEqual(before)
  })

  it('refuses what there is not, and changes nothing', async () => {
    await using t = await desk()
    for (const [body, field] of [
      [{ model: 'gpt-99' }, 'model'],
      [{ concurrency: 0 }, 'concurrency'],
      [{ concurrency: 11 }, 'concurrency'],
      [{ toolNames: ['rm'] }, 'toolNames.0'],
      [{ maxCostUsdPerActivity: 0.000_000_1 }, 'maxCostUsdPerActivity'],
      [{ skillIds: ['01ARZ3NDEKTSV4RRFFQ69G5FAV'] }, 'skillIds.0'],
      [{ status: 'paused' }, 'status'],
      [{ adapterType: 'adapter_z' }, 'adapterType'],
      [{ adapterConfig: { promptTemplate: 'For {{client}}' } }, 'adapterConfig.promptTemplate'],
      [{ adapterConfig: { timeoutSec: 5 } }, 'adapterConfig.timeoutSec'],
      [{ adapterConfig: { shell: 'sh' } }, 'adapterConfig.shell'],
    ] as const) {
      const wanted = { status: 400, code: 'VALIDATION_ERROR', field }
      await expectRefused(t.app, () => t.send('PATCH', '/blog_writer', body), wanted)
    }
    await expectRefused(t.app, () => t.send('PATCH', '/poet', { concurrency: 1 }), { status: 404 })
  })

  it('loses nothing when two change different things at the same time', async () => {
    await using t = await desk()
    await Promise.all([
      t.send('PATCH', '/blog_writer', { concurrency: 7 }),
      t.send('PATCH', '/blog_writer', { adapterConfig: { timeoutSec: 44 } }),
      t.send('PATCH', '/blog_writer', { adapterConfig: { graceSec: 9 } }),
    ])
    expect((await t.send('GET', '/blog_writer')).json).toMatchObject({
      concurrency: 7,
      adapterConfig: { timeoutSec: 44, graceSec: 9 },
    })
    const { json } = await t.send('GET', '/blog_writer/versions')
    expect(json.data.map(({ version }: { version: number }) => version)).toEqual([4, 3, 2, 1])
  })
})

describe('dashboard.agents.restore', () => {
  it('goes back to what the platform sets, and forward again', async () => {
    await using t = await desk()
    const original = (await t.send('GET', '/blog_writer')).json
    await t.send('PATCH', '/blog_writer', { concurrency: 7, adapterConfig: { timeoutSec: 44 } })
    const restored = await t.send('POST', '/blog_writer/versions/1/restore')
    expect(restored).toMatchObject({ status: 200, json: original })
    expect((await t.send('POST', '/blog_writer/versions/2/restore')).json).toMatchObject({
      concurrency: 7,
      adapterConfig: { timeoutSec: 44 },
    })
    const compared = await t.send('GET', '/blog_writer/versions/2?against=1')
    expect(compared.json.changes).toEqual([
      { field: 'adapterConfig', before: null, after: { timeoutSec: 44 } },
      { field: 'concurrency', before: null, after: 7 },
    ])
    expect((await t.send('GET', '/blog_writer/versions?order=asc')).json.data).toMatchObject([
      { version: 1, createdBy: { name: 'Copydesk' } },
      { version: 2, createdBy: { name: 'Ada Admin' } },
      { version: 3, note: 'Version 1 put back' },
      { version: 4, note: 'Version 2 put back' },
    ])
  })

  it('keeps the present secret for the same host, and holds none in a version', async () => {
    await using t = await desk()
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

  it('never sends a secret to the host of another time', async () => {
    await using t = await desk()
    await t.send('PATCH', '/blog_writer', withHook)
    const elsewhere = { webhookUrl: 'https://elsewhere.example/run', authValue: 'another-value' }
    await t.send('PATCH', '/blog_writer', { adapterConfig: elsewhere })
    const restore = () => t.send('POST', '/blog_writer/versions/2/restore')
    await expectRefused(t.app, restore, { status: 422, code: 'UNPROCESSABLE' })
    expect((await t.send('POST', '/blog_writer/versions/1/restore')).json.isGlobalDefault).toBe(true)
    await expectRefused(t.app, restore, { status: 422, code: 'UNPROCESSABLE' })
  })

  it('is for admins; members read, neighbours find nothing', async () => {
    await using t = await desk()
    const other: Team = await t.app.team()
    await t.send('PATCH', '/blog_writer', { concurrency: 7 })
    const params = { agentRole: 'blog_writer', version: '1' }
    const member = t.team.member.call('dashboard', 'GET /agents/:agentRole/versions/:version', { params })
    expect((await member).data).toMatchObject({ concurrency: null })
    const refused = t.team.member.call('dashboard', 'POST /agents/:agentRole/versions/:version/restore', {
      params,
    })
    await expect(refused).rejects.toMatchObject({ status: 403 })
    const theirs = await t.send('GET', '/blog_writer/versions/1', undefined, other.adminToken)
    expect(theirs).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    expect((await t.send('GET', '/blog_writer/versions', undefined, other.adminToken)).json.data).toEqual([])
  })
})

describe('dashboard.agents.test', () => {
  it('says that the built-in loop is ready', async () => {
    await using t = await desk()
    const { status, json } = await t.send('POST', '/blog_writer/test')
    expect(status).toBe(200)
    expect(json).toEqual({
      ok: true,
      message: 'Blog writer is ready to work',
      checks: [{ name: 'model builtin-writer', ok: true, detail: expect.any(String) }],
    })
    expect(await t.send('POST', '/poet/test')).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })

  it('asks the runtime of an agent, and says what is wrong with it', async () => {
    await using t = await desk()
    for (const [status, ok] of [
      [405, true],
      [503, false],
    ] as const) {
      await using runtime = await answering(status)
      const adapterConfig = { webhookUrl: runtime.url }
      await t.send('PATCH', '/blog_writer', { adapterType: 'adapter_b', adapterConfig })
      const { json } = await t.send('POST', '/blog_writer/test')
      expect(json.ok).toBe(ok)
      expect(json.checks[0]).toMatchObject({ name: 'webhookUrl', ok })
      expect(json.checks[0].detail).toContain(`It answers ${status}`)
      expect(json.message).toContain(ok ? 'is ready' : 'cannot work: It answers 503')
    }
    const gone = await t.send('POST', '/blog_writer/test')
    expect(gone.json.ok).toBe(false)
    expect(gone.json.checks[0]).toMatchObject({ name: 'webhookUrl', ok: false })
  })
})
