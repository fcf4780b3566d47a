import type { RerankOptions } from '@copydesk/core'
import { z } from 'zod'
import { text, webUrl } from './parts.ts'
import type { Config, ConfigInput } from './schema.ts'
import type { Setting } from './settings.ts'

type Provider = RerankOptions['provider']

// An object, so that the compiler reports a missing or unknown provider.
const all: Record<Provider, true> = { local: true, custom: true }

/** `rerank` of the configuration. */
export const Rerank = () =>
  z.strictObject({
    provider: z.enum(Object.keys(all) as Provider[]),
    model: text(),
    baseUrl: webUrl().optional(),
    apiKey: text().optional(),
  })
export type Rerank = z.output<ReturnType<typeof Rerank>>

export const rerankSettings: readonly Setting[] = [
  { path: 'rerank.provider', env: ['COPYDESK_RERANK_PROVIDER'], kind: 'text' },
  { path: 'rerank.model', env: ['COPYDESK_RERANK_MODEL'], kind: 'text' },
  { path: 'rerank.baseUrl', env: ['COPYDESK_RERANK_BASE_URL'], kind: 'text' },
  { path: 'rerank.apiKey', env: ['COPYDESK_RERANK_API_KEY'], kind: 'text', secret: true },
]

type Providers = NonNullable<ConfigInput['providers']>

/** Whether neither the settings nor the model provider of the same name say where the server is. */
export const lacksAddress = ({ provider, baseUrl }: Rerank, providers: Providers) =>
  (baseUrl ?? providers[provider]?.baseUrl) === undefined

/** The settings in the form that the core expects: what they leave out is that of the model provider of the same name. */
export function toRerank({
  rerank,
  providers,
}: Pick<Config, 'rerank' | 'providers'>): RerankOptions | undefined {
  if (!rerank) return undefined
  const same = providers[rerank.provider]
  const baseUrl = rerank.baseUrl ?? same?.baseUrl
  if (baseUrl === undefined) return undefined
  // A key goes to the server that it was configured for, and to no other.
  const isThere = rerank.baseUrl === undefined || rerank.baseUrl === same?.baseUrl
  const apiKey = rerank.apiKey ?? (isThere && same && 'apiKey' in same ? same.apiKey : undefined)
  const { provider, model } = rerank
  return { provider, model, baseUrl, ...(apiKey !== undefined && { apiKey }) }
}

/** The server may be in a private network: the operator who configures one wants it to be called. */
export function hostsOfRerank(config: Pick<Config, 'rerank' | 'providers'>): string[] {
  const options = toRerank(config)
  return options ? [new URL(options.baseUrl).host] : []
}
