import type { Ctx } from '../../../../kernel/context.ts'
import { madeWithin, spanOf } from '../../../../kernel/date-range.ts'
import { toUsd } from '../../../../kernel/money.ts'
import { readPage } from '../../../../kernel/page-queries.ts'
import { equals, type Page, where } from '../../../../kernel/paging-queries.ts'
import { within } from '../../../../kernel/scope.ts'
import { nullable, pick, select, table, text } from '../../../../platform/database/read.ts'
import { Tenant } from '../../../accounts/tenants/entities.ts'
import { LlmCall, LlmProvider } from '../../../agents/models/entities.ts'
import type { CallQuery, CallRecord } from './admin-schemas.ts'

const c = table(LlmCall, 'c')
const t = table(Tenant, 't')
const p = table(LlmProvider, 'p')

const call = select({
  id: c.id,
  tenantId: c.tenantId,
  tenantName: t.name,
  runId: c.runId,
  agentRole: c.agentRole,
  provider: nullable(text('coalesce(p.name, c.provider_id)')),
  ...pick(
    c,
    'model',
    'inputTokens',
    'outputTokens',
    'estimated',
    'costMicros',
    'priced',
    'durationMs',
    'status',
    'family',
    'createdOn',
  ),
})

/** Requests to models with what they cost and how long they took. Serves `GET /admin/v1/system/llm-calls`. */
export function listCalls(ctx: Ctx, given: Partial<CallQuery> = {}): Promise<Page<CallRecord>> {
  const query = { limit: 50, order: 'desc' as const, ...given }
  return readPage(
    ctx,
    {
      select: call,
      from: `from ${c} join ${t} on t.id = c.tenant_id left join ${p} on p.id = c.provider_id`,
      id: c.id,
      rows: where(within(ctx.scope, 'c.tenant_id'), equals(c.tenantId, query.tenantId)),
      filters: [equals(c.model, query.model), madeWithin('c.id', spanOf(query, 'UTC'))],
      request: query,
    },
    ({ costMicros, ...record }) => ({ ...record, costUsd: toUsd(costMicros) }),
  )
}
