import { listAdLimits } from '../../domain/delivery/ads/changes/limit-queries.ts'
import {
  AdAccountLimit,
  AdLimitList,
  AdLimitQuery,
  NewAdLimit,
} from '../../domain/delivery/ads/changes/limit-schemas.ts'
import { setAdLimit } from '../../domain/delivery/ads/changes/set-limit.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { oneTenant } from '../../kernel/scope.ts'
import { admins, everybody } from './access.ts'

export const limits = endpoint({
  id: 'tenant.ads.limits',
  route: 'GET /ads/limits',
  summary: 'What each account may spend on a day, and what of it runs and is planned',
  access: everybody,
  query: AdLimitQuery,
  reply: { 200: AdLimitList },
}).handle((ctx, { query }) => listAdLimits(ctx, { ...query, tenantId: oneTenant(ctx) }))

export const setLimit = endpoint({
  id: 'tenant.ads.set_limit',
  route: 'PUT /ads/limits',
  summary: 'Set what an account may spend on a day',
  access: admins,
  body: NewAdLimit,
  reply: { 200: AdAccountLimit },
  errors: ['NOT_FOUND', 'CONFLICT'],
  audit: 'ad_limit.set',
}).handle((ctx, { body }) => setAdLimit(ctx, oneTenant(ctx), body))
