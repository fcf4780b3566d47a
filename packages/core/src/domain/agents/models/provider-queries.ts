import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { toUsd } from '../../../kernel/money.ts'
import { monthStart } from '../../../kernel/periods.ts'
import { within } from '../../../kernel/scope.ts'
import { firstIdAt } from '../../../platform/clock.ts'
import { placeholders } from '../../../platform/database/database.ts'
import { count, flag, pick, type RowOf, select, table, text } from '../../../platform/database/read.ts'
import { planNames } from '../../accounts/billing/plans/entities.ts'
import { LlmCall, LlmProvider, LlmProviderState } from './entities.ts'
import type { ServedProvider } from './registry.ts'
import type { ProviderItem } from './schemas.ts'

const p = table(LlmProvider, 'p')
const s = table(LlmProviderState, 's')
const c = table(LlmCall, 'c')

const added = select({
  ...pick(p, 'id', 'name', 'type', 'status', 'baseUrl'),
  hasApiKey: flag('p.api_key_sealed is not null'),
  models: p.models,
  createdOn: p.createdOn,
})

const health = select(pick(s, 'id', 'status', 'message', 'rateLimitRpm', 'rateLimitTpm', 'lastCheckedAt'))
type Health = Omit<RowOf<typeof health>, 'id'>
const unchecked: Health = {
  status: 'degraded',
  message: 'It has not been checked yet.',
  rateLimitRpm: null,
  rateLimitTpm: null,
  lastCheckedAt: null,
}

const use = select({
  /** What remote runtimes call by themselves is left out, so there is one. */
  providerId: text('c.provider_id'),
  calls: count('count(*)'),
  micros: count('sum(c.cost_micros)'),
})
type Use = Omit<RowOf<typeof use>, 'providerId'>

/** Every source of models: those of the configuration, then those that were added. Serves `GET /admin/v1/llm-providers`. */
export async function listProviders(ctx: Ctx): Promise<{ data: ProviderItem[] }> {
  const rows = await added.all(ctx.sql, `from ${p} order by p.id`)
  const configured = ctx.services.models.served.filter(
    (entry) => entry.configured && entry.provider.type !== 'builtin',
  )
  const ids = [...configured.map(({ provider }) => provider.id), ...rows.map(({ id }) => id)]
  const states = await statesOf(ctx, ids)
  const used = await usedThisMonth(ctx, ids)
  const about = (id: string) => toState(states.get(id) ?? unchecked, used.get(id) ?? { calls: 0, micros: 0 })
  return {
    data: [
      ...configured.map((entry) => toConfigured(entry, about(entry.provider.id))),
      ...rows.map((row) => toAdded(row, about(row.id))),
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

async function statesOf(ctx: Ctx, ids: readonly string[]): Promise<Map<string, Health>> {
  const rows = await health.all(ctx.sql, `from ${s} where s.id in (${placeholders(ids)})`, ids)
  return new Map(rows.map((row) => [row.id, row]))
}

async function usedThisMonth(ctx: Ctx, ids: readonly string[]): Promise<Map<string, Use>> {
  const scope = within(ctx.scope, 'c.tenant_id')
  const since = monthStart(ctx.clock.date(), 'UTC')
  const rows = await use.all(
    ctx.sql,
    `from ${c} where c.provider_id in (${placeholders(ids)}) and c.id >= ? and ${scope.sql} group by c.provider_id`,
    [...ids, firstIdAt(since), ...scope.params],
  )
  return new Map(rows.map((row) => [row.providerId, row]))
}

function toState(state: Health, { calls, micros }: Use): State {
  const { status, message, rateLimitRpm, rateLimitTpm, lastCheckedAt } = state
  return {
    status,
    statusMessage: message,
    ...(rateLimitRpm !== null && { rateLimitRpm }),
    ...(rateLimitTpm !== null && { rateLimitTpm }),
    lastCheckedAt,
    monthlyCallCount: calls,
    monthlySpendUsd: toUsd(micros),
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

function toAdded(row: RowOf<typeof added>, state: State): ProviderItem {
  const { id, name, type, baseUrl, hasApiKey, models, createdOn } = row
  const enabled = row.status === 'active'
  const available = enabled && state.status !== 'unreachable'
  return {
    id,
    name,
    type,
    enabled,
    source: 'database',
    baseUrl,
    hasApiKey,
    models: models.map((model) => ({ ...model, available })),
    ...state,
    createdOn,
  }
}
