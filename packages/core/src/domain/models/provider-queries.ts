import { firstIdAt } from '../../platform/clock.ts'
import type { Row } from '../../platform/database/database.ts'
import { asDate, asJson, asNumber, placeholders } from '../../platform/database/row.ts'
import { monthStart } from '../campaigns/periods.ts'
import type { Ctx } from '../context.ts'
import { notFound } from '../errors.ts'
import { toUsd } from '../money.ts'
import { within } from '../scope.ts'
import { planNames } from '../tenants/billing-entities.ts'
import type { OfferedModel, ProviderHealth } from './entities.ts'
import type { ServedProvider } from './registry.ts'
import type { ProviderItem } from './schemas.ts'

/** Every source of models: those of the configuration, then those that were added. Serves `GET /admin/v1/llm-providers`. */
export async function listProviders(ctx: Ctx): Promise<{ data: ProviderItem[] }> {
  const rows = await ctx.sql.all<Row>(
    `select id, name, type, base_url, api_key_sealed is not null as has_key, models, status, created_on
     from llm_providers order by id`,
  )
  const configured = ctx.services.models.served.filter(
    (entry) => entry.configured && entry.provider.type !== 'builtin',
  )
  const ids = [...configured.map(({ provider }) => provider.id), ...rows.map((row) => row.id as string)]
  const states = await statesOf(ctx, ids)
  const used = await usedThisMonth(ctx, ids)
  const about = (id: string) => toState(states.get(id), used.get(id))
  return {
    data: [
      ...configured.map((entry) => toConfigured(entry, about(entry.provider.id))),
      ...rows.map((row) => toAdded(row, about(row.id as string))),
    ],
  }
}

/** @throws DomainError `NOT_FOUND` */
export async function getProvider(ctx: Ctx, id: string): Promise<ProviderItem> {
  const found = (await listProviders(ctx)).data.find((item) => item.id === id)
  if (!found) throw notFound('provider')
  return found
}

type State = Pick<
  ProviderItem,
  | 'status'
  | 'statusMessage'
  | 'rateLimitRpm'
  | 'rateLimitTpm'
  | 'lastCheckedAt'
  | 'monthlyCallCount'
  | 'monthlySpendUsd'
>

async function statesOf(ctx: Ctx, ids: readonly string[]): Promise<Map<string, Row>> {
  const rows = await ctx.sql.all<Row>(
    `select id, status, message, rate_limit_rpm, rate_limit_tpm, last_checked_at from llm_provider_states
     where id in (${placeholders(ids)})`,
    ids,
  )
  return new Map(rows.map((row) => [row.id as string, row]))
}

async function usedThisMonth(ctx: Ctx, ids: readonly string[]): Promise<Map<string, Row>> {
  const scope = within(ctx.scope, 'tenant_id')
  const since = monthStart(ctx.clock.date(), 'UTC')
  const rows = await ctx.sql.all<Row>(
    `select provider_id, count(*) as calls, sum(cost_micros) as micros from llm_calls
     where provider_id in (${placeholders(ids)}) and id >= ? and ${scope.sql} group by provider_id`,
    [...ids, firstIdAt(since), ...scope.params],
  )
  return new Map(rows.map((row) => [row.provider_id as string, row]))
}

function toState(state: Row | undefined, used: Row | undefined): State {
  const { rate_limit_rpm: rpm = null, rate_limit_tpm: tpm = null } = state ?? {}
  return {
    status: (state?.status as ProviderHealth | undefined) ?? 'degraded',
    statusMessage: state ? (state.message as string | null) : 'It has not been checked yet.',
    ...(rpm !== null && { rateLimitRpm: asNumber(rpm) }),
    ...(tpm !== null && { rateLimitTpm: asNumber(tpm) }),
    lastCheckedAt: asDate(state?.last_checked_at),
    monthlyCallCount: asNumber(used?.calls),
    monthlySpendUsd: toUsd(asNumber(used?.micros)),
  }
}

function toConfigured({ provider, name }: ServedProvider, state: State): ProviderItem {
  return {
    id: provider.id,
    name,
    type: provider.type as ProviderItem['type'],
    enabled: true,
    source: 'configuration',
    baseUrl: null,
    models: provider.models.map((id) => ({
      id,
      name: id,
      available: state.status !== 'unreachable',
      availableOnPlans: [...planNames],
    })),
    ...state,
    createdOn: null,
  }
}

function toAdded(row: Row, state: State): ProviderItem {
  const enabled = row.status === 'active'
  return {
    id: row.id as string,
    name: row.name as string,
    type: row.type as ProviderItem['type'],
    enabled,
    source: 'database',
    baseUrl: row.base_url as string | null,
    hasApiKey: row.has_key === true || row.has_key === 1,
    models: (asJson<OfferedModel[]>(row.models) ?? []).map((model) => ({
      ...model,
      available: enabled && state.status !== 'unreachable',
    })),
    ...state,
    createdOn: asDate(row.created_on),
  }
}
