import type { z } from 'zod'
import type { EventDefinition, EventOf } from './events.ts'

/** The data schemas of a stream's events, by their names. */
type StreamEvents = Readonly<Record<string, z.ZodType>>

/** One message of a stream with these events; `id` lets the watcher resume after it. */
export type StreamMessage<E extends StreamEvents> = {
  [K in keyof E & string]: { event: K; data: z.output<E[K]>; id?: string }
}[keyof E & string]

/** Someone who follows a stream of events by their numbers in the log. */
export interface StreamWatcher<E extends StreamEvents> {
  /** The id that the watcher saw last. */
  readonly lastEventId: string | undefined
  /** False when the stream is closed. */
  send(message: StreamMessage<E>): boolean
  /** Tells the id to resume after, though there is no message. */
  place(id: string): boolean
  onClose(fn: () => void): void
}

/** The number of the event that a watcher saw last; undefined for one who is new, or whose id was never one of the log. */
export function lastSeen({ lastEventId }: { lastEventId: string | undefined }): number | undefined {
  return lastEventId && /^\d+$/.test(lastEventId) ? Number(lastEventId) : undefined
}

type DataByType<E extends readonly EventDefinition[], M extends z.ZodRawShape> = {
  [D in E[number] as D['type']]: z.ZodObject<D['data']['shape'] & M>
}

/**
 * The data schemas of some events by their name, as an endpoint that streams them declares them.
 * @param more fields that the stream adds to each
 */
export function dataByType<const E extends readonly EventDefinition[], M extends z.ZodRawShape>(
  events: E,
  more: M,
): DataByType<E, M> {
  return Object.fromEntries(
    events.map(({ type, data }) => [type, data.extend(more)]),
  ) as object as DataByType<E, M>
}

/** An event as the message of its name. */
type MessageOf<E> = E extends { type: infer T; data: infer V } ? { event: T; data: V; id: string } : never

/** The message of an event under its own name. The compiler loses which data belong to which name, hence the cast. */
export function eventMessage<E extends EventOf<EventDefinition>>({ type, data, seq }: E): MessageOf<E> {
  return { event: type, data, id: String(seq) } as object as MessageOf<E>
}

type Extended<M, V> = M extends { data: infer D } ? Omit<M, 'data'> & { data: D & V } : never

/** A message with more data. The compiler loses which data belong to which name, hence the cast. */
export function withData<M extends { data: object }, V extends object>(message: M, more: V): Extended<M, V> {
  return { ...message, data: { ...message.data, ...more } } as object as Extended<M, V>
}
