import { FileContent } from '../kernel/file-content.ts'
import { createCors } from './cors.ts'
import type { RawReply } from './raw.ts'
import { encodeReply, fileAnswer, rawAnswer } from './reply.ts'
import type { RequestContext } from './request-context.ts'
import { OpenChannel } from './sse.ts'

/** Runs the endpoint's handler in a context of its own, unless an earlier answer is replayed. */
export async function handle(x: RequestContext): Promise<void> {
  if (x.answer) return
  const { endpoint, runtime, incoming, principal, scope, requestId } = x
  const { def } = endpoint
  x.trace = {
    requestId,
    surface: endpoint.surface.name,
    method: incoming.method,
    path: endpoint.shownPath ?? incoming.path,
    action: endpoint.action,
    status: def.success,
    startedAt: x.startedAt,
    ...(x.assistant !== undefined && { assistant: x.assistant }),
    ...(x.consent && { consent: x.consent }),
    audited: false,
    ...(x.claim && { claim: x.claim }),
  }
  const log = runtime.log.child({ requestId })
  x.ctx = runtime.ports.openContext({ principal, scope, trace: x.trace, log })
  const input = x.input as NonNullable<typeof x.input>
  if (def.origins) x.cors = createCors({ origins: await def.origins(x.ctx, input.params as never) })
  if (def.kind === 'stream') return openStream(x)
  const value = await def.run(x.ctx, input)
  if (def.kind === 'raw') x.answer = rawAnswer(x, value as RawReply)
  else x.answer = value instanceof FileContent ? fileAnswer(x, value) : encodeReply(x, value)
}

/** Opens a stream; comes back when its headers are out, though `open` may go on. */
async function openStream(x: RequestContext): Promise<void> {
  const channel = new OpenChannel(x)
  x.stream = channel
  if (channel.closed) return
  const opened = Promise.resolve(x.endpoint.def.run(x.ctx as never, x.input as never, channel))
  const late = opened.catch((error: unknown) => {
    if (!channel.begun) throw error
    if (!channel.closed) x.runtime.log.error('A stream broke off', { requestId: x.requestId, error })
    channel.close()
  })
  try {
    await Promise.race([late, channel.started])
  } catch (error) {
    channel.finish()
    throw error
  }
}

/**
 * Writes the audit record of a write that its handler did not write in its own transaction, and of everything that is
 * done with an impersonation token: that only reads, and all of it is on the record.
 */
export async function recordAudit(x: RequestContext): Promise<void> {
  const { endpoint, ctx, trace, runtime, answer } = x
  const recorded = endpoint.writes || x.principal?.impersonating !== undefined
  if (!recorded || !ctx || !trace || trace.audited || !runtime.ports.audit) return
  if (answer && answer.status >= 400) return
  const key = endpoint.resourceKey
  const resourceId = key === undefined ? null : (x.input?.params[key] as string)
  if (answer) trace.status = answer.status
  try {
    await runtime.ports.audit(ctx, { resourceType: endpoint.resourceType, resourceId })
    trace.audited = true
  } catch (error) {
    runtime.log.error('An audit record could not be written', { requestId: x.requestId, error })
  }
}
