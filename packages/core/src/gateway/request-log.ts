import { type Exchange, header } from './exchange.ts'

/** The line before the handler. */
export function logRequest(x: Exchange): void {
  x.logged = true
  x.runtime.log.info('request', about(x))
}

/** The line after the answer; of a refused request the only one, so that it says who and what. */
export function logResponse(x: Exchange): void {
  const { runtime, endpoint } = x
  const status = x.stream ? 200 : (x.answer?.status ?? 500)
  const durationMs = Math.round((runtime.clock.now() - x.startedAt) * 10) / 10
  const line = { requestId: x.requestId, status, durationMs, responseBytes: x.bytes }
  runtime.log.info('response', x.logged ? line : { ...about(x), ...line })
  runtime.options.onAnswer?.({
    surface: endpoint.surface.name,
    endpoint: endpoint.id,
    method: x.incoming.method,
    status,
    durationMs,
  })
}

function about(x: Exchange): Record<string, unknown> {
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
