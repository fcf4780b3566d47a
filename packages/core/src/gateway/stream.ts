import type { z } from 'zod'
import type { Ctx } from '../kernel/context.ts'
import { type BaseSpec, define, type Endpoint } from './definition.ts'
import type { HandlerInput, SchemaIn, SchemaOut } from './endpoint.ts'
import type { ParamSchemas, ParamsIn, ParamsOut, Route } from './route.ts'
import type { EventSchemas, SseChannel } from './sse.ts'
import type { FileRules, Upload } from './uploaded-file.ts'

export type EventsIn<E> = { [K in keyof E]: E[K] extends z.ZodType ? z.input<E[K]> : never }

export interface StreamSpec<Id extends string, R extends Route, P, Q, B, H, E, F>
  extends BaseSpec<Id, R, P, Q, H> {
  body?: B
  events: E
  /** Takes files by multipart beside the fields of `body`. */
  files?: F
}

/**
 * Defines an endpoint that answers with server-sent events. `open` runs once: what it throws before the first message
 * is an ordinary refusal; the headers leave with the first message or when it returns, and the stream stays open until
 * someone closes it.
 */
export function eventStream<
  const Id extends string,
  const R extends Route,
  P extends ParamSchemas<R> = object,
  Q extends z.ZodObject | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
  H extends z.ZodObject | undefined = undefined,
  E extends EventSchemas = EventSchemas,
  F extends FileRules | undefined = undefined,
>(
  spec: StreamSpec<Id, R, P, Q, B, H, E, F> & {
    open(
      ctx: Ctx,
      input: HandlerInput<ParamsOut<R, P>, SchemaOut<Q>, SchemaOut<B>, SchemaOut<H>> & {
        files: F extends FileRules ? Upload<F> : undefined
      },
      channel: SseChannel<E>,
    ): Promise<void> | void
  },
): Endpoint<
  Id,
  R,
  {
    params: ParamsIn<R, P>
    query: SchemaIn<Q>
    body: F extends FileRules ? FormData : SchemaIn<B>
    reply: ReadableStream<Uint8Array>
    events: EventsIn<E>
  }
> {
  return define(spec as never, {
    kind: 'stream',
    body: spec.body,
    files: spec.files,
    events: spec.events,
    replies: { 200: 'text/event-stream' },
    run: spec.open,
  })
}
