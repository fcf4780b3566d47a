import type { PhotoSearchOptions } from '@copydesk/core'
import { z } from 'zod'
import { text, webUrl } from './parts.ts'
import type { Config } from './schema.ts'
import type { Setting } from './settings.ts'

// An object, so that the compiler reports a missing or unknown provider.
const all: Record<PhotoSearchOptions['provider'], true> = { hosted_a: true, hosted_b: true }

/** `images` of the configuration. */
export const Images = () =>
  z
    .strictObject({
      provider: z.enum(Object.keys(all) as PhotoSearchOptions['provider'][]),
      baseUrl: webUrl().optional(),
      apiKey: text().optional(),
    })
    .superRefine(({ provider, apiKey }, { addIssue }) => {
      if (provider === 'hosted_b' && apiKey === undefined)
        addIssue({ code: 'custom', path: ['apiKey'], message: 'is missing: hosted_b needs one' })
    })
export type Images = z.output<ReturnType<typeof Images>>

export const imageSettings: readonly Setting[] = [
  { path: 'images.provider', env: ['COPYDESK_IMAGES_PROVIDER'], kind: 'text' },
  { path: 'images.baseUrl', env: ['COPYDESK_IMAGES_BASE_URL'], kind: 'text' },
  { path: 'images.apiKey', env: ['COPYDESK_IMAGES_API_KEY'], kind: 'text', secret: true },
]

/** The settings in the form that the core expects. */
export function toImages({ images }: Pick<Config, 'images'>): PhotoSearchOptions | undefined {
  if (!images) return undefined
  const { provider, baseUrl, apiKey } = images
  return { provider, ...(baseUrl !== undefined && { baseUrl }), ...(apiKey !== undefined && { apiKey }) }
}

/** The service may be in a private network: the operator who configures one wants it to be called. */
export function hostsOfImages({ images }: Pick<Config, 'images'>): string[] {
  return images?.baseUrl === undefined ? [] : [new URL(images.baseUrl).host]
}
