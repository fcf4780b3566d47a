import type { CopydeskOptions, ProviderConfig } from '@copydesk/core'
import type { Config } from './schema.ts'

/** The models of a hosted provider when the configuration names none; the first is the default. */
const hostedModels = {
  hosted_a: ['claude-sonnet-5-5', 'claude-opus-5-5', 'claude-haiku-5-5'],
  hosted_b: ['gpt-5.6-terra', 'gpt-5.6-sol', 'gpt-5.6-luna'],
}

/** The configured model providers in the order of preference: hosted ones before self-hosted servers. */
export function toProviders({ providers }: Pick<Config, 'providers'>): ProviderConfig[] {
  const list: ProviderConfig[] = []
  for (const type of ['hosted_a', 'hosted_b'] as const) {
    const hosted = providers[type]
    if (!hosted) continue
    const { apiKey, baseUrl, models = hostedModels[type] } = hosted
    list.push({ id: type, type, apiKey, models, ...(baseUrl && { baseUrl }) })
  }
  if (providers.custom) {
    const { apiKey, baseUrl, models } = providers.custom
    list.push({ id: 'custom', type: 'custom', baseUrl, models, ...(apiKey && { apiKey }) })
  }
  if (providers.local) list.push({ id: 'local', type: 'local', ...providers.local })
  return list
}

/** Self-hosted servers may be in a private network: the operator who configures one wants it to be called. */
export function hostsOfProviders({ providers }: Pick<Config, 'providers'>): string[] {
  return [providers.local, providers.custom].flatMap((server) =>
    server ? [new URL(server.baseUrl).host] : [],
  )
}

/** Fallback models, and prices of models. */
export function toModels({ models }: Pick<Config, 'models'>): NonNullable<CopydeskOptions['models']> {
  const { fallback, prices } = models
  return { ...(fallback && { fallback }), ...(prices && { prices }) }
}
