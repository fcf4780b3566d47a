import { getOverview } from '../../domain/feed/overview.ts'
import { Overview, OverviewQuery } from '../../domain/feed/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { reviewers } from './access.ts'

export const overview = endpoint({
  id: 'dm.overview.get',
  route: 'GET /overview',
  summary: 'All assigned tenants at a glance',
  access: reviewers,
  query: OverviewQuery,
  reply: { 200: Overview },
}).handle((ctx) => getOverview(ctx))
