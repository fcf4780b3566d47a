import type { z } from 'zod'
import type { Ctx } from '../kernel/context.ts'
import { type BaseSpec, define, type Endpoint } from './definition.ts'
import type { HandlerInput, Replies, ReplyIn, ReplyOut, SchemaIn, SchemaOut } from './endpoint.ts'
import type { ParamSchemas, ParamsIn, ParamsOut, Route } from './route.ts'
import type { FileRules, Upload } from './uploaded-file.ts'

export interface UploadSpec<Id extends string, R extends Route, P, Q, B, J, H, F, Y>
  extends BaseSpec<Id, R, P, Q, H> {
  /** The text fields of the form; all arrive as strings. */
  body?: B
  /** Accepts `application/json` in this form too, then without files. */
  json?: J
  files: F
  reply: Y
  /** Largest body in the JSON form, in bytes; default 1 MiB. */
  maxBodyBytes?: number
}

/**
 * Defines an endpoint that takes files as `multipart/form-data`. The parts are read as they arrive; small ones stay in
 * memory, the others wait in the system's folder for temporary files until the answer is given.
 */
export function upload<
  const Id extends string,
  const R extends Route,
  const F extends FileRules,
  P extends ParamSchemas<R> = object,
  Q extends z.ZodObject | undefined = undefined,
  B extends z.ZodObject | undefined = undefined,
  J extends z.ZodType | undefined = undefined,
  H extends z.ZodObject | undefined = undefined,
  Y extends Replies = Replies,
>(spec: UploadSpec<Id, R, P, Q, B, J, H, F, Y>) {
  type Types = {
    params: ParamsIn<R, P>
    query: SchemaIn<Q>
    body: J extends z.ZodType ? FormData | z.input<J> : FormData
    reply: ReplyIn<Y>
  }
  type Body = J extends z.ZodType ? SchemaOut<B> | z.output<J> : SchemaOut<B>
  type In = HandlerInput<ParamsOut<R, P>, SchemaOut<Q>, Body, SchemaOut<H>> & { files: Upload<F> }
  return {
    handle(run: (ctx: Ctx, input: In) => Promise<ReplyOut<Y>> | ReplyOut<Y>): Endpoint<Id, R, Types> {
      return define(spec as never, {
        kind: 'upload',
        body: spec.body,
        json: spec.json,
        files: spec.files,
        maxBodyBytes: spec.maxBodyBytes,
        replies: spec.reply as Record<number, z.ZodType>,
        run: run,
      })
    },
  }
}
