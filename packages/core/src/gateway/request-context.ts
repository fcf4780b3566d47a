import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Ctx, GivenConsent, IdempotencyClaim, Principal, Scope, Trace } from '../kernel/context.ts'
import type { Count, CountRule } from '../platform/counters/counters.ts'
import type { Compiled } from './compile.ts'
import type { Cors } from './cors.ts'
import type { Input } from './definition.ts'
import type { Runtime } from './runtime.ts'

/** A request as the kit sees it, however it came in. */
export interface Incoming {
  method: string
  /** Without the query. */
  path: string
  /** With its `?`, or empty. */
  search: string
  params: Readonly<Record<string, string>> | undefined
  /** Node's own pair, when the request came in through `gateway.node`. */
  node: { req: IncomingMessage; res: ServerResponse } | undefined
  /** Let go of once a stream is open on node's own response. */
  web: Request | undefined
  /** Address of the other end of the connection. */
  remote: string | undefined
}

/** What is answered. */
export interface Answer {
  status: number
  /** Names and values in turn. */
  headers: string[]
  body: string | Uint8Array | AsyncIterable<Uint8Array> | null
}

/** One request on its way through the pipeline. Each stage fills in its part. */
export interface RequestContext {
  readonly endpoint: Compiled
  readonly runtime: Runtime
  incoming: Incoming
  requestId: string
  startedAt: number
  ip: string
  principal: Principal | undefined
  scope: Scope | undefined
  /** The assistant that acts for the principal, as it names itself. */
  assistant: string | undefined
  /** What a person has agreed to, under which the assistant acts. */
  consent: GivenConsent | undefined
  /** What the shown rate-limit headers tell. */
  rule: CountRule | undefined
  count: Count | undefined
  /** Keys of the places taken; given back at the end. */
  place: string | undefined
  /** The body as it came, for the idempotency hash. */
  bodyHash: string | undefined
  input: Input | undefined
  /** Removes what the request left in the folder for temporary files. */
  discard: (() => Promise<void>) | undefined
  claim: IdempotencyClaim | undefined
  trace: Trace | undefined
  ctx: Ctx | undefined
  answer: Answer | undefined
  /** The endpoint's own, in place of the configured one. */
  cors: Cors | undefined
  /** The stream that answers instead. */
  stream: { begin(): void; ended: Promise<void> } | undefined
  /** Settles when a body that is sent in pieces is through. */
  sending: Promise<void> | undefined
  response: Response | undefined
  /** Called once, when nothing is left to do. */
  readonly done: () => void
  bytes: number
}

/** A request header by its lower-case name. */
export function header(incoming: Incoming, name: string): string | undefined {
  const { node } = incoming
  if (!node) return incoming.web?.headers.get(name) ?? undefined
  const value = node.req.headers[name]
  return typeof value === 'string' ? value : value?.join(', ')
}

/** A request before its first stage. @param done called once, when nothing is left to do */
export function createRequestContext(
  runtime: Runtime,
  endpoint: Compiled,
  incoming: Incoming,
  done: () => void,
): RequestContext {
  return {
    endpoint,
    runtime,
    incoming,
    done,
    requestId: '',
    startedAt: runtime.clock.now(),
    ip: '',
    principal: undefined,
    scope: undefined,
    assistant: undefined,
    consent: undefined,
    rule: undefined,
    count: undefined,
    place: undefined,
    bodyHash: undefined,
    input: undefined,
    discard: undefined,
    claim: undefined,
    trace: undefined,
    ctx: undefined,
    answer: undefined,
    cors: undefined,
    stream: undefined,
    sending: undefined,
    response: undefined,
    bytes: 0,
  }
}
