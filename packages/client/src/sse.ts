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
 * Reads a stream of server-sent events and opens it anew after what was seen last when the connection breaks.
 * @param ends names of the events after which nothing more comes
 * @param connected told that the stream stands, and that it has broken off
 * @throws ApiError when the server refuses the stream
 */
export async function* follow(
  open: (lastEventId: string | undefined) => Promise<Response>,
  signal?: AbortSignal,
  ends: readonly string[] = usualEnds,
  connected: (stands: boolean) => void = () => undefined,
): AsyncGenerator<ServerEvent> {
  let lastEventId: string | undefined
  let wait = firstWaitMs
  while (!signal?.aborted) {
    try {
      const response = await open(lastEventId)
      connected(true)
      for await (const { id, told } of read(response)) {
        lastEventId = id ?? lastEventId
        if (!told) continue
        wait = firstWaitMs
        yield told
        if (ends.includes(told.event)) return
      }
    } catch (error) {
      if (signal?.aborted) return
      if (error instanceof ApiError && error.status !== 429 && error.status < 500) throw error
      // Who asks too much has been answered.
      if (!(error instanceof ApiError)) connected(false)
    }
    await pause(wait, signal)
    wait = Math.min(wait * 2, longestWaitMs)
  }
}

interface Block {
  id: string | undefined
  /** Missing when the block only says after which id to resume. */
  told?: ServerEvent
}

async function* read(response: Response): AsyncGenerator<Block> {
  if (!response.body) return
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) yield parse(block)
  }
}

function parse(block: string): Block {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    if (colon <= 0) continue
    const name = line.slice(0, colon)
    const value = line.slice(colon + 1).replace(/^ /, '')
    fields.set(name, fields.has(name) ? `${fields.get(name)}\n${value}` : value)
  }
  const data = fields.get('data')
  const id = fields.get('id')
  if (data === undefined) return { id }
  return { id, told: { event: fields.get('event') ?? 'message', data: JSON.parse(data) as unknown, id } }
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
