import { z } from 'zod'
import { commonHeaders } from './reply.ts'
import { header, type RequestContext } from './request-context.ts'
import { NodeSink, type SseSink, WebSink } from './sse-sink.ts'
import type { RegisteredStream } from './stream-registry.ts'

/** Data schemas by event name. */
export type EventSchemas = Readonly<Record<string, z.ZodType>>

/** One message; `data` is encoded through the schema of its event. */
export type Message<E extends EventSchemas> = {
  [K in keyof E & string]: { event: K; data: z.output<E[K]>; id?: string | number }
}[keyof E & string]

/** An open stream of server-sent events to one client. */
export interface SseChannel<E extends EventSchemas = EventSchemas> {
  /** The id that the client saw last, from the `Last-Event-ID` header or the `lastEventId` parameter. */
  readonly lastEventId: string | undefined
  readonly closed: boolean
  /** False when the stream is closed. */
  send(message: Message<E>): boolean
  /** Tells the client the id to resume after, though there is no message; false when the stream is closed. */
  place(id: string): boolean
  /** Sends a frame that was encoded once for many channels, see `encodeFrame`. */
  sendRaw(frame: Uint8Array): boolean
  /** Ends the stream after what was sent. */
  close(): void
  /** Calls `fn` once when the stream ends, anyone who ends it; at once when it has ended. */
  onClose(fn: () => void): void
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
  const id = message.id === undefined ? '' : idLine(message.id)
  return encoder.encode(`${id}event: ${message.event}\ndata: ${data}\n\n`)
}

function idLine(id: string | number): string {
  return `id: ${String(id).replace(/[\r\n\0]/g, '')}\n`
}

/**
 * The stream that answers an exchange, with the side that the pipeline holds. Nothing is sent before the first message or
 * `begin`. Thousands are open at a time, so it is a class: what they share they have once.
 */
export class OpenChannel implements SseChannel, RegisteredStream {
  readonly lastEventId: string | undefined
  /** Settles when the headers are out. */
  readonly started: Promise<void>
  /** Settles when the stream has ended. */
  readonly ended: Promise<void>
  begun = false
  closed = false
  readonly #x: RequestContext
  readonly #sink: SseSink
  #onStart!: () => void
  #onEnd!: () => void
  #listeners: (() => void)[] | undefined

  constructor(x: RequestContext) {
    this.#x = x
    this.lastEventId = lastEventId(x)
    this.started = new Promise((resolve) => (this.#onStart = resolve))
    this.ended = new Promise((resolve) => (this.#onEnd = resolve))
    const onGone = () => this.finish()
    this.#sink = x.incoming.node ? new NodeSink(x, onGone) : new WebSink(x, onGone)
    // Anyone who left before is not heard leaving again.
    if (x.incoming.node?.res.destroyed) this.finish()
  }

  /** Sends the headers, unless they are out. */
  begin(): void {
    if (this.begun || this.closed) return
    this.begun = true
    this.#sink.open([...commonHeaders(this.#x), ...sseHeaders])
    this.#x.runtime.streams.add(this)
    this.#onStart()
    // Anyone who was refused while it was being opened.
    this.recheck()
    // All that were open have been ended by then, and no one would come back for this one.
    if (this.#x.runtime.draining) this.close()
  }

  send(message: Message<EventSchemas>): boolean {
    return !this.closed && this.sendRaw(encodeFrame(this.#x.endpoint.def.events ?? {}, message))
  }

  place(id: string): boolean {
    return this.sendRaw(encoder.encode(`${idLine(id)}\n`))
  }

  sendRaw(frame: Uint8Array): boolean {
    this.begin()
    if (this.closed) return false
    const { runtime, requestId } = this.#x
    this.#sink.write(frame)
    this.#x.bytes += frame.byteLength
    if (this.#sink.waiting() <= runtime.streams.maxBuffer) return true
    runtime.log.warn('A stream was dropped: its reader is too slow', { requestId })
    this.#sink.cut()
    this.finish()
    return false
  }

  sendHeartbeat(frame: Uint8Array): void {
    this.recheck()
    this.sendRaw(frame)
  }

  recheck(): void {
    const { principal, runtime } = this.#x
    if (principal && runtime.ports.stillValid?.(principal) === false) this.close()
  }

  close(): void {
    if (this.closed) return
    this.begin()
    // The caller may have been refused at the last moment.
    if (this.closed) return
    this.#sink.end()
    this.finish()
  }

  /** Ends it without a farewell: the other side is gone, or it was refused before its headers were out. */
  finish(): void {
    if (this.closed) return
    this.closed = true
    this.#x.runtime.streams.remove(this)
    this.#onEnd()
    this.#onStart()
    for (const fn of this.#listeners ?? []) guarded(this.#x, fn)
  }

  onClose(fn: () => void): void {
    if (this.closed) guarded(this.#x, fn)
    else (this.#listeners ??= []).push(fn)
  }
}

function guarded(x: RequestContext, fn: () => void): void {
  try {
    fn()
  } catch (error) {
    x.runtime.log.error('Clearing up after a stream failed', { requestId: x.requestId, error })
  }
}

function lastEventId(x: RequestContext): string | undefined {
  const { incoming } = x
  const inQuery = incoming.search.includes('lastEventId=')
    ? new URLSearchParams(incoming.search).get('lastEventId')
    : undefined
  return header(incoming, 'last-event-id') ?? inQuery ?? undefined
}
