import type { InferEntity } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { invalid } from '../../../kernel/errors.ts'
import { toUsd } from '../../../kernel/money.ts'
import type { VersionSubject } from '../../../kernel/versions/save.ts'
import { REDACTED } from '../../../platform/redact.ts'
import { maxTogether } from '../skills/entities.ts'
import { skillSizes } from '../skills/queries.ts'
import type { OwnColumns } from './effective-queries.ts'
import type { AdapterConfig, DefaultAgent, TenantAgent } from './entities.ts'

export type MasterRow = InferEntity<typeof DefaultAgent>
export type AgentRow = InferEntity<typeof TenantAgent>

export const masterVersions = (role: string): VersionSubject => ({
  kind: 'agent_config',
  subjectId: role,
  tenantId: null,
})

export const agentVersions = ({ id, tenantId }: Pick<AgentRow, 'id' | 'tenantId'>): VersionSubject => ({
  kind: 'agent',
  subjectId: id,
  tenantId,
})

/** What people can set about a master, under the names of the contract. */
export function masterSettings(master: MasterRow) {
  const { promptTemplate, timeoutSec, graceSec, maxTurnsPerRun, fallbackModels = [] } = master.adapterConfig
  return {
    defaultModel: master.defaultModel,
    defaultTools: master.defaultTools,
    defaultSkillIds: master.defaultSkillIds,
    maxCostUsdPerActivity: usdOrNull(master.maxCostMicrosPerActivity),
    defaultConcurrency: master.defaultConcurrency,
    isAvailableOnPlans: master.isAvailableOnPlans,
    adapterConfig: { promptTemplate, timeoutSec, graceSec, maxTurnsPerRun, fallbackModels },
  }
}

/** What a tenant has set about an agent, null where it inherits; a secret is left out. */
export function ownSettings(agent: OwnColumns) {
  const { authValueSealed, ...adapterConfig } = agent.adapterConfig ?? {}
  return {
    model: agent.model,
    adapterType: agent.adapterType,
    toolNames: agent.toolNames,
    skillIds: agent.skillIds,
    maxCostUsdPerActivity: usdOrNull(agent.maxCostMicrosPerActivity),
    concurrency: agent.concurrency,
    adapterConfig: agent.adapterConfig && {
      ...adapterConfig,
      ...(authValueSealed !== undefined && { authValue: REDACTED }),
    },
  }
}
export type OwnSettings = ReturnType<typeof ownSettings>

/** The names of what a tenant has set itself, in dotted form and in alphabetical order. */
export function customFields(own: OwnColumns): string[] {
  const { adapterConfig, ...plain } = ownSettings(own)
  const set = (fields: object) =>
    Object.entries(fields).flatMap(([name, value]) => (value === null ? [] : name))
  return [...set(plain), ...set(adapterConfig ?? {}).map((name) => `adapterConfig.${name}`)].toSorted()
}

/**
 * Refuses a model that no provider serves: every run of it would fail.
 * @param present what is set now, which may stay though its provider has gone
 * @throws DomainError `VALIDATION_ERROR` on `field`
 */
export function checkModel(ctx: Ctx, model: string, field: string, present: string | null): void {
  const { models } = ctx.services
  const known = models.served.flatMap(({ provider }) => provider.models)
  if (model === present || known.includes(model)) return
  throw invalid(field, `No provider serves the model ${model}; there are ${known.join(', ')}`)
}

/**
 * Refuses further models that no provider serves; they would never be asked.
 * @param present those that are set now, which may stay
 * @throws DomainError `VALIDATION_ERROR` on `adapterConfig.fallbackModels`
 */
export function checkFallbacks(
  ctx: Ctx,
  models: readonly string[] = [],
  present: readonly string[] = [],
): void {
  for (const model of models)
    if (!present.includes(model)) checkModel(ctx, model, 'adapterConfig.fallbackModels', null)
}

/**
 * The ids without repetition, when all are of skills of the installation and can be read together.
 * @throws DomainError `VALIDATION_ERROR` on `field`
 */
export async function checkedSkillIds(
  txn: Transaction,
  ids: readonly string[],
  field: string,
): Promise<string[]> {
  const sizes = await skillSizes(txn, null, ids)
  const unknown = ids.findIndex((id) => !sizes.has(id))
  if (unknown >= 0) throw invalid(`${field}.${unknown}`, 'There is no such skill of the installation')
  const together = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  if (together > maxTogether) throw invalid(field, 'These skills are larger than 4 MiB together')
  return [...new Set(ids)]
}

/** Own fields laid over present ones; undefined is not named. */
export function merged<T extends AdapterConfig | Partial<AdapterConfig>>(
  present: T,
  changes: Readonly<Record<string, unknown>>,
): T {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined)
  return { ...present, ...Object.fromEntries(given) }
}

function usdOrNull(micros: number | null): number | null {
  return micros === null ? null : toUsd(micros)
}

/** What `{{name}}` in a prompt template stands for. */
export const promptPlaceholders = {
  company: 'the name of the company',
  campaign: 'the name of the campaign, or “no campaign”',
  deliverable: 'what is to be made, such as “blog post”',
  brand_voice: 'how the brand speaks',
  products: 'the names of its products',
  audiences: 'whom it speaks to',
  competitors: 'whom it competes with',
  banned_phrases: 'what no text may say',
  claims: 'what texts may say with proof only',
  role: 'the name of the agent',
} as const
export type PromptPlaceholder = keyof typeof promptPlaceholders

/**
 * Refuses a template with a placeholder that nothing fills: it would be left out of every prompt, and no one would see it.
 * @param names what can be filled; default: what every agent's prompt can name
 * @throws DomainError `VALIDATION_ERROR` on `field`
 */
export function checkPlaceholders(
  template: string,
  field: string,
  names: readonly string[] = Object.keys(promptPlaceholders),
): void {
  for (const [whole, name = ''] of template.matchAll(/\{\{([^{}]*)\}?\}?/g)) {
    if (whole.endsWith('}}') && names.includes(name.trim())) continue
    const known = names.map((one) => `{{${one}}}`)
    throw invalid(field, `Nothing fills ${whole.slice(0, 60).trim()}; there are ${known.join(', ')}`)
  }
}
