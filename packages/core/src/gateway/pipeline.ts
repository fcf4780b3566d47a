import { DomainError, type ErrorCode } from '../kernel/errors.ts'
import { checkAssistant } from './assistant.ts'
import type { Compiled } from './compile.ts'
import { statusOfCode, toApiError } from './errors.ts'
import { handle, recordAudit } from './handler.ts'
import { claimIdempotencyKey, settleClaim } from './idempotency.ts'
import { readInput } from './input.ts'
import { jsonAnswer, send } from './reply.ts'
import { createRequestContext, header, type Incoming, type RequestContext } from './request-context.ts'
import type { Runtime } from './runtime.ts'
import * as stage from './stages.ts'

/** One step of every request. */
export interface Stage {
  name: string
  run(x: RequestContext): Promise<void> | void
  /** `always`: also after a refusal. `end`: when the answer is through, also that of a stream. */
  when?: 'always' | 'end'
  /** Only of a request from outside: a program that embeds the service vouches for the caller, and counts for itself. */
  only?: 'outside'
}

/** The life of a request, in the order of the contract. Surfaces differ by parameters only. */
export const pipeline: readonly Stage[] = [
  { name: 'request id', run: stage.assignId },
  { name: 'client address', run: stage.findClient, only: 'outside' },
  { name: 'draining', run: stage.refuseWhenDraining },
  { name: 'authentication', run: stage.authenticate, only: 'outside' },
  { name: 'tenant', run: stage.resolveTenant },
  { name: 'surface access', run: stage.checkSurface },
  { name: 'assistant', run: checkAssistant, only: 'outside' },
  { name: 'rate limit', run: stage.limitRate, only: 'outside' },
  { name: 'throttle', run: stage.throttle, only: 'outside' },
  { name: 'request log', run: logRequest, only: 'outside' },
  { name: 'input', run: readInput },
  { name: 'endpoint limit', run: stage.limitByField, only: 'outside' },
  { name: 'idempotency', run: claimIdempotencyKey, only: 'outside' },
  { name: 'handler', run: handle },
  { name: 'audit', run: recordAudit },
  { name: 'count', run: stage.countRequest, when: 'always', only: 'outside' },
  { name: 'idempotent answer', run: settleClaim, when: 'always', only: 'outside' },
  { name: 'answer', run: answer, when: 'always', only: 'outside' },
  { name: 'release', run: release, when: 'end' },
  { name: 'response log', run: logResponse, when: 'end', only: 'outside' },
]

/** What is left of it for a call in process: the same tenant rule, access, schemas and audit. */
export const inProcess: readonly Stage[] = pipeline.filter(({ only }) => only !== 'outside')

const opening = pipeline.filter((step) => step.when !== 'end')
const closing = pipeline.filter((step) => step.when === 'end')

/**
 * Takes a request through all stages.
 * @param done called when nothing is left to do, which for a stream is long after
 * @returns the web response; undefined on node's own response, when everything is sent
 */
export function respond(
  runtime: Runtime,
  endpoint: Compiled,
  incoming: Incoming,
  done?: () => void,
): Promise<Response | undefined> {
  runtime.active += 1
  const x = createRequestContext(runtime, endpoint, incoming, () => {
    runtime.active -= 1
    if (runtime.active === 0) runtime.onIdle?.()
    done?.()
  })
  return run(x)
}

async function run(x: RequestContext): Promise<Response | undefined> {
  let refused = false
  for (const step of opening) {
    if (refused && step.when !== 'always') continue
    try {
      const wait = step.run(x)
      if (wait) await wait
    } catch (error) {
      refused = true
      refuse(x, error, step.name)
    }
  }
  const through = x.stream?.ended ?? x.sending
  if (!through) await close(x)
  else {
    void through.then(() => close(x))
    if (x.incoming.node) return detach(x)
  }
  return x.response
}

/**
 * A long answer on node's own response keeps what its closing needs and no more. H3 waits for it by a promise that no one
 * settles, so what it holds for the request is collected while the stream is open.
 */
function detach(x: RequestContext): Promise<never> {
  x.input = undefined
  x.ctx = undefined
  x.trace = undefined
  x.incoming = { ...x.incoming, web: undefined, params: undefined }
  return new Promise(() => undefined)
}

async function close(x: RequestContext): Promise<void> {
  for (const step of closing) {
    try {
      await step.run(x)
    } catch (error) {
      x.runtime.log.error('Closing a request failed', { requestId: x.requestId, stage: step.name, error })
    }
  }
  x.done()
}

/** Turns what was thrown into the answer, and logs what no one is told. */
function refuse(x: RequestContext, error: unknown, step: string): void {
  const body = toApiError(error)
  const { code } = body.error
  const { id, allowed } = x.endpoint
  x.stream = undefined
  if (error instanceof stage.Unavailable) {
    body.error.message = error.message
    x.answer = jsonAnswer(503, body, ['Retry-After', '1'])
    return
  }
  if (code === 'INTERNAL_ERROR')
    x.runtime.log.error('A request failed', { requestId: x.requestId, endpoint: id, stage: step, error })
  if (step === 'handler' && !allowed.has(code))
    x.runtime.options.onUndeclaredError?.({ endpoint: id, code, error })
  const headers: string[] = []
  if (code === 'TOKEN_EXPIRED') headers.push('WWW-Authenticate', 'Bearer error="expired_token"')
  else if (code === 'INVALID_TOKEN') headers.push('WWW-Authenticate', 'Bearer error="invalid_token"')
  // Every 401 names the scheme that would help, also that of a login (RFC 9110, 15.5.2).
  else if (statusOfCode[code] === 401) headers.push('WWW-Authenticate', 'Bearer')
  const seconds = retryAfter(error, code)
  if (seconds !== undefined) headers.push('Retry-After', String(seconds))
  if (error instanceof MethodNotAllowed) headers.push('Allow', error.allow)
  x.answer = jsonAnswer(statusOfCode[code], body, headers)
}

/** After how many seconds the caller may try again. */
function retryAfter(error: unknown, code: ErrorCode): number | undefined {
  if (error instanceof DomainError && error.retryAfterS !== undefined) return Math.max(1, error.retryAfterS)
  return code === 'THROTTLED' ? 1 : undefined
}

/** Wrong method on a known path. */
export class MethodNotAllowed extends DomainError {
  readonly allow: string
  /** @param allow the methods of the path, as the `Allow` header lists them */
  constructor(allow: string) {
    super('METHOD_NOT_ALLOWED', `This path takes ${allow}`)
    this.allow = allow
  }
}

function answer(x: RequestContext): void {
  if (x.stream) x.stream.begin()
  else if (x.answer) send(x, x.answer)
}

/** Gives back what the request held: its place, and its files. */
async function release(x: RequestContext): Promise<void> {
  stage.leave(x)
  await x.discard?.()
}

/** The line before the handler: at the level `debug`, because the line after the answer says it all again. */
function logRequest(x: RequestContext): void {
  x.runtime.log.debug('request', about(x))
}

/** The line after the answer: who asked for what, and how it ended. */
function logResponse(x: RequestContext): void {
  const { runtime, endpoint } = x
  const status = x.stream ? 200 : (x.answer?.status ?? 500)
  const durationMs = Math.round((runtime.clock.now() - x.startedAt) * 10) / 10
  runtime.log.info('response', { ...about(x), status, durationMs, responseBytes: x.bytes })
  runtime.options.onAnswer?.({
    surface: endpoint.surface.name,
    endpoint: endpoint.id,
    method: x.incoming.method,
    status,
    durationMs,
  })
}

function about(x: RequestContext): Record<string, unknown> {
  const { principal, incoming } = x
  const fields: Record<string, unknown> = {
    requestId: x.requestId,
    method: incoming.method,
    path: x.endpoint.shownPath ?? incoming.path,
    surface: x.endpoint.surface.name,
    userId: principal?.id ?? null,
    tenantId: principal?.tenantId ?? null,
    clientIp: x.ip,
    userAgent: header(incoming, 'user-agent') ?? null,
  }
  if (x.assistant !== undefined) fields.assistant = x.assistant
  const clientRequestId = header(incoming, 'x-request-id')
  if (clientRequestId !== undefined) fields.clientRequestId = clientRequestId.slice(0, 128)
  return fields
}
