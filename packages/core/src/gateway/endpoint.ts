import type { z } from 'zod'
import type { Ctx } from '../kernel/context.ts'
import type { FileContent } from '../kernel/file-content.ts'
import { type BaseSpec, define, type Endpoint } from './definition.ts'
import type { ParamSchemas, ParamsIn, ParamsOut, Route } from './route.ts'

/** The one successful reply by its status; `204` takes `z.void()`. */
export type Replies = { readonly [S in 200 | 201 | 202 | 204]?: z.ZodType }

export type SchemaIn<S> = S extends z.ZodType ? z.input<S> : undefined
export type SchemaOut<S> = S extends z.ZodType ? z.output<S> : undefined
export type ReplyIn<Y> = Y[keyof Y] extends z.ZodType ? z.input<Y[keyof Y]> : never
export type ReplyOut<Y> = Y[keyof Y] extends z.ZodType ? z.output<Y[keyof Y]> : never

/** What a handler gets beside its context, checked and decoded. */
export interface HandlerInput<Params, Query, Body, Headers> {
  params: Params
  query: Query
  body: Body
  headers: Headers
  /** Address of the caller, behind a trusted proxy the one that it names. */
  ip: string
  /** Address of the other end of the connection, where the host tells it. */
  remote: string | undefined
  /** The other end is a trusted proxy. */
  viaProxy: boolean
  userAgent: string
}

export interface EndpointSpec<Id extends string, R extends Route, P, Q, B, H, Y>
  extends BaseSpec<Id, R, P, Q, H> {
  body?: B
  reply: Y
  /** Answers a `GET` with a weak `ETag`, and 304 when the caller has that version already. */
  conditional?: boolean
  /** Largest body in bytes; default 1 MiB. */
  maxBodyBytes?: number
  /** Media type of a file that the handler may give in place of the JSON. */
  file?: string
}

/**
 * Defines an endpoint that takes and gives JSON. Unknown body fields are refused; the reply leaves encoded through its
 * schema, so that what is not declared never does.
 */
export function endpoint<
  const Id extends string,
  const R extends Route,
  P extends ParamSchemas<R> = object,
  Q extends z.ZodObject | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
  H extends z.ZodObject | undefined = undefined,
  Y extends Replies = Replies,
>(spec: EndpointSpec<Id, R, P, Q, B, H, Y>) {
  type Types = { params: ParamsIn<R, P>; query: SchemaIn<Q>; body: SchemaIn<B>; reply: ReplyIn<Y> }
  type In = HandlerInput<ParamsOut<R, P>, SchemaOut<Q>, SchemaOut<B>, SchemaOut<H>>
  return {
    handle(
      run: (ctx: Ctx, input: In) => Promise<ReplyOut<Y> | FileContent> | ReplyOut<Y>,
    ): Endpoint<Id, R, Types> {
      return define(spec as never, {
        kind: 'json',
        body: spec.body,
        replies: spec.reply as Record<number, z.ZodType>,
        conditional: spec.conditional,
        maxBodyBytes: spec.maxBodyBytes,
        file: spec.file,
        run: run,
      })
    },
  }
}
