import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createClient } from '@copydesk/client'
import type { Copydesk } from '@copydesk/core'
import { wrongUsage } from '@copydesk/terminal/failure'
import { createDemoInstance } from '../demo/instance.ts'

/** One request of the runtime about one run, and its response. */
export interface Call {
  runId: string
  /** The last part of its path, such as `stream`; `result` for both endpoints that accept a result. */
  name: string
  /** How many requests about this run had been answered when it arrived. */
  arrivedAfter: number
  body: Record<string, unknown>
  status: number
  answer: { cancel?: boolean; error?: { message?: string } }
}

/** The status of the runtime's response to the dispatch. */
export interface Taken {
  status?: number
  /** Why there was no response. */
  fault?: string
  ms: number
}

export interface Trial {
  runId: string
  taken: Taken
  /** What the runtime has sent about this run so far. */
  calls(): Call[]
  /** Sends the same dispatch again. */
  again(): Promise<Taken>
  /** Reassigns the activity, so that the runtime must cancel it. */
  withdraw(): Promise<void>
}

export interface ProbeSession {
  url: string
  secret: { header: string; value: string } | undefined
  /** Creates an activity for the role. @param timeoutMs how long its run may go without a heartbeat */
  give(timeoutMs: number): Promise<Trial>
  /** Sends a request to the runtime. */
  post(body: string, headers: Record<string, string>): Promise<Taken>
  /** While it is set, requests of the runtime wait for it; heartbeats do not. */
  hold: Promise<void> | undefined
  calls: readonly Call[]
  close(): Promise<void>
}

const brief = `# Spring

Hearth & Oat is a small bakery in Bristol.

- **Morning Oats**: rolled oats with hazelnuts; no added sugar
- **Rye & Seed Loaf**: sourdough baked overnight

Audience: people who leave the house early. Voice: warm and plain.`

interface Given {
  taskId: string
  taskToken: string
  agentRole: string
}

/** How long to wait for the runtime: longer than Copydesk does, to distinguish a late response from none. */
const patienceMs = 20_000

/**
 * A temporary installation with one tenant whose agents all use the runtime. Dispatches go through a relay
 * that records requests and responses, so the runtime may be on any host.
 * @throws Failure when there is no such role, or the port is in use
 */
export async function openProbeSession(options: {
  role: string
  url: string
  port: number
  secret?: { header: string; value: string }
}): Promise<ProbeSession> {
  const { role, url, secret } = options
  const calls: Call[] = []
  const callsOf = (runId: string) => calls.filter((call) => call.runId === runId)
  const arrived = new Map<string, (given: Given, body: string) => Promise<Taken>>()
  const post: ProbeSession['post'] = async (body, headers) => {
    const started = performance.now()
    const ms = () => Math.round(performance.now() - started)
    try {
      const signal = AbortSignal.timeout(patienceMs)
      const all = { 'content-type': 'application/json', ...headers }
      const response = await fetch(url, { method: 'POST', headers: all, body, redirect: 'manual', signal })
      await response.body?.cancel()
      return { status: response.status, ms: ms() }
    } catch (error) {
      const { message, cause } = error as Error
      return { fault: cause instanceof Error ? cause.message : message, ms: ms() }
    }
  }
  const relay = createServer((request, response) => {
    void text(request).then(async (body) => {
      const given = JSON.parse(body) as Given
      const take = arrived.get(given.agentRole)
      arrived.delete(given.agentRole)
      // Dispatches that no trial waits for are accepted and ignored.
      const { status = 502 } = take ? await take(given, body) : { status: 202 }
      response.writeHead(status).end()
    })
  }).listen(0, '127.0.0.1')
  await once(relay, 'listening')
  const relayPort = (relay.address() as AddressInfo).port
  const closeRelay = async () => {
    relay.closeAllConnections()
    relay.close()
    await once(relay, 'close')
  }
  const between = (copydesk: Copydesk, request: IncomingMessage, response: ServerResponse) => {
    const [, runId, name = 'result'] =
      /^\/agent\/v1\/(?:runs|callback)\/([^/?]+)(?:\/([^?]+))?/.exec(request.url ?? '') ?? []
    if (runId === undefined || request.headers['x-played'] || (request.method === 'GET' && name === 'stream'))
      return copydesk.node(request, response)
    return watch(copydesk, request, response, { runId, name: name.split('/').at(-1) ?? name })
  }
  const watch = async (
    copydesk: Copydesk,
    request: IncomingMessage,
    response: ServerResponse,
    about: Pick<Call, 'runId' | 'name'>,
  ) => {
    const arrivedAfter = callsOf(about.runId).length
    const body = await text(request).catch(() => '')
    if (about.name !== 'heartbeat') await session.hold
    if (response.destroyed) return
    const headers = request.headers as Record<string, string>
    const init = { method: request.method ?? 'GET', headers, ...(body !== '' && { body }) }
    const answer = await copydesk.fetch(new Request(`${instance.url}${request.url}`, init))
    const said = await answer.text()
    calls.push({ ...about, arrivedAfter, body: read(body), status: answer.status, answer: read(said) })
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(said)
  }
  const instance = await createDemoInstance({
    port: options.port,
    allowHosts: [`127.0.0.1:${relayPort}`],
    between,
  }).catch(async (error: unknown) => {
    await closeRelay()
    throw error
  })
  const { admin } = instance
  const asAgent = ({ taskToken }: Given) => createClient({ baseUrl: instance.url, token: taskToken })
  const played = { headers: { 'x-played': 'yes' } }
  const configure = (agentRole: string, timeoutMs: number) =>
    admin.call('dashboard', 'PATCH /agents/:agentRole', {
      params: { agentRole },
      body: {
        adapterType: 'adapter_b',
        concurrency: 10,
        adapterConfig: { webhookUrl: `http://127.0.0.1:${relayPort}/`, timeoutMs },
      },
    })
  const next = (agentRole: string, take: (given: Given, body: string) => Promise<Taken>) =>
    new Promise<[Given, string, Taken]>((resolve) => {
      arrived.set(agentRole, async (given, body) => {
        const taken = await take(given, body)
        resolve([given, body, taken])
        return taken
      })
    })
  const close = async () => {
    session.hold = undefined
    await instance.close(false)
    await closeRelay()
  }
  const session: ProbeSession = { url: instance.url, secret, calls, hold: undefined, post, close, give }

  const { data: agents } = await admin.call('dashboard', 'GET /agents')
  const roles = agents.map((agent) => agent.role)
  if (!roles.includes(role)) {
    await close()
    throw wrongUsage(`There is no role ${role}. There are: ${roles.join(', ')}.`)
  }
  for (const each of roles) await configure(each, 3_600_000)
  // Activities of any role are subtasks of one open activity, which belongs to the session itself.
  const parent = next('social_writer', async () => ({ status: 202, ms: 0 }))
  await admin.call('dashboard', 'POST /campaigns', {
    body: { name: 'Spring', brief, deliverables: [{ type: 'social_post', quantity: 1 }] },
  })
  const [whole] = await parent

  async function give(timeoutMs: number): Promise<Trial> {
    await configure(role, timeoutMs)
    const proof: Record<string, string> = secret ? { [secret.header]: secret.value } : {}
    const comes = next(role, (_, body) => post(body, proof))
    await asAgent(whole).call('agent', 'POST /runs/:runId/actions/create-subtask', {
      ...played,
      params: { runId: whole.taskId },
      body: { title: 'An activity for testing', agentRole: role, prompt: brief, blocking: false },
    })
    const [given, body, taken] = await comes
    const runId = given.taskId
    return {
      runId,
      taken,
      calls: () => callsOf(runId),
      again: () => post(body, proof),
      async withdraw() {
        await asAgent(given).call('agent', 'POST /runs/:runId/actions/reassign', {
          ...played,
          params: { runId },
          body: {
            toRole: roles.find((other) => other !== role) ?? '',
            reason: 'To test whether the runtime stops',
          },
        })
      },
    }
  }
  return session
}

function read(json: string): Record<string, unknown> {
  try {
    return (JSON.parse(json) ?? {}) as Record<string, unknown>
  } catch {
    return {}
  }
}
