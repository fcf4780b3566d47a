import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createTestApp } from '../../kit/app.ts'
import { expectRefused, sendTo } from '../../kit/operator.ts'
import { createAgentHarness } from '../../kit/runtime.ts'

const path = '/dashboard/v1/agents'
const hook = { webhookUrl: 'https://agents.example/run', authHeader: 'X-Agent-Key' }
const withHook = { adapterType: 'adapter_b', adapterConfig: { ...hook, authValue: 's3cret-value' } }

async function harness() {
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
  it('lists every agent with its effective settings, also to members', async () => {
    await using t = await harness()
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
      toolNames: ['report_blocker', 'knowledge_search', 'request_review', 'add_comment'],
      skillIds: [],
      concurrency: 5,
      isGlobalDefault: false,
    })
    expect(data.filter(({ isGlobalDefault }) => !isGlobalDefault)).toHaveLength(1)
  })

  it('shows which agents are running, and which are in error', async () => {
    await using t = await createAgentHarness()
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
  it('returns the settings of an agent without secrets', async () => {
    await using t = await harness()
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
  it('overrides the given settings for this tenant only', async () => {
    await using t = await harness()
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

  it('rejects unknown fields, and changes nothing', async () => {
    await using t = await harness()
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

  it('loses neither of two concurrent changes of different fields', async () => {
    await using t = await harness()
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

describe('dashboard.agents.test', () => {
  it('reports that the built-in loop is ready', async () => {
    await using t = await harness()
    const { status, json } = await t.send('POST', '/blog_writer/test')
    expect(status).toBe(200)
    expect(json).toEqual({
      ok: true,
      message: 'Blog writer is ready to work',
      checks: [{ name: 'model builtin-writer', ok: true, detail: expect.any(String) }],
    })
    expect(await t.send('POST', '/poet/test')).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })

  it('tests the runtime of an agent, and returns its faults', async () => {
    await using t = await harness()
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
