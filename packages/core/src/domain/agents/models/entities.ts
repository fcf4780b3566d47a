import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, microsColumn, refColumn } from '../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../platform/database/scope.ts'

/** Families of what goes wrong in a request to a model or in a run. */
export const failureFamilies = ['transient', 'quota', 'auth', 'refusal', 'invalid', 'internal'] as const
export type FailureFamily = (typeof failureFamilies)[number]

export const providerTypes = ['hosted_a', 'hosted_b', 'local', 'custom'] as const
export type ProviderType = (typeof providerTypes)[number]

/** A model that a provider offers, and the plans whose tenants may use it. */
export interface OfferedModel {
  id: string
  /** For people. */
  name: string
  availableOnPlans: string[]
}

/** A source of models that operators have added; those of the configuration are not kept here. */
export const LlmProvider = defineEntity({
  name: 'LlmProvider',
  tableName: 'llm_providers',
  properties: {
    id: idColumn(),
    name: p.string(),
    type: p.string().$type<ProviderType>(),
    baseUrl: p.text().strictNullable(),
    /** Sealed for the provider itself, see `sealedForProvider`; never leaves. */
    apiKeySealed: p.text().strictNullable(),
    models: p.json().$type<OfferedModel[]>(),
    /** Whether its models are served. */
    status: p.string().$type<'active' | 'disabled'>(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  uniques: [{ name: 'llm_providers_name', properties: ['name'] }],
})
export type LlmProviderRow = InferEntity<typeof LlmProvider>

/** What a provider's key is bound to. */
export const providerKeyContext = (id: string) => `llm_provider:${id}`

export const providerHealth = ['healthy', 'degraded', 'unreachable'] as const
export type ProviderHealth = (typeof providerHealth)[number]

/** How a provider does, by the last word from it: a check or a call. Also of those of the configuration. */
export const LlmProviderState = defineEntity({
  name: 'LlmProviderState',
  tableName: 'llm_provider_states',
  properties: {
    /** Of the provider: a ULID, or its name in the configuration. */
    id: p.string().primary(),
    status: p.string().$type<ProviderHealth>(),
    message: p.text().strictNullable(),
    rateLimitRpm: p.integer().strictNullable(),
    rateLimitTpm: p.integer().strictNullable(),
    lastCheckedAt: instantColumn().strictNullable(),
    updatedOn: instantColumn(),
  },
})

export const callStatuses = ['completed', 'failed', 'cancelled'] as const
export type CallStatus = (typeof callStatuses)[number]

/** One request to a model, or all that a remote runtime has reported of its own for one run. */
export const LlmCall = defineEntity({
  name: 'LlmCall',
  tableName: 'llm_calls',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    runId: refColumn(),
    agentRole: p.string(),
    /** Null when a remote runtime has made it, by a provider of its own. */
    providerId: p.string().strictNullable(),
    model: p.string(),
    inputTokens: p.integer(),
    outputTokens: p.integer(),
    /** True where no one counted the tokens and they follow from the length of the text. */
    estimated: p.boolean(),
    costMicros: microsColumn(),
    priced: p.boolean(),
    durationMs: p.integer(),
    status: p.string().$type<CallStatus>(),
    family: p.string().$type<FailureFamily>().strictNullable(),
    createdOn: instantColumn(),
  },
  indexes: [
    { name: 'llm_calls_by_run', properties: ['runId', 'id'] },
    { name: 'llm_calls_by_tenant', properties: ['tenantId', 'id'] },
    { name: 'llm_calls_by_model', properties: ['model', 'id'] },
    { name: 'llm_calls_by_provider', properties: ['providerId', 'id'] },
  ],
  filters: ownedByTenant,
})

/** A price that operators have set; it goes before the configuration and the built-in table. */
export const LlmPrice = defineEntity({
  name: 'LlmPrice',
  tableName: 'llm_prices',
  properties: {
    model: p.string().primary(),
    /** Micro-dollars per million tokens. */
    inputMicros: microsColumn(),
    outputMicros: microsColumn(),
    updatedOn: instantColumn(),
  },
})

export const modelEntities = [LlmCall, LlmPrice, LlmProvider, LlmProviderState]
