import { listAdLimits } from '../../domain/delivery/ads/changes/limit-queries.ts'
import { AdAccountLimit, AdLimitList, NewAdLimit } from '../../domain/delivery/ads/changes/limit-schemas.ts'
import { setAdLimit } from '../../domain/delivery/ads/changes/set-limit.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { operators } from './access.ts'

export const list = endpoint({
  id: 'admin.ad_limits.list',
  route: 'GET /tenants/:tenantId/ad-limits',
  summary: 'What each advertising account of a tenant may spend on a day, and what of it runs and is planned',
  access: operators,
  reply: { 200: AdLimitList },
}).handle((ctx, { params }) => listAdLimits(ctx, { tenantId: params.tenantId }))

export const set = endpoint({
  id: 'admin.ad_limits.set',
  route: 'PUT /tenants/:tenantId/ad-limits',
  summary: 'Set what an advertising account of a tenant may spend on a day',
  access: operators,
  body: NewAdLimit,
  reply: { 200: AdAccountLimit },
  errors: ['CONFLICT'],
  audit: 'ad_limit.set',
}).handle((ctx, { params, body }) => setAdLimit(ctx, params.tenantId, body))
