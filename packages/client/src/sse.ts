import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { ApiError } from './errors.ts'

/** One event of a stream, with its data parsed. */
export interface ServerEvent<K extends string = string, D = unknown> {
  event: K
  data: D
  id: string | undefined
}

const firstWaitMs = 250
const longestWaitMs = 10_000
/** Events after which a server closes a stream for good, unless the stream has others. */
const usualEnds: readonly string[] = ['completed', 'error']

/**
 * Reads a stream of server-sent events and reconnects after the last received event when the connection
 * breaks.
 * @param ends names of the final events
 * @param connected called when the stream is connected, and when it is disconnected
 * @param isOnce the request changes something and must not be repeated: ends with the connection
 * @throws ApiError when the server rejects the stream; with `isOnce` also the error that broke the connection
 */
export async function* follow(
  open: (lastEventId: string | undefined) => Promise<Response>,
  signal?: AbortSignal,
  ends: readonly string[] = usualEnds,
  connected: (stands: boolean) => void = () => undefined,
  isOnce = false,
): AsyncGenerator<ServerEvent> {
  let lastEventId: string | undefined
  let wait = firstWaitMs
  while (!signal?.aborted) {
    try {
      const response = await open(lastEventId)
      connected(true)
      for await (const { id, event = 'message', data } of read(response)) {
        lastEventId = id ?? lastEventId
        if (data === undefined) continue
        wait = firstWaitMs
        yield { event, data: JSON.parse(data) as unknown, id }
        if (ends.includes(event)) return
      }
      if (isOnce) return
    } catch (error) {
      if (signal?.aborted) return
      if (isOnce) throw error
      if (error instanceof ApiError && error.status !== 429 && error.status < 500) throw error
      // A rejected request for too many streams is final.
      if (!(error instanceof ApiError)) connected(false)
    }
    await pause(wait, signal)
    wait = Math.min(wait * 2, longestWaitMs)
  }
}

/** Messages, and before each message with an id, as well as for an id without a message, the id alone. */
async function* read(response: Response): AsyncGenerator<Partial<EventSourceMessage>> {
  if (!response.body) return
  const decoder = new TextDecoder()
  let blocks: Partial<EventSourceMessage>[] = []
  const parser = createParser({
    onId: (id) => void blocks.push({ id }),
    onEvent: (message) => void blocks.push(message),
  })
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    parser.feed(decoder.decode(chunk, { stream: true }))
    yield* blocks
    blocks = []
  }
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
