import type { z } from 'zod'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Method and path as one literal, the path relative to the surface's prefix: `POST /approvals/:approvalId/resolve`. */
export type Route = `${Method} /${string}`

/** The names of the parameters in a route literal. */
export type ParamNames<R extends string> = R extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<`/${Rest}`>
  : R extends `${string}:${infer Name}`
    ? Name
    : never

/** Schemas for path parameters; those that end in `Id` are ULIDs unless said otherwise, the rest is text. */
export type ParamSchemas<R extends string> = { readonly [K in ParamNames<R>]?: z.ZodType }

export type ParamsIn<R extends string, P> = {
  [K in ParamNames<R>]: K extends keyof P ? (P[K] extends z.ZodType ? z.input<P[K]> : string) : string
}

export type ParamsOut<R extends string, P> = {
  [K in ParamNames<R>]: K extends keyof P ? (P[K] extends z.ZodType ? z.output<P[K]> : string) : string
}

export interface ParsedRoute {
  method: Method
  path: string
  /** Names of the parameters in the order of the path. */
  names: string[]
}

const ROUTE = /^(GET|POST|PUT|PATCH|DELETE) (\/(?:[\w.~-]+|:[A-Za-z]\w*)(?:\/(?:[\w.~-]+|:[A-Za-z]\w*))*|\/)$/

/**
 * Takes a route literal apart.
 * @throws Error on anything but a method and a plain path
 */
export function parseRoute(route: string): ParsedRoute {
  const match = ROUTE.exec(route)
  if (!match) throw new Error(`The route "${route}" is not "METHOD /path/:param"`)
  const path = match[2] as string
  const names = path
    .split('/')
    .filter((part) => part.startsWith(':'))
    .map((part) => part.slice(1))
  if (new Set(names).size !== names.length) throw new Error(`The route "${route}" names a parameter twice`)
  return { method: match[1] as Method, path, names }
}

/** A path without the names of its parameters, so that two spellings of one route compare equal. */
export function shapeOf(path: string): string {
  return path.replace(/:[A-Za-z]\w*/g, ':')
}
