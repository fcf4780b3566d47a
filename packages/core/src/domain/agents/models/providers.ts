import { LockMode } from '@mikro-orm/core'
import { check } from '../../../kernel/check.ts'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, invalid, notFound } from '../../../kernel/errors.ts'
import { flushOnce, transact } from '../../../kernel/transact.ts'
import { LlmProvider, type LlmProviderRow, LlmProviderState, providerKeyContext } from './entities.ts'
import { modelsChanged } from './events.ts'
import { checkProviderJob, providerCheck } from './jobs.ts'
import { getProvider } from './provider-queries.ts'
import { NewProvider, ProviderChanges, type ProviderItem } from './schemas.ts'

/**
 * Adds a source of models; it is served at once, by every server. Its key is sealed and never comes back. Whether it answers
 * is found out right after. Serves `POST /admin/v1/llm-providers`.
 * @throws DomainError `CONFLICT` when another has the name; `VALIDATION_ERROR`
 */
export async function createProvider(ctx: Ctx, input: NewProvider): Promise<ProviderItem> {
  const given = check(NewProvider, input)
  const id = await transact(ctx, async (txn) => {
    const taken = new DomainError('CONFLICT', `There is a provider ${given.name} already`, { field: 'name' })
    if (await txn.em.findOne(LlmProvider, { name: given.name })) throw taken
    const now = txn.clock.date()
    const id = txn.newId()
    const provider = txn.em.create(LlmProvider, {
      id,
      name: given.name,
      type: given.type,
      baseUrl: given.baseUrl ?? null,
      apiKeySealed:
        given.apiKey === undefined
          ? null
          : txn.services.encryptor.encrypt(given.apiKey, providerKeyContext(id)),
      models: given.models,
      status: 'active',
      createdOn: now,
      updatedOn: now,
    })
    await flushOnce(txn, taken)
    txn.audit({ ...about(id), after: recorded(provider) })
    changed(txn, id)
    txn.enqueue(checkProviderJob, providerCheck(id))
    return id
  })
  return await served(ctx, id)
}

/**
 * Changes a source of models for every server; a run in progress ends with what it began with.
 * Serves `PATCH /admin/v1/llm-providers/:providerId`.
 * @throws DomainError `NOT_FOUND`; `VALIDATION_ERROR` when the key would go to another host than it was given for
 */
export async function changeProvider(ctx: Ctx, id: string, changes: ProviderChanges): Promise<ProviderItem> {
  await transact(ctx, async (txn) => {
    const provider = await lockProvider(txn, id)
    const before = recorded(provider)
    const { apiKey, baseUrl, models, status } = check(ProviderChanges, changes)
    if (baseUrl !== undefined && apiKey === undefined && provider.apiKeySealed !== null) {
      if (originOf(baseUrl) !== originOf(provider.baseUrl))
        throw invalid('apiKey', 'The URL names another host: give the key for it as well')
    }
    provider.baseUrl = baseUrl ?? provider.baseUrl
    if (apiKey !== undefined)
      provider.apiKeySealed = txn.services.encryptor.encrypt(apiKey, providerKeyContext(id))
    provider.models = models ?? provider.models
    provider.status = status ?? provider.status
    provider.updatedOn = txn.clock.date()
    const after = { ...recorded(provider), ...(apiKey !== undefined && { keyChanged: true }) }
    txn.audit({ ...about(id), before, after })
    changed(txn, id)
    if (provider.status === 'active') txn.enqueue(checkProviderJob, providerCheck(id))
  })
  return await served(ctx, id)
}

/**
 * Removes a source of models. The next run of an agent that uses one of them fails and says so; what it has cost stays on
 * the record. Serves `DELETE /admin/v1/llm-providers/:providerId`.
 * @throws DomainError `NOT_FOUND`
 */
export async function removeProvider(ctx: Ctx, id: string): Promise<void> {
  await transact(ctx, async (txn) => {
    const provider = await lockProvider(txn, id)
    txn.audit({ ...about(id), before: recorded(provider) })
    txn.em.remove(provider)
    await txn.em.nativeDelete(LlmProviderState, { id })
    changed(txn, id)
  })
  await ctx.services.models.reload()
}

async function lockProvider(txn: Transaction, id: string): Promise<LlmProviderRow> {
  const provider = await txn.em.findOne(LlmProvider, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!provider) throw notFound('provider')
  return provider
}

/** This process need not wait for the event. */
async function served(ctx: Ctx, id: string): Promise<ProviderItem> {
  await ctx.services.models.reload()
  return getProvider(ctx, id)
}

function changed(txn: Transaction, id: string): void {
  txn.emit(modelsChanged, { tenantId: null, subject: id, data: {} })
}

const about = (id: string) => ({ tenantId: null, resourceType: 'llm_provider', resourceId: id })

function recorded({ name, type, baseUrl, apiKeySealed, models, status }: LlmProviderRow) {
  return { name, type, baseUrl, hasKey: apiKeySealed !== null, models, status }
}

function originOf(url: string | null): string | undefined {
  return url === null ? undefined : new URL(url).origin
}
