import { z } from 'zod'
import type { HttpClient } from '../http/client.ts'

/** Services with free images: `hosted_a` has the interface of Openverse, `hosted_b` that of Pexels. */
export const photoProviders = ['hosted_a', 'hosted_b'] as const

export interface PhotoSearchOptions {
  provider: (typeof photoProviders)[number]
  /** Default: the service's own address. */
  baseUrl?: string
  /** `hosted_b` needs one. */
  apiKey?: string
}

/** An image of the service. */
export interface FoundPhoto {
  title: string
  url: string
  thumbnailUrl: string
  width: number | null
  height: number | null
  author: string | null
  licence: string | null
  /** The page about it. */
  sourceUrl: string | null
}

export interface PhotoSearch {
  /** @throws Error whose message is safe to show */
  search(words: string, most: number): Promise<FoundPhoto[]>
}

const patienceMs = 5_000
const mostBytes = 2 * 1024 * 1024
const webUrl = z.url({ protocol: /^https?$/ })
const size = z.int().min(1).nullish()

const OfHostedA = z.object({
  results: z.array(
    z.object({
      title: z.string().nullish(),
      url: webUrl,
      thumbnail: webUrl.nullish(),
      width: size,
      height: size,
      creator: z.string().nullish(),
      license: z.string().nullish(),
      license_version: z.string().nullish(),
      foreign_landing_url: webUrl.nullish(),
    }),
  ),
})
const OfHostedB = z.object({
  photos: z.array(
    z.object({
      alt: z.string().nullish(),
      url: webUrl.nullish(),
      width: size,
      height: size,
      photographer: z.string().nullish(),
      src: z.object({ original: webUrl, medium: webUrl.nullish() }),
    }),
  ),
})

/** @returns undefined where none is configured */
export function createPhotoSearch(
  options: PhotoSearchOptions | undefined,
  http: HttpClient,
): PhotoSearch | undefined {
  if (!options) return undefined
  const { provider, apiKey } = options
  const usual = provider === 'hosted_a' ? 'https://api.openverse.org' : 'https://api.pexels.com'
  const base = (options.baseUrl ?? usual).replace(/\/+$/, '')

  const ask = async (path: string, query: Record<string, string>, headers: Record<string, string>) => {
    const url = new URL(`${base}${path}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const answer = await http.request(url, { headers, timeoutMs: patienceMs, maxBytes: mostBytes })
    if (answer.status === 200) return answer.json()
    await answer.body.cancel()
    throw new Error(`The image service answered ${answer.status}`)
  }

  return {
    async search(words, most) {
      if (provider === 'hosted_a') {
        const query = { q: words, page_size: String(most), mature: 'false' }
        const headers: Record<string, string> =
          apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
        const { results } = read(OfHostedA, await ask('/v1/images/', query, headers))
        return results.slice(0, most).map((one) => ({
          title: one.title ?? '',
          url: one.url,
          thumbnailUrl: one.thumbnail ?? one.url,
          width: one.width ?? null,
          height: one.height ?? null,
          author: one.creator ?? null,
          licence: [one.license, one.license_version].filter(Boolean).join(' ') || null,
          sourceUrl: one.foreign_landing_url ?? null,
        }))
      }
      const query = { query: words, per_page: String(most) }
      const { photos } = read(OfHostedB, await ask('/v1/search', query, { authorization: apiKey ?? '' }))
      return photos.slice(0, most).map((one) => ({
        title: one.alt ?? '',
        url: one.src.original,
        thumbnailUrl: one.src.medium ?? one.src.original,
        width: one.width ?? null,
        height: one.height ?? null,
        author: one.photographer ?? null,
        licence: null,
        sourceUrl: one.url ?? null,
      }))
    },
  }
}

function read<T>(schema: z.ZodType<T>, answer: unknown): T {
  const { data, success } = schema.safeParse(answer)
  if (!success) throw new Error('The image service answered in an unknown form')
  return data
}
