import type { Ctx } from '../../../kernel/context.ts'
import { DomainError, invalid } from '../../../kernel/errors.ts'
import { toMicros, toUsd, usdAmount } from '../../../kernel/money.ts'
import { transact } from '../../../kernel/transact.ts'
import { modelPrices, priceOf } from '../../../platform/models/prices.ts'
import { LlmPrice } from './entities.ts'
import { modelsChanged } from './events.ts'

/** A model with its price in US dollars per million tokens. */
export interface PricedModel {
  model: string
  /** Names of the providers that serve it now; empty for one that only has a price. */
  providers: string[]
  /** Null where no price is known: its calls cost 0 and say `priced: false`. */
  price: { input: number; output: number } | null
  /** Where the price comes from. */
  source: 'operator' | 'configuration' | 'built-in' | null
}

/** Every model that is served or that operators have priced, by name; those of the built-in table only where served. */
export async function listModels(ctx: Ctx): Promise<PricedModel[]> {
  const { models } = ctx.services
  await models.reload()
  const { configured, stored } = models.prices()
  const servers = new Map<string, string[]>()
  for (const { provider, name } of models.served)
    for (const model of provider.models) servers.set(model, [...(servers.get(model) ?? []), name])
  const names = [...new Set([...servers.keys(), ...Object.keys(configured), ...Object.keys(stored)])].sort()
  return names.map((model) => {
    const price = priceOf(model, { ...configured, ...stored })
    const source = Object.hasOwn(stored, model)
      ? ('operator' as const)
      : Object.hasOwn(configured, model)
        ? ('configuration' as const)
        : priceOf(model, modelPrices)
          ? ('built-in' as const)
          : null
    return {
      model,
      providers: servers.get(model) ?? [],
      price: price ? { input: toUsd(price.input), output: toUsd(price.output) } : null,
      source,
    }
  })
}

/**
 * Sets what a model costs from now on, on every server; what was booked stays as it is.
 * @param price US dollars per million tokens, to the micro-dollar
 * @throws DomainError `VALIDATION_ERROR`
 */
export async function setModelPrice(
  ctx: Ctx,
  model: string,
  price: { input: number; output: number },
): Promise<PricedModel> {
  if (model.trim() === '' || model.length > 200)
    throw invalid('model', 'Name a model, with at most 200 characters')
  for (const side of ['input', 'output'] as const) {
    if (!usdAmount.safeParse(price[side]).success)
      throw invalid(side, 'Must be an amount in US dollars of 0 or more, with at most six decimals')
  }
  await transact(ctx, async (txn) => {
    const now = txn.clock.date()
    const micros = { inputMicros: toMicros(price.input), outputMicros: toMicros(price.output) }
    const known = await txn.em.findOne(LlmPrice, { model })
    const before = known && { input: toUsd(known.inputMicros), output: toUsd(known.outputMicros) }
    await txn.em.upsert(LlmPrice, { model, ...micros, updatedOn: now })
    txn.audit({ ...about(model), before, after: price, action: 'model.set_price' })
    txn.emit(modelsChanged, { tenantId: null, subject: model, data: {} })
  })
  return await shown(ctx, model)
}

/** Goes back to the price of the configuration or the built-in table. @throws DomainError `NOT_FOUND` when none was set */
export async function clearModelPrice(ctx: Ctx, model: string): Promise<PricedModel> {
  await transact(ctx, async (txn) => {
    const known = await txn.em.findOne(LlmPrice, { model })
    if (!known) throw new DomainError('NOT_FOUND', 'No price was set for this model')
    const before = { input: toUsd(known.inputMicros), output: toUsd(known.outputMicros) }
    txn.em.remove(known)
    txn.audit({ ...about(model), before, after: null, action: 'model.clear_price' })
    txn.emit(modelsChanged, { tenantId: null, subject: model, data: {} })
  })
  return await shown(ctx, model)
}

async function shown(ctx: Ctx, model: string): Promise<PricedModel> {
  const none = { model, providers: [], price: null, source: null }
  return (await listModels(ctx)).find((one) => one.model === model) ?? none
}

const about = (model: string) => ({ tenantId: null, resourceType: 'model', resourceId: model })
