import type { Copydesk } from '@copydesk/core'
import type { TestApp } from '../../kit/app.ts'
import type { Agent } from '../../kit/runtime.ts'

/** One message of a stream as it came. */
export interface Seen {
  event: string
  data: { delta?: string; activityId?: string; runId?: string; attempt?: number; [field: string]: unknown }
  id: string | undefined
}

/** Someone in front of an open stream. */
export interface Viewer extends AsyncDisposable {
  readonly seen: readonly Seen[]
  /** All text so far, in the order of its arrival. */
  readonly text: string
  /** True when the server has ended the stream. */
  readonly ended: boolean
  /** What the stream has shown once it is as long as this text, or when no more comes: to be compared with it. */
  reads(text: string): Promise<string>
}

/**
 * Opens a stream and reads along. When it resolves the server has taken the viewer up: what happens from then on is shown.
 * @param server the instance to ask, by default the app's own
 */
export async function view(
  app: TestApp,
  {
    token,
    path,
    after,
    server,
    surface = 'dashboard',
  }: {
    token: string
    path: string
    after?: string | undefined
    server?: Copydesk
    surface?: 'dashboard' | 'cli'
  },
): Promise<Viewer> {
  const leaving = new AbortController()
  const request = new Request(`http://copydesk.test/${surface}/v1${path}`, {
    headers: {
      authorization: `${token.startsWith('cdk_') ? 'ApiKey' : 'Bearer'} ${token}`,
      accept: 'text/event-stream',
      ...(after !== undefined && { 'last-event-id': after }),
    },
    signal: leaving.signal,
  })
  const response = await (server ?? app.copydesk).fetch(request)
  if (response.status !== 200 || !response.body) throw new Error(`The stream answered ${response.status}`)
  const seen: Seen[] = []
  let ended = false
  const body = response.body.pipeThrough(new TextDecoderStream()).getReader()
  const reading = (async () => {
    let rest = ''
    for (let part = await body.read(); !part.done; part = await body.read()) {
      const blocks = (rest + part.value).split('\n\n')
      rest = blocks.pop() ?? ''
      seen.push(...blocks.flatMap(parse))
    }
    ended = true
  })()
  const textOf = () => seen.map(({ event, data }) => (event === 'text_delta' ? data.delta : '')).join('')
  return {
    seen,
    get text() {
      return textOf()
    },
    get ended() {
      return ended
    },
    async reads(text) {
      await app.until(async () => textOf().length >= text.length, 'the text is shown').catch(() => undefined)
      return textOf()
    },
    async [Symbol.asyncDispose]() {
      await body.cancel()
      await reading
    },
  }
}

function parse(block: string): Seen[] {
  const fields = Object.fromEntries(
    block.split('\n').map((line): [string, string] => {
      const colon = line.indexOf(': ')
      return [line.slice(0, colon), line.slice(colon + 2)]
    }),
  )
  const { event, data, id } = fields
  return event && data ? [{ event, data: JSON.parse(data) as Seen['data'], id }] : []
}

/** Hands in one numbered piece of text. */
export const write = (agent: Agent, sequenceNum: number, delta: string) =>
  agent.call('POST /runs/:runId/stream', { delta, sequenceNum })

/** An event that every viewer gets after all text so far: text that is not shown by then is missing. */
export async function mark(app: TestApp, agent: Agent, viewers: readonly Viewer[]): Promise<void> {
  const tool = { toolName: 'mark', method: 'GET', input: null, status: 'success', durationMs: 1 } as const
  const marks = (viewer: Viewer) => viewer.seen.filter(({ event }) => event === 'tool_result').length
  const before = viewers.map(marks)
  await agent.call('POST /runs/:runId/tool-call', tool)
  await app.until(
    async () => viewers.every((viewer, index) => marks(viewer) > (before[index] ?? 0)),
    'the mark is seen',
  )
}
