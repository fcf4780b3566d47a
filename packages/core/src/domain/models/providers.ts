import { LockMode } from '@mikro-orm/core'
import { check } from '../check.ts'
import { command } from '../command.ts'
import type { Command, Ctx } from '../context.ts'
import { DomainError, invalid, notFound } from '../errors.ts'
import { flushOnce } from '../flush-once.ts'
import { checkJob } from './check.ts'
import { LlmProvider, type LlmProviderRow, LlmProviderState, sealedForProvider } from './entities.ts'
import { getProvider } from './provider-queries.ts'
import { modelsChanged } from './registry.ts'
import { NewProvider, ProviderChanges, type ProviderItem } from './schemas.ts'

/**
 * Adds a source of models; it is served at once, by every server. Its key is sealed and never comes back. Whether it answers
 * is found out right after. Serves `POST /admin/v1/llm-providers`.
 * @throws DomainError `CONFLICT` when another has the name; `VALIDATION_ERROR`
 */
export async function createProvider(ctx: Ctx, input: NewProvider): Promise<ProviderItem> {
  const given = check(NewProvider, input)
  const id = await command(ctx, async (cmd) => {
    const taken = new DomainError('CONFLICT', `There is a provider ${given.name} already`, { field: 'name' })
    if (await cmd.em.findOne(LlmProvider, { name: given.name })) throw taken
    const now = cmd.clock.date()
    const id = cmd.newId()
    const provider = cmd.em.create(LlmProvider, {
      id,
      name: given.name,
      type: given.type,
      baseUrl: given.baseUrl ?? null,
      apiKeySealed:
        given.apiKey === undefined ? null : cmd.services.box.seal(given.apiKey, sealedForProvider(id)),
      models: given.models,
      status: 'active',
      createdOn: now,
      updatedOn: now,
    })
    await flushOnce(cmd, taken)
    cmd.audit({ ...about(id), after: recorded(provider) })
    changed(cmd, id)
    cmd.enqueue(checkJob(id))
    return id
  })
  return await served(ctx, id)
}

/**
 * Changes a source of models for every server; a run at work ends with what it began with.
 * Serves `PATCH /admin/v1/llm-providers/:providerId`.
 * @throws DomainError `NOT_FOUND`; `VALIDATION_ERROR` when the key would go to another host than it was given for
 */
export async function changeProvider(ctx: Ctx, id: string, changes: ProviderChanges): Promise<ProviderItem> {
  await command(ctx, async (cmd) => {
    const provider = await lockProvider(cmd, id)
    const before = recorded(provider)
    const { apiKey, baseUrl, models, status } = check(ProviderChanges, changes)
    if (baseUrl !== undefined && apiKey === undefined && provider.apiKeySealed !== null) {
      if (originOf(baseUrl) !== originOf(provider.baseUrl))
        throw invalid('apiKey', 'The URL names another host: give the key for it as well')
    }
    provider.baseUrl = baseUrl ?? provider.baseUrl
    if (apiKey !== undefined) provider.apiKeySealed = cmd.services.box.seal(apiKey, sealedForProvider(id))
    provider.models = models ?? provider.models
    provider.status = status ?? provider.status
    provider.updatedOn = cmd.clock.date()
    const after = { ...recorded(provider), ...(apiKey !== undefined && { keyChanged: true }) }
    cmd.audit({ ...about(id), before, after })
    changed(cmd, id)
    if (provider.status === 'active') cmd.enqueue(checkJob(id))
  })
  return await served(ctx, id)
}

/**
 * Removes a source of models. The next run of an agent that uses one of them fails and says so; what it has cost stays on
 * the record. Serves `DELETE /admin/v1/llm-providers/:providerId`.
 * @throws DomainError `NOT_FOUND`
 */
export async function removeProvider(ctx: Ctx, id: string): Promise<void> {
  await command(ctx, async (cmd) => {
    const provider = await lockProvider(cmd, id)
    cmd.audit({ ...about(id), before: recorded(provider) })
    cmd.em.remove(provider)
    await cmd.em.nativeDelete(LlmProviderState, { id })
    changed(cmd, id)
  })
  await ctx.services.models.reload()
}

async function lockProvider(cmd: Command, id: string): Promise<LlmProviderRow> {
  const provider = await cmd.em.findOne(LlmProvider, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!provider) throw notFound('provider')
  return provider
}

/** This process need not wait for the event. */
async function served(ctx: Ctx, id: string): Promise<ProviderItem> {
  await ctx.services.models.reload()
  return getProvider(ctx, id)
}

function changed(cmd: Command, id: string): void {
  cmd.emit({ tenantId: null, type: modelsChanged, subject: id, data: {} })
}

const about = (id: string) => ({ tenantId: null, resourceType: 'llm_provider', resourceId: id })

function recorded({ name, type, baseUrl, apiKeySealed, models, status }: LlmProviderRow) {
  return { name, type, baseUrl, hasKey: apiKeySealed !== null, models, status }
}

function originOf(url: string | null): string | undefined {
  return url === null ? undefined : new URL(url).origin
}
