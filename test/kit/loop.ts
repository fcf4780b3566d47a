import type { CopydeskOptions } from '@copydesk/core'
import { asJson, asNumber } from './columns.ts'
import { type ModelScript, type ModelServer, startAnthropicLike, startOpenAiLike } from './model-servers.ts'
import { type AgentHarness, createAgentHarness, pricedModel } from './runtime.ts'

/** A model of another vendor: 0.2 micro-dollars for a token in and 1.2 for a token out. */
export const otherModel = 'gpt-5.6-luna'

export interface Loop extends AgentHarness {
  /** Serve `pricedModel` and `otherModel`. */
  first: ModelServer
  second: ModelServer
  /** Orders one social post and gives its runs once `count` of them have ended, oldest first. */
  write(count?: number): Promise<Ended[]>
  ended(count: number): Promise<Ended[]>
  calls(runId: string): Promise<Call[]>
  lines(runId: string): Promise<Line[]>
}

export interface Ended {
  id: string
  activityId: string
  status: string
  model: string | null
  error: string | null
  family: string | null
  inputTokens: number
  outputTokens: number
  costMicros: number
  priced: boolean
}

export interface Call {
  provider: string
  model: string
  status: string
  family: string | null
  inputTokens: number
  outputTokens: number
  costMicros: number
  estimated: boolean
}

export interface Line {
  type: string
  content: string
  metadata: Record<string, unknown> | null
}

/** An instance whose social writer is the built-in loop, with two model servers of two vendors. */
export async function createLoop(
  options: {
    first?: ModelScript
    second?: ModelScript
    fallback?: string[]
    changes?: Partial<CopydeskOptions>
  } = {},
): Promise<Loop> {
  await using stack = new AsyncDisposableStack()
  const first = stack.use(await startAnthropicLike(options.first ?? []))
  const second = stack.use(await startOpenAiLike(options.second ?? []))
  const harness = stack.use(
    await createAgentHarness({
      providers: [
        { id: 'one', type: 'hosted_a', apiKey: 'k', baseUrl: first.url, models: [pricedModel] },
        { id: 'two', type: 'hosted_b', apiKey: 'k', baseUrl: second.url, models: [otherModel] },
      ],
      models: { fallback: options.fallback ?? [] },
      ...options.changes,
    }),
  )
  await harness.configure({ adapterType: 'local', model: pricedModel })
  const ended = (count: number) =>
    harness.app.until(async () => {
      const rows = await harness.app.db.sql.all(
        'select * from runs where open = ? and tenant_id = ? order by id',
        [false, harness.team.tenantId],
      )
      return rows.length >= count && rows.map(toEnded)
    }, `${count} runs have ended`)
  const owned = stack.move()
  return {
    ...harness,
    first,
    second,
    ended,
    async write(count = 1) {
      await harness.team.admin.call('dashboard', 'POST /campaigns', {
        body: { name: 'Spring', brief: 'Oats', deliverables: [{ type: 'social_post', quantity: 1 }] },
      })
      return ended(count)
    },
    calls: async (runId) =>
      (await harness.app.db.sql.all('select * from llm_calls where run_id = ? order by id', [runId])).map(
        toCall,
      ),
    lines: async (runId) =>
      (
        await harness.app.db.sql.all('select * from transcript_entries where run_id = ? order by id', [runId])
      ).map((row) => ({
        type: row['type'] as string,
        content: row['content'] as string,
        metadata: asJson<Record<string, unknown>>(row['metadata']),
      })),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

const isTrue = (value: unknown) => value === true || value === 1

function toEnded(row: Record<string, unknown>): Ended {
  return {
    id: row['id'] as string,
    activityId: row['activity_id'] as string,
    status: row['status'] as string,
    model: row['model'] as string | null,
    error: row['error'] as string | null,
    family: row['error_family'] as string | null,
    inputTokens: asNumber(row['input_tokens']),
    outputTokens: asNumber(row['output_tokens']),
    costMicros: asNumber(row['cost_micros']),
    priced: isTrue(row['priced']),
  }
}

function toCall(row: Record<string, unknown>): Call {
  return {
    provider: row['provider_id'] as string,
    model: row['model'] as string,
    status: row['status'] as string,
    family: row['family'] as string | null,
    inputTokens: asNumber(row['input_tokens']),
    outputTokens: asNumber(row['output_tokens']),
    costMicros: asNumber(row['cost_micros']),
    estimated: isTrue(row['estimated']),
  }
}
