import type { z } from 'zod'
import type { Ctx } from '../kernel/context.ts'
import { type BaseSpec, define, type Endpoint } from './definition.ts'
import type { HandlerInput, SchemaIn, SchemaOut } from './endpoint.ts'
import type { ParamSchemas, ParamsIn, ParamsOut, Route } from './route.ts'

/** Bytes as a handler of a raw endpoint gives them. */
export interface RawReply {
  /** Default: the first status that the endpoint declares. */
  status?: number
  headers?: Readonly<Record<string, string | undefined>>
  body?: string | Uint8Array | AsyncIterable<Uint8Array> | null
}

export interface RawSpec<Id extends string, R extends Route, P, Q, H> extends BaseSpec<Id, R, P, Q, H> {
  /** Media type of the reply by status, `''` for one without a body such as a redirect. */
  reply: Readonly<Record<number, string>>
  /** Largest body in bytes; default 1 MiB. */
  maxBodyBytes?: number
}

/**
 * Defines an endpoint that takes and gives bytes as they are: signed webhooks, pages, files. The body is handed over
 * whole and unread; `header(name)` reads any request header, and `request()` gives
 * the request as it came.
 */
export function raw<
  const Id extends string,
  const R extends Route,
  P extends ParamSchemas<R> = object,
  Q extends z.ZodObject | undefined = undefined,
  H extends z.ZodObject | undefined = undefined,
>(spec: RawSpec<Id, R, P, Q, H>) {
  type Types = {
    params: ParamsIn<R, P>
    query: SchemaIn<Q>
    body: Uint8Array | undefined
    reply: Uint8Array
  }
  type In = HandlerInput<ParamsOut<R, P>, SchemaOut<Q>, Uint8Array, SchemaOut<H>> & {
    header(name: string): string | undefined
    /** The request without its body; aborted when the caller goes. */
    request(): Pick<Request, 'url' | 'method' | 'headers' | 'signal'>
  }
  return {
    handle(run: (ctx: Ctx, input: In) => Promise<RawReply> | RawReply): Endpoint<Id, R, Types> {
      return define(spec as never, {
        kind: 'raw',
        replies: spec.reply,
        maxBodyBytes: spec.maxBodyBytes,
        run: run,
      })
    },
  }
}
