import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createTestApp, type TestApp } from '../../kit/app.ts'
import { createCommandHarness, example, script } from '../../kit/command-harness.ts'
import { keyClient } from '../../kit/key-client.ts'

const agentRole = 'social_writer'

async function checked(app: TestApp, adminId: string) {
  const client = await keyClient(app, adminId)
  const { ok, message, checks } = await client.call('agent', 'GET /health/:agentRole', {
    params: { agentRole },
  })
  return { ok, message, of: (name: string) => checks.find((check) => check.name === name), checks }
}

/** What a runtime answers to who looks whether it is there, and with which secret it was asked. */
async function serve(status: number, headers: Record<string, string> = {}) {
  const secrets: unknown[] = []
  const server = createServer((request, response) => {
    secrets.push(request.headers['x-runtime-key'])
    response.writeHead(status, headers).end()
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    secrets,
    [Symbol.asyncDispose]: async () => void (await new Promise((resolve) => server.close(resolve))),
  }
}

async function withWebhook(app: TestApp, webhookUrl: string, secret = true) {
  const team = await app.team()
  const { tenantId } = team
  await app.copydesk.asSystem({ tenantId }).agents.configure(agentRole, {
    adapterType: 'adapter_b',
    adapterConfig: { webhookUrl, ...(secret && { authHeader: 'x-runtime-key', authValue: 'the secret' }) },
  })
  return team
}

describe('the check of an external runtime', () => {
  it('calls it with its secret, and reports success', async () => {
    await using runtime = await serve(405)
    await using app = await createTestApp({ allowHosts: ['127.0.0.1'] })
    const { adminId } = await withWebhook(app, runtime.url)
    expect(await checked(app, adminId)).toMatchObject({
      ok: true,
      message: 'Social writer is ready to work',
      checks: [
        { name: 'webhookUrl', ok: true, detail: 'It answers 405' },
        { name: 'transport', ok: true, detail: 'http on this machine' },
        { name: 'secret', ok: true, detail: 'sent in x-runtime-key' },
        { name: 'callback', ok: true, detail: 'expected at http://127.0.0.1:1' },
      ],
    })
    expect(runtime.secrets).toEqual(['the secret'])
  })

  it.each([
    [401, {}, /It answers 401: it refuses the secret/],
    [503, {}, /It answers 503/],
    [308, { location: 'https://there.example/' }, /a redirect.*set webhookUrl to https:\/\/there\.example\//],
  ])('reports the fault %i', async (status, headers, detail) => {
    await using runtime = await serve(status, headers)
    await using app = await createTestApp({ allowHosts: ['127.0.0.1'] })
    const { adminId } = await withWebhook(app, runtime.url)
    const { ok, message, of } = await checked(app, adminId)
    expect(ok).toBe(false)
    expect(of('webhookUrl')).toMatchObject({ ok: false, detail: expect.stringMatching(detail) })
    expect(message).toMatch(/^Social writer cannot work: It answers \d+/)
  })

  it('says how to allow a private host, and that nothing listens', async () => {
    await using runtime = await serve(200)
    await using closed = await createTestApp()
    const one = await withWebhook(closed, runtime.url)
    expect((await checked(closed, one.adminId)).of('webhookUrl')?.detail).toMatch(/allowHosts/)
    expect(runtime.secrets).toEqual([])
    await using app = await createTestApp({ allowHosts: ['127.0.0.1'] })
    const two = await withWebhook(app, 'http://127.0.0.1:1/', false)
    const { of } = await checked(app, two.adminId)
    expect(of('webhookUrl')).toMatchObject({ ok: false, detail: expect.stringMatching(/listens there/) })
    expect(of('secret')).toMatchObject({ ok: true, detail: expect.stringMatching(/^None is set/) })
  })

  it('detects that a remote runtime could not send callbacks', async () => {
    await using app = await createTestApp()
    const { adminId } = await withWebhook(app, 'https://runtime.invalid/')
    expect((await checked(app, adminId)).of('callback')).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/its own machine: set baseUrl/),
    })
  })
})

describe('the check of a command-line agent', () => {
  it('finds the program and asks for its version and login state, in temporary folders', async () => {
    const state = [process.execPath, '-e', `process.stdout.write('logged in as ' + process.env.WHO)`]
    await using harness = await createCommandHarness({
      example: { ...example, check: state, env: { WHO: 'ada' } },
    })
    const { ok, checks } = await checked(harness.app, harness.team.adminId)
    expect({ ok, checks }).toEqual({
      ok: true,
      checks: [
        { name: 'command', ok: true, detail: 'example' },
        { name: `program ${process.execPath}`, ok: true, detail: process.execPath },
        { name: 'folders', ok: true, detail: 'can be written' },
        { name: 'version', ok: true, detail: 'example agent 1.0.0' },
        { name: 'state', ok: true, detail: 'logged in as ada' },
      ],
    })
    expect(await harness.folder('work')).toEqual([])
    expect(await harness.folder('processes')).toEqual([])
  })

  it('reports what is missing: the program, a variable, the login', async () => {
    const out = script('', {
      check: [process.execPath, '-e', `console.error('Not logged in'); process.exit(1)`],
    })
    await using harness = await createCommandHarness({
      none: { argv: ['no-such-agent-anywhere'] },
      bare: { ...example, passEnv: ['KEY_OF_NOBODY'] },
      out,
    })
    const { app, team } = harness
    expect((await checked(app, team.adminId)).of('program no-such-agent-anywhere')).toMatchObject({
      ok: false,
      detail: 'No such program in the PATH of the server: install it, or name it with its whole path',
    })
    await harness.use('bare')
    expect((await checked(app, team.adminId)).of('environment')).toMatchObject({
      ok: false,
      detail: 'KEY_OF_NOBODY is not set where the server runs: the command would not get it',
    })
    await harness.use('out')
    expect((await checked(app, team.adminId)).of('state')).toMatchObject({
      ok: false,
      detail: 'ended with 1: Not logged in',
    })
    await app.db.write((tx) =>
      tx.run(`update tenant_agents set adapter_config = '{"command":"gone"}' where role = ?`, [agentRole]),
    )
    expect((await checked(app, team.adminId)).of('command')).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/^This installation has no command called gone\. Set /),
    })
  })

  it('can be followed by a probe that returns a text', async () => {
    await using harness = await createCommandHarness({ example })
    const client = await keyClient(harness.app, harness.team.adminId)
    const probe = await client.call('agent', 'POST /health/:agentRole/test', { params: { agentRole } })
    expect(probe).toMatchObject({
      ok: true,
      probeOutput: expect.stringContaining('Probe: the connection works'),
    })
    expect(await harness.folder('work')).toEqual([])
  })
})

describe('copydesk doctor', () => {
  it('checks the programs of all commands', async () => {
    await using harness = await createCommandHarness({ example, none: { argv: ['no-such-agent-anywhere'] } })
    const findings = (await harness.app.copydesk.doctor()).filter(({ name }) => name.startsWith('command '))
    expect(findings).toMatchObject([
      { name: 'command example', ok: true },
      { name: 'command none', ok: false, message: 'there is no program no-such-agent-anywhere' },
    ])
  })
})
