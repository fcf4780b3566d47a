import type { z } from 'zod'
import type { Sql } from '../platform/database/database.ts'
import type { EventFilter, EventLog, Follower, NewEvent, StoredEvent } from '../platform/events/events.ts'

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
  /** A command that emits it returns once the followers of its process have been told. */
  readonly awaited: boolean
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
>(
  type: T,
  data: S,
  to: { audiences?: readonly A[]; webhook?: W; awaited?: boolean } = {},
): EventDefinition<T, S, A, W> {
  const { audiences = [], webhook = false as W, awaited = false } = to
  return { type, data, audiences, webhook, awaited }
}

/** An event as the log stores it. @throws z.ZodError for data of another shape, which is a bug of the caller */
export function toNewEvent<S extends z.ZodObject>(
  { type, data: schema }: EventDefinition<string, S>,
  { tenantId, subject, data }: Happening<S>,
): NewEvent {
  return { tenantId, type, subject, data: schema.parse(data) as Record<string, unknown> }
}

/** An event of the log, its data as the definition of its type has them. */
export type EventOf<D extends EventDefinition> = D extends EventDefinition
  ? Omit<StoredEvent, 'type' | 'data'> & { type: D['type']; data: z.output<D['data']> }
  : never

/**
 * For an event that was selected by the types of `D`. Its data are not parsed again: the log holds only what `toNewEvent`
 * has parsed, and a stream encodes it through its own schema.
 */
const typed = <D extends EventDefinition>(event: StoredEvent) => event as object as EventOf<D>

const typesOf = (definitions: readonly EventDefinition[]) => definitions.map(({ type }) => type)

/** Events of these definitions, typed; the rest as `EventLog.read`. */
export async function readEvents<const D extends EventDefinition>(
  log: EventLog,
  definitions: readonly D[],
  filter: Omit<EventFilter, 'types'>,
  { after = 0, limit, sql }: { after?: number; limit: number; sql?: Sql },
): Promise<EventOf<D>[]> {
  const found = await log.read({ ...filter, types: typesOf(definitions) }, after, limit, sql)
  return found.map((event) => typed<D>(event))
}

/** What has happened of these definitions as `tx` sees it, typed; the rest as `EventLog.happened`. */
export async function readHappened<const D extends EventDefinition>(
  log: EventLog,
  tx: Sql,
  definition: D,
  filter: Omit<EventFilter, 'types'>,
  limit: number,
): Promise<Array<Pick<EventOf<D>, 'data' | 'at'>>> {
  const found = await log.happened(tx, { ...filter, types: [definition.type] }, limit)
  return found as Array<Pick<EventOf<D>, 'data' | 'at'>>
}

/** Follows events of these definitions, typed; the rest as `EventLog.follow`. */
export function followEvents<const D extends EventDefinition>(
  log: EventLog,
  definitions: readonly D[],
  filter: Omit<EventFilter, 'types'>,
  after: number | undefined,
  follower: Omit<Follower, 'event'> & { event(event: EventOf<D>): unknown },
): Promise<() => void> {
  return log.follow({ ...filter, types: typesOf(definitions) }, after, {
    ...follower,
    event: (event) => follower.event(typed<D>(event)),
  })
}

type For<D, A extends EventAudience> =
  D extends EventDefinition<string, z.ZodObject, infer X> ? ([A] extends [X] ? D : never) : never

/** Those of some events that are sent to an audience. */
export function eventsFor<const E extends readonly EventDefinition[], A extends EventAudience>(
  events: E,
  audience: A,
): Array<For<E[number], A>> {
  return events.filter((event): event is For<E[number], A> => event.audiences.includes(audience))
}

/** Those of some events that outgoing webhooks can subscribe to. */
export function webhookEventsOf<const E extends readonly EventDefinition[]>(
  events: E,
): Array<Extract<E[number], { webhook: true }>> {
  return events.filter((event): event is Extract<E[number], { webhook: true }> => event.webhook)
}
