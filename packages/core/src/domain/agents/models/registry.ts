import type { Encryptor } from '../../../platform/crypto/encryptor.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { EventLog } from '../../../platform/events/events.ts'
import type { Logger } from '../../../platform/log.ts'
import { ModelError, type ModelProvider } from '../../../platform/models/port.ts'
import { costMicros, type PriceTable } from '../../../platform/models/prices.ts'
import { type OfferedModel, type ProviderType, providerKeyContext } from './entities.ts'
import { modelsChanged } from './events.ts'
import { type StoredProvider, storedPrices, storedProviders } from './queries.ts'

/** A model that may be asked, and who serves it. */
export interface ModelChoice {
  model: string
  provider: ModelProvider
}

/** A provider as it is served: what it offers, and to whom. */
export interface ServedProvider {
  provider: ModelProvider
  /** For people. */
  name: string
  /** False for those that operators have added. */
  configured: boolean
  /** Null is every plan. */
  plansOf(model: string): readonly string[] | null
}

/** Where a provider is and how to get in. */
export interface ProviderAccess {
  id: string
  name: string
  type: ProviderType
  baseUrl?: string
  apiKey?: string
  models: string[]
}

/** Knows every model that this installation serves: those of the configuration, and those that operators have added. */
export interface ModelRegistry {
  /** Those of the configuration first, in order of preference. */
  readonly served: readonly ServedProvider[]
  /** The model itself, or the default where none is named. */
  nameFor(model: string): string
  /**
   * The models to ask for one piece of work, the first first; further ones take over when it fails.
   * @param plan of the tenant: what it may not use is not asked
   * @param fallback models that the agent names; default: those of the installation
   * @throws {ModelError} `invalid` when no one serves the first, or the plan does not have it
   */
  choicesFor(model: string, work: { plan: string; fallback?: readonly string[] | undefined }): ModelChoice[]
  /** What tokens cost, in micro-dollars; every cost is rounded here and nowhere else. */
  costOf(
    model: string,
    usage: { inputTokens: number; outputTokens: number },
  ): { micros: number; priced: boolean }
  /** Prices that go before the built-in table: the operators' own before those of the configuration. */
  prices(): { configured: PriceTable; stored: PriceTable }
  /** Puts one together that is not served (yet). */
  build(access: ProviderAccess): Promise<ModelProvider>
  /** Takes up what operators have changed. */
  reload(): Promise<void>
  /** Follows the changes of every process. @throws Error when no one serves the default model */
  start(): Promise<void>
  /** Settles when nothing is being read any more: the database may be closed then. */
  stop(): Promise<void>
}

export interface ModelRegistryOptions {
  /** Of the configuration, in order of preference; the built-in writer is the last. */
  configured: readonly ModelProvider[]
  /** What agents use that name no model. */
  defaultModel: string
  fallback: readonly string[]
  prices: PriceTable
  build(access: ProviderAccess): Promise<ModelProvider>
  db: Database
  encryptor: Encryptor
  events: EventLog
  log: Logger
}

export function createModelRegistry(options: ModelRegistryOptions): ModelRegistry {
  const { configured, defaultModel, build, db, encryptor, events, log } = options
  const fixed = configured.map(
    (provider): ServedProvider => ({ provider, name: provider.id, configured: true, plansOf: () => null }),
  )
  let served: readonly ServedProvider[] = fixed
  let stored: PriceTable = {}
  const built = new Map<string, { stamp: string; entry: ServedProvider }>()
  let reloading = Promise.resolve()
  let unfollow: (() => void) | undefined

  const find = (model: string) => served.find(({ provider }) => provider.models.includes(model))
  const nameFor = (model: string) => model || defaultModel
  const load = async () => {
    const rows = await storedProviders(db.sql)
    const entries: ServedProvider[] = []
    for (const row of rows) {
      const stamp = JSON.stringify(row)
      const known = built.get(row.id)
      const entry = known?.stamp === stamp ? known.entry : await toServed(row)
      built.set(row.id, { stamp, entry })
      if (row.status === 'active') entries.push(entry)
    }
    for (const id of built.keys()) if (!rows.some((row) => row.id === id)) built.delete(id)
    stored = await storedPrices(db.sql)
    served = [...fixed, ...entries]
  }
  const toServed = async (row: StoredProvider): Promise<ServedProvider> => ({
    provider: await build(accessOf(row, encryptor, log)),
    name: row.name,
    configured: false,
    plansOf: (model) => row.models.find(({ id }) => id === model)?.availableOnPlans ?? [],
  })
  const reload = () => {
    const next = reloading.then(load)
    reloading = next.catch(() => undefined)
    return next
  }
  const mayUse = (entry: ServedProvider, model: string, plan: string) => {
    const plans = entry.plansOf(model)
    return plans === null || plans.includes(plan)
  }
  return {
    get served() {
      return served
    },
    nameFor,
    choicesFor(named, { plan, fallback = options.fallback }) {
      const first = nameFor(named)
      const entry = find(first)
      if (!entry) throw new ModelError('invalid', `No provider serves the model ${first}`)
      if (!mayUse(entry, first, plan))
        throw new ModelError('invalid', `The model ${first} is not available on the plan ${plan}`)
      const others = fallback.flatMap((model) => {
        const other = find(model)
        return other && mayUse(other, model, plan) ? [{ model, provider: other.provider }] : []
      })
      const all = [{ model: first, provider: entry.provider }, ...others]
      return all.filter(({ model }, at) => all.findIndex((one) => one.model === model) === at)
    },
    costOf: (model, usage) => costMicros(model, usage, { ...options.prices, ...stored }),
    prices: () => ({ configured: options.prices, stored }),
    build,
    reload,
    async start() {
      unfollow = await events.follow({ tenants: 'all', types: [modelsChanged.type] }, undefined, {
        event: () =>
          void reload().catch((error: unknown) => log.error('models could not be loaded', { error })),
        resync: () => undefined,
      })
      await reload()
      const idle = options.fallback.filter((model) => !find(model))
      if (idle.length > 0) log.warn('fallback models are served by no one', { models: idle })
      if (find(defaultModel)) return
      const known = served.flatMap(({ provider }) => provider.models).join(', ')
      throw new Error(`No provider serves the default model ${defaultModel}. Known models: ${known}.`)
    },
    async stop() {
      unfollow?.()
      await reloading
    },
  }
}

/** A key that cannot be opened is as good as none: the provider says so when it is asked. */
export function accessOf(row: StoredProvider, encryptor: Encryptor, log: Logger): ProviderAccess {
  const { id, name, type, baseUrl, apiKeySealed } = row
  let apiKey: string | undefined
  try {
    if (apiKeySealed !== null) apiKey = encryptor.decrypt(apiKeySealed, providerKeyContext(id))
  } catch (error) {
    log.error('the key of a model provider cannot be opened', { provider: name, error })
  }
  return {
    id,
    name,
    type,
    models: row.models.map((model: OfferedModel) => model.id),
    ...(baseUrl !== null && { baseUrl }),
    ...(apiKey !== undefined && { apiKey }),
  }
}

declare module '../../../kernel/services.ts' {
  interface Services {
    models: ModelRegistry
  }
}
