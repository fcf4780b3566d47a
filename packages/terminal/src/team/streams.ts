import { setTimeout as pause } from 'node:timers/promises'
import { ApiError, type Client, type EventsOf } from '@copydesk/client'
import type { OwnTenant } from './answers.ts'

type Written = EventsOf<'cli', 'GET /activities/:id/stream'>
type Happened = EventsOf<'cli', 'GET /events/stream'>

/** Further event types of a tenant, which its users get and staff do not. */
export interface TenantNews {
  id: string
  event: 'tenant_news'
  data: {
    at: string
    type: string
    title?: string
    tenantId: string
    tenantName: string
    [more: string]: unknown
  }
}

/** Events that staff get as well, in the same shape. */
const shared: ReadonlySet<string> = new Set([
  'approval_created',
  'approval_expiring',
  'activity_blocked',
  'resync',
])

interface Followed {
  headers?: Record<string, string>
  signal?: AbortSignal
  connected?(stands: boolean): void
}

/** The events of the tenant, without the text that all of its agents write. */
export async function* teamEvents(
  client: Client,
  tenant: OwnTenant,
  how: Followed,
): AsyncIterable<Happened | TenantNews> {
  const whose = { tenantId: tenant.id, tenantName: tenant.name }
  const of = (data: object) => ({ at: new Date().toISOString(), ...data, ...whose })
  for await (const { id, event, data } of client.stream('dashboard', 'GET /events/stream', how)) {
    if (event === 'text_delta') continue
    if (shared.has(event)) yield { id, event, data: of(data) } as unknown as Happened
    else yield { id: id ?? '', event: 'tenant_news', data: { ...of(data), type: event } }
  }
}

/**
 * Interval of checks whether an activity still has a run, milliseconds: the dashboard's stream continues
 * while the activity waits.
 */
const lookMs = 2_000
const atWork: ReadonlySet<string> = new Set(['created', 'assigned', 'in_progress'])

/** The text of an activity while its run continues, then the whole delivered text, as staff follow it. */
export async function* teamText(client: Client, activityId: string, how: Followed): AsyncIterable<Written> {
  const params = { activityId }
  const stop = how.signal ? { signal: how.signal } : {}
  const detail = () => client.call('dashboard', 'GET /activities/:activityId', { params, ...stop })
  const { title, agentRole, status } = await detail()
  const begin = (): Written => ({
    id: '',
    event: 'activity_meta',
    data: { activityId, title, agentRole, status, position: 0 },
  })
  const piece = (delta: string, id = ''): Written => ({ id, event: 'text_delta', data: { delta } })
  yield begin()
  let text = ''
  if (atWork.has(status)) {
    let attempt: string | undefined
    for await (const told of turnOf(client, activityId, how)) {
      if (told.event !== 'text_delta') continue
      const { delta, runId, attempt: number } = told.data
      // Another attempt writes the text again.
      if (attempt !== undefined && attempt !== `${runId} ${number}`) {
        yield begin()
        text = ''
      }
      attempt = `${runId} ${number}`
      text += delta
      yield piece(delta, told.id)
    }
  }
  if (how.signal?.aborted) return
  const whole = await outputOf(client, activityId, stop)
  if (!whole.startsWith(text)) yield begin()
  const rest = whole.startsWith(text) ? whole.slice(text.length) : whole
  if (rest !== '') yield piece(rest)
  yield ended(await detail(), whole)
}

/** What the dashboard streams of an activity, until its run is over. */
async function* turnOf(client: Client, activityId: string, { signal, ...how }: Followed) {
  const over = new AbortController()
  const ends = signal ? AbortSignal.any([signal, over.signal]) : over.signal
  const params = { activityId }
  const look = async () => {
    while (!ends.aborted) {
      await pause(lookMs, undefined, { signal: ends, ref: false }).catch(() => undefined)
      if (ends.aborted) return
      // Retries while the server is offline; what rejects this request rejects the stream as well, which
      // reports it.
      const now = await client
        .call('dashboard', 'GET /activities/:activityId', { params, signal: ends })
        .catch(() => undefined)
      if (now && !atWork.has(now.status)) over.abort()
    }
  }
  void look()
  try {
    yield* client.stream('dashboard', 'GET /activities/:activityId/stream', { params, ...how, signal: ends })
  } finally {
    over.abort()
  }
}

function ended(
  {
    id,
    status,
    runs,
  }: { id: string; status: string; runs: ReadonlyArray<{ costUsd: number; durationMs: number }> },
  text: string,
): Written {
  return {
    id: '',
    event: 'activity_completed',
    data: {
      activityId: id,
      status,
      wordCount: text.split(/\s+/).filter((word) => word !== '').length,
      cost: runs.reduce((sum, { costUsd }) => sum + costUsd, 0),
      durationMs: runs.reduce((sum, { durationMs }) => sum + durationMs, 0),
    },
  }
}

async function outputOf(client: Client, activityId: string, stop: { signal?: AbortSignal }): Promise<string> {
  try {
    const { text } = await client.call('dashboard', 'GET /activities/:activityId/output', {
      params: { activityId },
      ...stop,
    })
    return text
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return ''
    throw error
  }
}
