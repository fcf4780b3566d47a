import { z } from 'zod'
import { arrival as seen } from '../../domain/insight/system/health.ts'
import { Arrival } from '../../domain/insight/system/schemas.ts'
import { publicAccess } from '../../gateway/access.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { readiness } from '../../kernel/health.ts'
import { version } from '../../platform/version.ts'

const check = z.enum(['ok', 'error'])

export const live = endpoint({
  id: 'health.live',
  route: 'GET /health',
  summary: 'The process answers',
  access: publicAccess,
  unlimited: true,
  reply: { 200: z.object({ status: z.literal('ok'), version: z.string() }) },
}).handle(() => ({ status: 'ok' as const, version }))

export const ready = endpoint({
  id: 'health.ready',
  route: 'GET /health/ready',
  summary: 'The stores answer',
  access: publicAccess,
  unlimited: true,
  reply: {
    200: z.object({
      status: z.enum(['ok', 'degraded']),
      checks: z.object({ relational_store: check, document_store: check, cache: check }),
    }),
  },
}).handle((ctx) => readiness(ctx))

export const arrival = endpoint({
  id: 'health.arrival',
  route: 'GET /health/arrival/:token',
  summary:
    'How a request arrives, for who runs the server: `copydesk doctor` asks through the public address',
  access: publicAccess,
  secretPath: true,
  headers: z.object({ 'x-forwarded-for': z.string().optional() }),
  reply: { 200: Arrival },
  errors: ['INVALID_TOKEN', 'TOKEN_EXPIRED'],
}).handle((ctx, { params, remote = null, viaProxy, headers, ip }) =>
  seen(ctx, params.token, { remote, viaProxy, forwardedFor: headers['x-forwarded-for'] ?? null, ip }),
)
