import type { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, it } from 'vitest'
import { cli, temporaryFolder } from '../cli/process.ts'
import { createTestApp } from '../kit/app.ts'
import {
  answerConsent,
  ask,
  assistantKey,
  assistantsOf,
  createAssistantClient,
  type Manner,
  openAssistant,
  pendingApproval,
  statusOf,
} from '../kit/assistant.ts'
import { bundled } from '../kit/bundled.ts'

/** Starts `copydesk mcp` as a client's configuration says it; ended with `await using`. */
async function start(url: string, key: string, manner: Manner = {}): Promise<Client & AsyncDisposable> {
  const folder = temporaryFolder()
  const client = createAssistantClient(manner)
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [await bundled('main'), 'mcp'],
    cwd: folder.path,
    env: { HOME: folder.path, COPYDESK_URL: url, COPYDESK_API_KEY: key },
    stderr: 'ignore',
  })
  await client.connect(transport)
  return Object.assign(client, {
    async [Symbol.asyncDispose]() {
      await client.close()
      folder[Symbol.dispose]()
    },
  })
}

describe.each(['modern', 'legacy'] as const)('copydesk mcp with a client of the %s revision', (era) => {
  it('reads, and decides when the user accepts the prompt', async () => {
    await using app = await createTestApp()
    await using office = await openAssistant(app)
    const team = await app.team()
    const id = await pendingApproval(app, team)
    const { key } = await assistantKey(app, team.reviewerId)
    const asked: string[] = []
    const answers = ['decline', 'accept'] as const
    const person = (message: string) => {
      asked.push(message)
      return answers[asked.length - 1] ?? 'decline'
    }
    await using client = await start(office.url, key, { era, person })
    expect((await ask(client, 'show', { ids: [id] })).text).toContain('not instructions')
    expect(await ask(client, 'approve', { ids: [id] })).toMatchObject({ failed: true })
    expect(await statusOf(team, id)).toBe('pending')
    expect(await ask(client, 'approve', { ids: [id] })).toMatchObject({ failed: false })
    expect(await statusOf(team, id)).toBe('approved')
    expect(asked).toHaveLength(2)
    expect(asked[0]).toContain(`/approve ${id}`)
    expect(await assistantsOf(app, 'approval.resolve')).toEqual(['claude-desktop 1.2'])
  })

  it('executes once after a consent at the server, when the client cannot ask', async () => {
    await using app = await createTestApp()
    await using office = await openAssistant(app)
    const team = await app.team()
    const id = await pendingApproval(app, team)
    const { key } = await assistantKey(app, team.reviewerId)
    await using client = await start(office.url, key, { era })
    const given = { ids: [id], note: 'Off brand' }
    const { consent } = (await ask(client, 'reject', given)).data
    expect((await ask(client, 'reject', given)).data).toMatchObject({ done: false, consent })
    expect(await statusOf(team, id)).toBe('pending')
    await answerConsent(team, consent)
    expect(await ask(client, 'reject', given)).toMatchObject({ failed: false, data: { done: true } })
    expect(await statusOf(team, id)).toBe('rejected')
    expect(await assistantsOf(app, 'approval.resolve')).toEqual(['claude-desktop 1.2'])
  })
})

describe('copydesk mcp', () => {
  it('with a read-only key has only tools that read, and reports a revoked key or an unreachable server', async () => {
    await using app = await createTestApp({ worker: false })
    const office = await openAssistant(app)
    const team = await app.team()
    const { key, id } = await assistantKey(app, team.reviewerId, 'read')
    const other = await assistantKey(app, team.reviewerId, 'read')
    await using client = await start(office.url, key)
    await using second = await start(office.url, other.key)
    const { tools } = await client.listTools()
    expect(tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([])
    for (const each of [client, second]) expect(await ask(each, 'tenants')).toMatchObject({ failed: false })
    await app.copydesk.asSystem().apiKeys.revoke(id)
    const refused = { failed: true, text: expect.stringContaining('INVALID_API_KEY') }
    expect(await ask(client, 'tenants')).toMatchObject(refused)
    await office[Symbol.asyncDispose]()
    const away = { failed: true, text: expect.stringContaining('cannot be reached') }
    expect(await ask(second, 'tenants')).toMatchObject(away)
  })

  it('does not start without a key for assistants, and reports the reason', async () => {
    await using app = await createTestApp({ worker: false })
    await using office = await openAssistant(app)
    using folder = temporaryFolder()
    const { key } = await assistantKey(app, (await app.team()).reviewerId, 'none')
    const env = { COPYDESK_URL: office.url, COPYDESK_API_KEY: key }
    const refused = await cli(['mcp'], { cwd: folder.path, env })
    expect(refused).toMatchObject({ code: 4, stdout: '' })
    expect(refused.stderr).toContain('not for assistants')
    const nobody = await cli(['mcp'], { cwd: folder.path })
    expect(nobody).toMatchObject({ code: 4, stdout: '' })
    expect(nobody.stderr).toContain('copydesk login')
  })

  it('ends when the client disconnects', async () => {
    await using app = await createTestApp({ worker: false })
    await using office = await openAssistant(app)
    using folder = temporaryFolder()
    const { key } = await assistantKey(app, (await app.team()).reviewerId, 'read')
    const env = { COPYDESK_URL: office.url, COPYDESK_API_KEY: key }
    const ended = await cli(['mcp'], { cwd: folder.path, env, input: '' })
    expect(ended).toMatchObject({ code: 0, stdout: '' })
  })
})
