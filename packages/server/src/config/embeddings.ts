import type { EmbeddingsOptions } from '@copydesk/core'
import { z } from 'zod'
import { text, webUrl, whole } from './parts.ts'
import type { Config, ConfigInput } from './schema.ts'
import type { Setting } from './settings.ts'

type Provider = EmbeddingsOptions['provider']

// An object, so that the compiler reports a missing or unknown provider.
const all: Record<Provider, true> = { hosted_b: true, local: true, custom: true, static: true }

/** `embeddings` of the configuration. */
export const Embeddings = () =>
  z.strictObject({
    provider: z.enum(Object.keys(all) as Provider[]),
    model: text(),
    dimensions: whole().min(1, 'must be 1 or more').max(8_192, 'must be 8192 or less').optional(),
    baseUrl: webUrl().optional(),
    apiKey: text().optional(),
  })
export type Embeddings = z.output<ReturnType<typeof Embeddings>>

export const embeddingSettings: readonly Setting[] = [
  { path: 'embeddings.provider', env: ['COPYDESK_EMBEDDINGS_PROVIDER'], kind: 'text' },
  { path: 'embeddings.model', env: ['COPYDESK_EMBEDDINGS_MODEL'], kind: 'text' },
  { path: 'embeddings.dimensions', env: ['COPYDESK_EMBEDDINGS_DIMENSIONS'], kind: 'number' },
  { path: 'embeddings.baseUrl', env: ['COPYDESK_EMBEDDINGS_BASE_URL'], kind: 'text' },
  { path: 'embeddings.apiKey', env: ['COPYDESK_EMBEDDINGS_API_KEY'], kind: 'text', secret: true },
]

type Providers = NonNullable<ConfigInput['providers']>

/** What the settings lack or have too much, by the name of the setting. */
export function embeddingFaults(
  embeddings: Embeddings,
  providers: Providers,
): Array<{ setting: 'baseUrl' | 'apiKey'; message: string }> {
  const { provider } = embeddings
  if (provider === 'static')
    return (['baseUrl', 'apiKey'] as const)
      .filter((setting) => embeddings[setting] !== undefined)
      .map((setting) => ({ setting, message: 'must be omitted: static is a folder of this machine' }))
  const { baseUrl, apiKey } = complete(embeddings, providers)
  if (provider === 'hosted_b' && apiKey === undefined)
    return [{ setting: 'apiKey', message: `is missing, and providers.hosted_b has none for this address` }]
  if (provider !== 'hosted_b' && baseUrl === undefined)
    return [{ setting: 'baseUrl', message: `is missing, and so is providers.${provider}` }]
  return []
}

/** The embeddings in the form that the core expects. */
export function toEmbeddings({
  embeddings,
  providers,
}: Pick<Config, 'embeddings' | 'providers'>): EmbeddingsOptions | undefined {
  return embeddings && complete(embeddings, providers)
}

/** A self-hosted server may be in a private network: the operator who configures one wants it to be called. */
export function hostsOfEmbeddings(config: Pick<Config, 'embeddings' | 'providers'>): string[] {
  const { provider, baseUrl } = toEmbeddings(config) ?? {}
  return baseUrl !== undefined && provider !== 'hosted_b' ? [new URL(baseUrl).host] : []
}

/** What the settings leave out is that of the model provider of the same name. */
function complete(embeddings: Embeddings, providers: Providers): EmbeddingsOptions {
  const { provider, model, dimensions } = embeddings
  const same = provider === 'static' ? undefined : providers[provider]
  // A key goes to the server that it was configured for, and to no other.
  const isThere = embeddings.baseUrl === undefined || embeddings.baseUrl === same?.baseUrl
  const baseUrl = embeddings.baseUrl ?? same?.baseUrl
  const apiKey = embeddings.apiKey ?? (isThere && same && 'apiKey' in same ? same.apiKey : undefined)
  return {
    provider,
    model,
    ...(dimensions !== undefined && { dimensions }),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(apiKey !== undefined && { apiKey }),
  }
}
