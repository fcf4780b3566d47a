import type { Ctx } from '../../../../kernel/context.ts'
import { madeWithin, spanOf } from '../../../../kernel/date-range.ts'
import { readPage } from '../../../../kernel/page-queries.ts'
import { equals, type Page, where } from '../../../../kernel/paging-queries.ts'
import { within } from '../../../../kernel/scope.ts'
import { leftTable, pick, select, table } from '../../../../platform/database/read.ts'
import { Tenant } from '../../tenants/entities.ts'
import { Subscription } from '../entities.ts'
import { PaymentEvent } from './entities.ts'
import type { BillingEvent, BillingEventQuery } from './schemas.ts'

const e = table(PaymentEvent, 'e')
const s = leftTable(Subscription, 's')
const t = leftTable(Tenant, 't')

const listed = select({
  ...pick(e, 'id', 'provider', 'eventId', 'type', 'providerSubscriptionId', 'occurredOn'),
  ...pick(e, 'status', 'reason', 'payment', 'receivedOn', 'appliedOn'),
  tenantId: s.tenantId,
  tenantName: t.name,
})

/** What payment providers have told, newest first. Serves `GET /admin/v1/billing/events`. */
export function listBillingEvents(
  ctx: Ctx,
  given: Partial<BillingEventQuery> = {},
): Promise<Page<BillingEvent>> {
  const query = { limit: 25, order: 'desc' as const, ...given }
  return readPage(
    ctx,
    {
      select: listed,
      from: `from ${e} left join ${s} on s.id = e.subscription_id left join ${t} on t.id = s.tenant_id`,
      id: e.id,
      rows: where(within(ctx.scope, 's.tenant_id'), equals(s.tenantId, query.tenantId)),
      filters: [
        equals(e.type, query['filter.eventType']),
        equals(e.status, query['filter.status']),
        madeWithin(`${e.id}`, spanOf(query, 'UTC')),
      ],
      request: query,
    },
    ({ type, occurredOn, receivedOn, appliedOn, ...row }) => ({
      ...row,
      eventType: type,
      occurredAt: occurredOn,
      receivedAt: receivedOn,
      appliedAt: appliedOn,
    }),
  )
}
