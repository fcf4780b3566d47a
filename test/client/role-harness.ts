import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type AgentRuntime,
  type AgentRuntimeOptions,
  createAgentRuntime,
  type RunEnd,
} from '@copydesk/client/agent'
import { brief } from '../kit/app.ts'
import type { TestClock } from '../kit/clock.ts'
import { createListeningHarness, type ListeningHarness } from '../kit/listening.ts'

export const secret = { header: 'x-runtime-key', value: 'a secret of two' }

/** What went to `/agent/v1`, in its order, and how it was answered. */
export interface Call {
  name: string
  /** By the clock of the runtime. */
  at: number
  status?: number
}

export interface RoleHarness extends ListeningHarness {
  agent: AgentRuntime
  /** Where work is given to it. */
  workUrl: string
  calls: Call[]
  /** Bodies of dispatches in the order in which the runtime has answered them. */
  dispatches: string[]
  ends: RunEnd[]
  /** Orders a post. @returns the id of its activity's first run once it was taken */
  give(): Promise<string>
  /** Waits until a run has ended for the runtime; moves the test clock, if there is one, while nothing is on its way. */
  ended(count?: number): Promise<RunEnd[]>
  reach<T>(probe: () => Promise<T | undefined | false> | T | undefined | false, what: string): Promise<T>
}

interface Options extends Omit<AgentRuntimeOptions, 'secret' | 'clock' | 'fetch'> {
  clock?: TestClock
  /** Intercepts requests between the runtime and Copydesk. @returns true when it has responded itself */
  trouble?(call: string, request: IncomingMessage, response: ServerResponse): boolean
  timeoutMs?: number
}

/** A harness whose agents all use one runtime made with the kit, with a socket on both sides. */
export async function createRoleHarness({
  clock,
  trouble,
  timeoutMs,
  ...options
}: Options): Promise<RoleHarness> {
  await using stack = new AsyncDisposableStack()
  const calls: Call[] = []
  const ends: RunEnd[] = []
  const dispatches: string[] = []
  let underWay = 0
  const now = () => clock?.now() ?? Date.now()
  const harness = stack.use(
    await createListeningHarness({
      ...(clock && { clock }),
      async between(request, response, handle) {
        const call: Call = { name: request.url?.split('/').at(-1) ?? '', at: now() }
        calls.push(call)
        response.on('finish', () => (call.status = response.statusCode))
        if (trouble?.(call.name, request, response)) return
        await handle(request, response)
      },
    }),
  )
  const agent = createAgentRuntime({
    baseUrl: harness.url,
    ...options,
    secret,
    ...(clock && { clock }),
    async fetch(...request) {
      underWay += 1
      try {
        return await fetch(...request)
      } finally {
        underWay -= 1
      }
    },
    onEnd: (end) => void ends.push(end),
  })
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      const headers = request.headers as Record<string, string>
      agent.fetch(new Request(workUrl, { method: 'POST', headers, body })).then(
        async (answer) => {
          dispatches.push(body)
          response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
        },
        () => response.destroy(),
      )
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stack.defer(async () => {
    await agent.close(0)
    server.closeAllConnections()
    server.close()
  })
  const workUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/work`
  await harness.configure({
    adapterType: 'adapter_b',
    adapterConfig: {
      webhookUrl: workUrl,
      authHeader: secret.header,
      authValue: secret.value,
      ...(timeoutMs !== undefined && { timeoutMs }),
    },
  })
  const reach: RoleHarness['reach'] = (probe, what) =>
    harness.app.until(async () => {
      if (clock && underWay === 0) {
        // What is held by the server has not been answered by the runtime yet.
        const held = await harness.count(
          'select count(*) as n from runs where open = ? and lease_owner is not null',
          true,
        )
        if (held === 0 && underWay === 0) clock.advance(250)
      }
      return probe()
    }, what)
  const owned = stack.move()
  return {
    ...harness,
    agent,
    workUrl,
    calls,
    dispatches,
    ends,
    reach,
    async give() {
      const before = dispatches.length
      await harness.team.admin.call('dashboard', 'POST /campaigns', {
        body: { name: 'Spring', brief, deliverables: [{ type: 'social_post', quantity: 1 }] },
      })
      const body = await reach(() => dispatches[before], 'the work is given')
      return (JSON.parse(body) as { taskId: string }).taskId
    },
    ended: (count = 1) => reach(() => ends.length >= count && ends, `${count} runs have ended`),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Which calls came to `/agent/v1`, in their order. */
export const names = ({ calls }: RoleHarness) => calls.map(({ name }) => name)

/** The text that a run has delivered. */
export async function outputOf({ app }: RoleHarness, runId: string): Promise<string | undefined> {
  const row = await app.db.sql.get<{ text: string }>('select text from outputs where run_id = ?', [runId])
  return row?.text
}

/** The text of one attempt that watchers have seen. */
export async function shownOf({ app }: RoleHarness, runId: string, attempt = 1): Promise<string> {
  const rows = await app.db.sql.all<{ text: string }>(
    'select text from run_deltas where run_id = ? and attempt = ? order by position',
    [runId, attempt],
  )
  return rows.map(({ text }) => text).join('')
}
