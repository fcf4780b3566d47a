import { type Client, createClient } from '@copydesk/client'
import type { TestApp } from '../kit/app.ts'

/** One message of a stream, as its client got it. */
export interface Heard {
  event: string
  id: string | undefined
  data: Record<string, unknown>
}

/** What a client that follows a stream has got so far. */
export interface Recording {
  /** All but the text, in the order in which it came. */
  heard: Heard[]
  /** The text of each run, by its id, in the order in which the runs began to write. */
  texts: Map<string, string>
  /** Breaks the connection off; the client's next one is let through by `fix` only. */
  cut(): void
  reconnect(): void
  /** How many times the server has opened the stream. */
  opened(): number
}

const streams = {
  dashboard: (client: Client, input: object) => client.stream('dashboard', 'GET /events/stream', input),
  dm: (client: Client, input: object) => client.stream('dm', 'GET /events/stream', input),
  mobile: (client: Client, input: object) => client.stream('mobile', 'GET /events/stream', input),
  inbox: (client: Client, input: object) => client.stream('tenant', 'GET /notifications/stream', input),
}

/**
 * Follows the event stream of a surface with a client of its own, until the test is over. The server has opened the stream
 * when this resolves.
 * @param after the id of the message to resume after; what is from now on, when it is missing
 */
export async function record(
  app: TestApp,
  stack: AsyncDisposableStack,
  { surface, token, after }: { surface: keyof typeof streams; token: string; after?: string | undefined },
): Promise<Recording> {
  const stop = new AbortController()
  let line = new AbortController()
  let whole: PromiseWithResolvers<void> | undefined
  let opened = 0
  let read = 0
  const client = createClient({
    baseUrl: 'http://copydesk.test',
    token,
    async fetch(url, init) {
      await whole?.promise
      const response = await app.copydesk.fetch(new Request(url, init))
      opened += 1
      const wire = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, client) {
          read += 1
          client.enqueue(chunk)
        },
      })
      return new Response(response.body?.pipeThrough(wire, { signal: line.signal }) ?? null, response)
    },
  })
  const heard: Heard[] = []
  const texts = new Map<string, string>()
  const following = (async () => {
    const input = { signal: stop.signal, ...(after && { headers: { 'last-event-id': after } }) }
    for await (const { event, id, data } of streams[surface](client, input)) {
      if (event === 'text_delta') texts.set(data.runId, (texts.get(data.runId) ?? '') + data.delta)
      else heard.push({ event, id, data })
    }
  })()
  stack.defer(async () => {
    whole?.resolve()
    stop.abort()
    line.abort()
    await following
  })
  // A new follower gets the current state at once, if there is any.
  await app.until(async () => (after ? opened : read) > 0, `${surface} is followed`)
  return {
    heard,
    texts,
    cut() {
      whole = Promise.withResolvers()
      line.abort()
      line = new AbortController()
    },
    reconnect: () => whole?.resolve(),
    opened: () => opened,
  }
}
