import type { Row } from '../../platform/database/database.ts'
import { asInstant, asNumber } from '../../platform/database/row.ts'
import type { Ctx } from '../context.ts'
import { toUsd } from '../money.ts'
import { readPage } from '../page-queries.ts'
import { equals, type Page, where } from '../paging-queries.ts'
import { within } from '../scope.ts'
import type { CallQuery, CallRecord } from './admin-schemas.ts'
import { madeWithin, spanOf } from './span.ts'

/** Requests to models with what they cost and how long they took. Serves `GET /admin/v1/system/llm-calls`. */
export function listCalls(ctx: Ctx, given: Partial<CallQuery> = {}): Promise<Page<CallRecord>> {
  const query = { limit: 50, order: 'desc' as const, ...given }
  return readPage(
    ctx,
    {
      select: `select c.*, t.name as tenant_name, p.name as provider_name
        from llm_calls c join tenants t on t.id = c.tenant_id left join llm_providers p on p.id = c.provider_id`,
      id: 'c.id',
      rows: where(within(ctx.scope, 'c.tenant_id'), equals('c.tenant_id', query.tenantId)),
      filters: [equals('c.model', query.model), madeWithin('c.id', spanOf(query, 'UTC'))],
      request: query,
    },
    toRecord,
  )
}

function toRecord(row: Row): CallRecord {
  const isTrue = (value: unknown) => value === true || value === 1
  return {
    id: row.id as string,
    tenantId: row.tenant_id as string,
    tenantName: row.tenant_name as string,
    runId: row.run_id as string,
    agentRole: row.agent_role as string,
    provider: (row.provider_name ?? row.provider_id ?? null) as string | null,
    model: row.model as string,
    inputTokens: asNumber(row.input_tokens),
    outputTokens: asNumber(row.output_tokens),
    estimated: isTrue(row.estimated),
    costUsd: toUsd(asNumber(row.cost_micros)),
    priced: isTrue(row.priced),
    durationMs: asNumber(row.duration_ms),
    status: row.status as CallRecord['status'],
    family: row.family as CallRecord['family'],
    createdOn: asInstant(row.created_on),
  }
}
