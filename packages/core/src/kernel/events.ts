import type { z } from 'zod'
import type { NewEvent } from '../platform/events/events.ts'

/** Who follows an event beside those who follow its subject: the people of its tenant, or reviewers. */
export type EventAudience = 'tenant' | 'reviewers'

/** One kind of event: its name, what its data are, and whom it is sent to. */
export interface EventDefinition<
  T extends string = string,
  S extends z.ZodObject = z.ZodObject,
  A extends EventAudience = EventAudience,
  W extends boolean = boolean,
> {
  /** As streams, webhooks and the log have it. */
  readonly type: T
  /** In JSON form: what is stored is sent as it is. */
  readonly data: S
  readonly audiences: readonly A[]
  /** Receivers of outgoing webhooks may subscribe to it. */
  readonly webhook: W
}

/** Where an event happened, and what there is to say about it. */
export interface Happening<S extends z.ZodObject> {
  /** Null when it belongs to no tenant. */
  tenantId: string | null
  /** The id of the thing that it is about, for streams of one thing. */
  subject: string
  data: z.input<S>
}

/**
 * Declares a kind of event. Streams, webhooks and their docs derive from the declaration.
 * @param data a field that is not declared here never leaves
 */
export function defineEvent<
  const T extends string,
  S extends z.ZodObject,
  const A extends EventAudience = never,
  const W extends boolean = false,
>(type: T, data: S, to: { audiences?: readonly A[]; webhook?: W } = {}): EventDefinition<T, S, A, W> {
  return { type, data, audiences: to.audiences ?? [], webhook: (to.webhook ?? false) as W }
}

/** An event as the log stores it. @throws z.ZodError for data of another shape, which is a bug of the caller */
export function toNewEvent<S extends z.ZodObject>(
  { type, data: schema }: EventDefinition<string, S>,
  { tenantId, subject, data }: Happening<S>,
): NewEvent {
  return { tenantId, type, subject, data: schema.parse(data) as Record<string, unknown> }
}

/**
 * The data schemas of some events by their name, as an endpoint that streams them declares them.
 * @param more fields that the stream adds to each
 */
export function dataByType<const E extends readonly EventDefinition[], M extends z.ZodRawShape>(
  events: E,
  more: M,
): { [D in E[number] as D['type']]: z.ZodObject<D['data']['shape'] & M> } {
  return Object.fromEntries(events.map(({ type, data }) => [type, data.extend(more)])) as never
}

type For<D, A extends EventAudience> =
  D extends EventDefinition<string, z.ZodObject, infer X> ? ([A] extends [X] ? D : never) : never

/** Those of some events that are sent to an audience. */
export function eventsFor<const E extends readonly EventDefinition[], A extends EventAudience>(
  events: E,
  audience: A,
): Array<For<E[number], A>> {
  return events.filter(({ audiences }) => audiences.includes(audience)) as never
}

/** Those of some events that outgoing webhooks can subscribe to. */
export function webhookEventsOf<const E extends readonly EventDefinition[]>(
  events: E,
): Array<Extract<E[number], { webhook: true }>> {
  return events.filter(({ webhook }) => webhook) as never
}
