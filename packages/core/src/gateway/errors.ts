import { DomainError, type ErrorCode } from '../kernel/errors.ts'
import { type AnyEndpoint, type Definition, takesKey } from './definition.ts'
import type { AnySurface } from './surface.ts'

/** The status that each code of the contract answers with. */
export const statusOfCode: Readonly<Record<ErrorCode, number>> = {
  VALIDATION_ERROR: 400,
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  INVALID_TOKEN: 401,
  TOKEN_EXPIRED: 401,
  INVALID_API_KEY: 401,
  TENANT_NOT_FOUND: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  UNPROCESSABLE: 422,
  RATE_LIMITED: 429,
  THROTTLED: 429,
  INTERNAL_ERROR: 500,
}

/** The body of a refusal. */
export interface ApiError {
  error: { code: ErrorCode; message: string; field?: string; details?: unknown }
}

const unexpected = 'Something went wrong on our side; quote the request id when you report it'

/** The refusal that a caller is told of. Anything but a `DomainError` is a bug and tells nothing. */
export function toApiError(error: unknown): ApiError {
  if (!(error instanceof DomainError) || error.code === 'INTERNAL_ERROR') {
    return { error: { code: 'INTERNAL_ERROR', message: unexpected } }
  }
  const body: ApiError = { error: { code: error.code, message: error.message } }
  if (error.field !== undefined) body.error.field = error.field
  if (error.details !== undefined) body.error.details = error.details
  return body
}

/**
 * The codes that an endpoint can answer with though it does not declare them: the gateway's own, by what the endpoint
 * asks for.
 */
export function impliedErrors(def: Definition): Set<ErrorCode> {
  const codes = new Set<ErrorCode>(['INTERNAL_ERROR'])
  if (!def.unlimited) codes.add('RATE_LIMITED')
  if (!def.access.public) {
    for (const code of ['UNAUTHORIZED', 'TENANT_NOT_FOUND', 'FORBIDDEN', 'THROTTLED'] as const)
      codes.add(code)
    const apiKeyOnly = def.access.credentials.every((kind) => kind === 'apikey')
    if (def.access.credentials.includes('apikey')) codes.add('INVALID_API_KEY')
    if (!apiKeyOnly) codes.add('INVALID_TOKEN').add('TOKEN_EXPIRED')
  }
  if (def.names.length > 0) codes.add('NOT_FOUND')
  if (def.query || def.headers || def.body || def.files) codes.add('VALIDATION_ERROR')
  if (def.body || def.files || (def.kind === 'raw' && def.method !== 'GET')) codes.add('PAYLOAD_TOO_LARGE')
  if (def.body || def.files) codes.add('UNSUPPORTED_MEDIA_TYPE')
  return codes
}

/**
 * Every code that an endpoint can be refused with on its surface: what it declares, and what the gateway answers on its
 * behalf.
 */
export function refusals(surface: AnySurface, endpoint: AnyEndpoint): Set<ErrorCode> {
  const codes = new Set<ErrorCode>([...endpoint.errors, ...impliedErrors(endpoint)])
  const { method, access } = endpoint
  // A body is read to its limit also where none is asked for, because an Idempotency-Key stands for it too.
  if (method !== 'GET') codes.add('PAYLOAD_TOO_LARGE')
  if (takesKey(endpoint)) {
    // An Idempotency-Key that is none, that is running, or that was used for something else.
    for (const code of ['VALIDATION_ERROR', 'CONFLICT', 'UNPROCESSABLE'] as const) codes.add(code)
  }
  // A tenant that is named twice.
  if (!access.public && surface.tenant !== 'claim' && surface.tenant !== 'none' && surface.tenant !== 'all')
    codes.add('VALIDATION_ERROR')
  return codes
}
