import { getOverview } from '../../domain/insight/feed/count-queries.ts'
import { Overview, OverviewQuery } from '../../domain/insight/feed/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { reviewers } from './access.ts'

export const get = endpoint({
  id: 'dm.overview.get',
  route: 'GET /overview',
  summary: 'All assigned tenants at a glance',
  access: reviewers,
  query: OverviewQuery,
  reply: { 200: Overview },
}).handle((ctx) => getOverview(ctx))
