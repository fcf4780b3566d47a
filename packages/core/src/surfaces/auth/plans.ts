import { listOfferings } from '../../domain/accounts/billing/plans/plans.ts'
import { Offerings, OfferingsQuery } from '../../domain/accounts/billing/schemas.ts'
import { publicAccess } from '../../gateway/access.ts'
import { endpoint } from '../../gateway/endpoint.ts'

export const plans = endpoint({
  id: 'auth.plans',
  route: 'GET /plans',
  summary: 'What can be subscribed to, at the prices of a country',
  description:
    'Amounts are in the smallest unit of the currency. A visitor registers for free, starter, pro or agency; enterprise is arranged with the operator.',
  access: publicAccess,
  query: OfferingsQuery,
  reply: { 200: Offerings },
}).handle((ctx, { query }) => listOfferings(ctx, query.country))
