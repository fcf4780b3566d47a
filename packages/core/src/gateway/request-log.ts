import { type Exchange, header } from './exchange.ts'

/** The line before the handler: at the level `debug`, because the line after the answer says it all again. */
export function logRequest(x: Exchange): void {
  x.runtime.log.debug('request', about(x))
}

/** The line after the answer: who asked for what, and how it ended. */
export function logResponse(x: Exchange): void {
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
