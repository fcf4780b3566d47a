import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CallInput, Reply, RouteOf } from '@copydesk/client'
import type { CopydeskOptions } from '@copydesk/core'
import type { SqlValue } from '../../packages/core/src/platform/database/database.ts'
import { brief, createTestApp, type Team, type TestApp } from './app.ts'
import type { TestClock } from './clock.ts'
import { stateAtRest } from './state-at-rest.ts'

/** What Copydesk posts to an external runtime, word for word, and the headers that came with it. */
export interface Dispatch {
  taskId: string
  tenantId: string
  agentRole: string
  prompt: string
  systemPrompt: string
  skillsContext: string
  wakeReason: string
  sessionId: string | null
  callbackUrl: string
  taskToken: string
  timeoutMs: number
  headers: Readonly<Record<string, string | string[] | undefined>>
}

/** A status, or one with headers. */
export type DispatchAnswer = number | { status: number; headers: Record<string, string> }

/** A web page that agents can read, at `/page` of the runtime. */
const runtimePage = '<title>Rye</title><main><p>Rye grows where wheat does not.</p></main>'

export interface TestRuntime extends AsyncDisposable {
  url: string
  /** The next dispatch that no one has taken yet, in the order of arrival. */
  next(): Promise<Dispatch>
  /** Gives back what was taken and is for someone else. */
  putBack(dispatches: readonly Dispatch[]): void
  /** Dispatches that no one has taken yet. */
  readonly waiting: number
}

/**
 * Plays an external agent runtime on 127.0.0.1: takes dispatches and hands them to the test, which then acts as the agent.
 * @param answer the status of the answer to a dispatch; the default is 202 at once
 */
export async function createTestRuntime(
  answer: (dispatch: Dispatch) => DispatchAnswer | Promise<DispatchAnswer> = () => 202,
): Promise<TestRuntime> {
  const arrived: Dispatch[] = []
  const takers: Array<(dispatch: Dispatch) => void> = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => {
      if (request.url === '/page')
        return void response.writeHead(200, { 'content-type': 'text/html' }).end(runtimePage)
      // Someone asks whether it is there.
      if (request.method !== 'POST') return void response.writeHead(405).end()
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Dispatch
      const dispatch = { ...body, headers: request.headers }
      Promise.resolve(answer(dispatch)).then(
        (given) => {
          const { status, headers = {} } = typeof given === 'number' ? { status: given } : given
          response.writeHead(status, headers).end()
          if (status !== 202) return
          const taker = takers.shift()
          if (taker) taker(dispatch)
          else arrived.push(dispatch)
        },
        () => response.destroy(),
      )
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/work`,
    next: async () => arrived.shift() ?? new Promise((resolve) => void takers.push(resolve)),
    putBack: (dispatches) => void arrived.unshift(...dispatches),
    get waiting() {
      return arrived.length
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}

type RunRoute = Extract<RouteOf<'agent'>, `${string}:runId${string}`>
type Body<R extends RunRoute> = CallInput<'agent', R>['body']

/** The agent of one dispatch: every endpoint that its task token gives access to. */
export interface Agent {
  runId: string
  dispatch: Dispatch
  call<const R extends RunRoute>(route: R, body?: Body<R>): Promise<Reply<'agent', R>>
  /** Hands in a text as the run's result. */
  deliver(text: string, more?: Partial<Body<'POST /runs/:runId/result'>>): Promise<unknown>
  /** Hands in a failure as the run's result. */
  fail(error: string, metadata?: Record<string, unknown>): Promise<unknown>
}

export function agentOf(app: TestApp, dispatch: Dispatch): Agent {
  const call: Agent['call'] = (route, body) => {
    const input = { params: { runId: dispatch.taskId }, ...(body !== undefined && { body }) }
    return app.clientFor(dispatch.taskToken).call('agent', route, input as never)
  }
  return {
    runId: dispatch.taskId,
    dispatch,
    call,
    deliver: (text, more = {}) => call('POST /runs/:runId/result', { status: 'success', text, ...more }),
    fail: (error, metadata) =>
      call('POST /runs/:runId/result', { status: 'error', error, ...(metadata && { metadata }) }),
  }
}

/** A model whose price is 1 micro-dollar for a token in and 5 for a token out. */
export const pricedModel = 'claude-haiku-4-5'

export interface AgentHarness extends AsyncDisposable {
  app: TestApp
  team: Team
  runtime: TestRuntime
  /** The agent of the next dispatch; a test clock is moved on until it comes. */
  next(clock?: TestClock): Promise<Agent>
  /** Orders one piece and gives the agent of its first run. */
  order(type?: DeliverableType, more?: Partial<NewCampaign>): Promise<Agent & { campaignId: string }>
  /**
   * The complete state of activities and runs at rest, to show that a rejected request has changed nothing.
   */
  state(): Promise<Record<string, unknown>>
  run(id: string): Promise<Row>
  activityOf(runId: string): Promise<Row>
  count(text: string, ...params: SqlValue[]): Promise<number>
  /** Changes the settings of agents, by default of all. */
  configure(changes: AgentChanges, roles?: readonly string[]): Promise<void>
}

type Row = Record<string, unknown> & { id: string; status: string }
type NewCampaign = CallInput<'dashboard', 'POST /campaigns'>['body']
type DeliverableType = NewCampaign['deliverables'][number]['type']
type AgentChanges = Parameters<ReturnType<TestApp['copydesk']['asSystem']>['agents']['configure']>[1]

/** An instance with one team, all of whose agents are played by the test. */
export async function createAgentHarness(
  options: Partial<CopydeskOptions> & {
    allowErrors?: boolean
    answer?: (dispatch: Dispatch) => DispatchAnswer | Promise<DispatchAnswer>
  } = {},
): Promise<AgentHarness> {
  const { answer, ...changes } = options
  await using stack = new AsyncDisposableStack()
  const runtime = stack.use(await createTestRuntime(answer))
  const app = stack.use(
    await createTestApp({
      allowHosts: ['127.0.0.1'],
      // Never asked: it is there for its model's price.
      providers: [
        {
          id: 'hosted',
          type: 'hosted_a',
          apiKey: 'none',
          baseUrl: 'http://127.0.0.1:9/v1',
          models: [pricedModel],
        },
      ],
      ...changes,
    }),
  )
  const team = await app.team()
  const { tenantId } = team
  const { agents } = app.copydesk.asSystem({ tenantId })
  const roles = await app.db.sql.all<{ role: string }>('select role from tenant_agents where tenant_id = ?', [
    tenantId,
  ])
  const configure: AgentHarness['configure'] = async (changed, only = roles.map(({ role }) => role)) => {
    for (const role of only) await agents.configure(role, changed)
  }
  await configure({
    adapterType: 'adapter_b',
    model: pricedModel,
    adapterConfig: { webhookUrl: runtime.url, authHeader: 'x-runtime-key', authValue: 'the secret' },
  })
  const one = async (text: string, id: string) => (await app.db.sql.get<Row>(text, [id])) as Row
  const run = (id: string) => one('select * from runs where id = ?', id)
  const count: AgentHarness['count'] = async (text, ...params) =>
    Number((await app.db.sql.get<{ n: number }>(text, params))?.n)
  const next = async (clock?: TestClock) => {
    if (clock)
      await app.until(async () => {
        // Time stands still while a dispatch is under way: its answer must not come late on a busy machine.
        const held = await count(
          'select count(*) as n from runs where open = ? and lease_owner is not null and lease_until > ?',
          true,
          clock.date(),
        )
        if (held === 0 && runtime.waiting === 0) clock.advance(500)
        return runtime.waiting > 0
      }, 'work is dispatched')
    const agent = agentOf(app, await runtime.next())
    // The answer of the runtime is on its way: until it has come, the run is still in the hands of the server.
    const isTaken = async () => (await run(agent.runId))['lease_owner'] === null
    await app.until(isTaken, 'the run is left to the runtime')
    return agent
  }
  const owned = stack.move()
  return {
    app,
    team,
    runtime,
    configure,
    next,
    async order(type = 'social_post', more = {}) {
      const { id } = await team.admin.call('dashboard', 'POST /campaigns', {
        body: { name: 'Spring', brief, deliverables: [{ type, quantity: 1 }], ...more },
      })
      // A verdict before may have woken other work, whose dispatch comes first.
      const others: Dispatch[] = []
      let agent = await next()
      while ((await run(agent.runId))['campaign_id'] !== id) {
        others.push(agent.dispatch)
        agent = await next()
      }
      runtime.putBack(others)
      return { ...agent, campaignId: id }
    },
    state: () => stateAtRest(app, () => changes.clock?.date() ?? new Date()),
    run,
    activityOf: (runId) =>
      one('select a.* from activities a join runs r on r.activity_id = a.id where r.id = ?', runId),
    count,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
