import { z } from 'zod'
import { type Exchange, header } from './exchange.ts'
import type { Beating } from './hub.ts'
import { commonHeaders, webResponse } from './reply.ts'

/** Data schemas by event name. */
export type EventSchemas = Readonly<Record<string, z.ZodType>>

/** One message; `data` is encoded through the schema of its event. */
export type Message<E extends EventSchemas> = {
  [K in keyof E & string]: { event: K; data: z.output<E[K]>; id?: string | number }
}[keyof E & string]

/** An open stream of server-sent events to one client. */
export interface Channel<E extends EventSchemas = EventSchemas> {
  /** The id that the client saw last, from the `Last-Event-ID` header or the `lastEventId` parameter. */
  readonly lastEventId: string | undefined
  readonly closed: boolean
  /** False when the stream is closed. */
  send(message: Message<E>): boolean
  /** Sends a frame that was encoded once for many channels, see `encodeFrame`. */
  sendRaw(frame: Uint8Array): boolean
  /** Ends the stream after what was sent. */
  close(): void
  /** Calls `fn` once when the stream ends, whoever ends it; at once when it has ended. */
  onClose(fn: () => void): void
}

/** A channel with the side that the pipeline holds. */
export interface OpenChannel extends Channel {
  /** Sends the headers, unless they are out. */
  begin(): void
  /** Ends a stream that was refused before its headers were out. */
  abandon(): void
  readonly begun: boolean
  /** Settles when the headers are out. */
  readonly started: Promise<void>
  /** Settles when the stream has ended. */
  readonly ended: Promise<void>
}

const encoder = new TextEncoder()
const sseHeaders = [
  'Content-Type',
  'text/event-stream; charset=utf-8',
  'Cache-Control',
  'no-store',
  'X-Accel-Buffering',
  'no',
]

/**
 * One message as bytes, its data encoded through the event's schema. Encode once, then `channel.sendRaw` to each.
 * @param events the `events` of the stream's definition
 */
export function encodeFrame<E extends EventSchemas>(events: E, message: Message<E>): Uint8Array {
  const schema = events[message.event]
  if (!schema) throw new Error(`The stream declares no event "${message.event}"`)
  const data = JSON.stringify(z.encode(schema, message.data))
  const id = message.id === undefined ? '' : `id: ${String(message.id).replace(/[\r\n\0]/g, '')}\n`
  return encoder.encode(`${id}event: ${message.event}\ndata: ${data}\n\n`)
}

/** Where the bytes go: node's response or a web stream. */
interface Sink {
  open(headers: string[]): void
  write(frame: Uint8Array): void
  /** Bytes that wait for the reader. */
  waiting(): number
  end(): void
  /** Breaks the connection off. */
  cut(): void
}

/** Opens the stream that answers an exchange. Nothing is sent before the first message or `begin`. */
export function openChannel(x: Exchange): OpenChannel {
  const { hub, ports } = x.runtime
  const started = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const listeners: (() => void)[] = []
  let begun = false
  let closed = false
  const finish = () => {
    if (closed) return
    closed = true
    hub.remove(beating)
    ended.resolve()
    started.resolve()
    for (const fn of listeners) guarded(x, fn)
  }
  const sink = x.incoming.node ? nodeSink(x, finish) : webSink(x, finish)
  const begin = () => {
    if (begun || closed) return
    begun = true
    sink.open([...commonHeaders(x), ...sseHeaders])
    hub.add(beating)
    started.resolve()
  }
  const write = (frame: Uint8Array): boolean => {
    begin()
    if (closed) return false
    sink.write(frame)
    x.bytes += frame.byteLength
    if (sink.waiting() <= hub.maxBuffer) return true
    x.runtime.log.warn('A stream was dropped: its reader is too slow', { requestId: x.requestId })
    sink.cut()
    finish()
    return false
  }
  const close = () => {
    if (closed) return
    begin()
    sink.end()
    finish()
  }
  const beating: Beating = {
    beat(frame) {
      if (x.principal && ports.stillValid?.(x.principal) === false) close()
      else write(frame)
    },
    close,
  }
  const events = x.endpoint.def.events ?? {}
  return {
    lastEventId: lastEventId(x),
    get closed() {
      return closed
    },
    get begun() {
      return begun
    },
    started: started.promise,
    ended: ended.promise,
    begin,
    abandon: finish,
    send: (message) => !closed && write(encodeFrame(events, message)),
    sendRaw: (frame) => !closed && write(frame),
    close,
    onClose(fn) {
      if (closed) guarded(x, fn)
      else listeners.push(fn)
    },
  }
}

function guarded(x: Exchange, fn: () => void): void {
  try {
    fn()
  } catch (error) {
    x.runtime.log.error('Clearing up after a stream failed', { requestId: x.requestId, error })
  }
}

function lastEventId(x: Exchange): string | undefined {
  const { incoming } = x
  const inQuery = incoming.search.includes('lastEventId=')
    ? new URLSearchParams(incoming.search).get('lastEventId')
    : undefined
  return header(incoming, 'last-event-id') ?? inQuery ?? undefined
}

function nodeSink(x: Exchange, finish: () => void): Sink {
  const { req, res } = x.incoming.node as NonNullable<Exchange['incoming']['node']>
  res.once('close', finish)
  return {
    open(headers) {
      if (req.httpVersionMajor < 2) {
        // The end of the connection is the end of the stream: no chunk framing around every message.
        res.shouldKeepAlive = false
        res.useChunkedEncodingByDefault = false
        headers.push('Connection', 'close')
      }
      res.writeHead(200, headers)
      res.flushHeaders()
    },
    write: (frame) => void res.write(frame),
    waiting: () => res.writableLength,
    end: () => void res.end(),
    cut: () => void res.destroy(),
  }
}

function webSink(x: Exchange, finish: () => void): Sink {
  let controller: ReadableStreamDefaultController<Uint8Array>
  const body = new ReadableStream<Uint8Array>(
    {
      start: (given) => void (controller = given),
      cancel: finish,
    },
    { highWaterMark: 0, size: (frame) => frame?.byteLength ?? 0 },
  )
  return {
    open: (headers) => void (x.response = webResponse(200, headers, body)),
    write: (frame) => controller.enqueue(frame),
    waiting: () => -(controller.desiredSize ?? 0),
    end: () => controller.close(),
    cut: () => controller.error(new Error('The reader of the stream is too slow')),
  }
}
