import { resolve } from 'node:path'
import type { Clock } from '../clock.ts'
import type { EmbeddingVendor } from '../models/vendors.ts'
import type { Embedder, EmbeddingSource } from './port.ts'

/** Providers that have embeddings, and a model2vec model in a folder of this machine. */
export const embeddingProviders = ['hosted_b', 'local', 'custom', 'static'] as const satisfies ReadonlyArray<
  EmbeddingVendor | 'static'
>

/** Where embeddings come from. */
export interface EmbeddingsOptions {
  provider: (typeof embeddingProviders)[number]
  /** The name that the provider knows it by; of `static`, the folder, relative to the data folder. */
  model: string
  /** Fewer than the model's own, where it can give them; default: the model's own. */
  dimensions?: number
  /** With the version in its path, such as `http://127.0.0.1:11434/v1`; needed for `local` and `custom`. */
  baseUrl?: string
  /** Needed for `hosted_b`. */
  apiKey?: string
}

export interface EmbedderParts {
  /** The guarded one. */
  fetch: typeof globalThis.fetch
  clock: Clock
  dataDir: string
}

/**
 * The embedder that the configuration describes. Nothing is loaded and no one is asked before its first use.
 * @returns undefined where none is configured: there is no substitute for it
 */
export function createEmbedder(
  options: EmbeddingsOptions | undefined,
  parts: EmbedderParts,
): Embedder | undefined {
  if (!options) return undefined
  const { provider, model } = options
  const open = async () => {
    const { checkTexts, createBatches } = await import('./batches.ts')
    const source = await openSource(options, parts)
    const about = { name: `The embeddings model ${model} (${provider})`, dimensions: options.dimensions }
    const batches = createBatches(source, about)
    ready = batches
    return { checkTexts, batches, source }
  }
  let opened: ReturnType<typeof open> | undefined
  let ready: { readonly dimensions: number | undefined } | undefined
  return {
    provider,
    model,
    get dimensions() {
      return ready ? ready.dimensions : options.dimensions
    },
    async embed(texts, how) {
      const { checkTexts, batches } = await (opened ??= open())
      checkTexts(texts)
      return batches.embed(texts, how)
    },
    close: async () => (await opened?.catch(() => undefined))?.source.close(),
  }
}

async function openSource(
  { provider, ...options }: EmbeddingsOptions,
  { fetch, clock, dataDir }: EmbedderParts,
): Promise<EmbeddingSource> {
  if (provider === 'static') {
    const { createStaticSource } = await import('./static.ts')
    return createStaticSource({ folder: resolve(dataDir, options.model), dimensions: options.dimensions })
  }
  // A megabyte of code that an installation without a provider never needs.
  const { createEmbeddingProvider } = await import('./provider.ts')
  return createEmbeddingProvider({ provider, ...options, fetch, clock })
}
