import { LRUCache } from 'lru-cache'
import PQueue from 'p-queue'
import type { Ctx } from '../../../kernel/context.ts'
import { type DatasetState, vectorPages } from './vector-queries.ts'
import type { VectorPage, VectorQuery } from './vectors.ts'

interface KeptVectors {
  stamp: string
  pages: VectorPage[]
  bytes: number
}

/** What an instance keeps in memory of what was searched last. */
export interface KnowledgeCache {
  vectors: LRUCache<string, KeptVectors>
  /** Datasets are read one after the other, so that no more memory is taken than is kept. */
  reading: PQueue
  /** SQLite only: the idf of terms, and which chunk was the newest when it was counted. */
  rarities: LRUCache<string, { idf: number; counted: number }>
}

/** Room for one dataset of 20,000 chunks with 1,536 dimensions, which many models have, or for several that are smaller. */
const mostBytesKept = 128 * 1024 * 1024

/** After how long vectors that no one has searched make room for others, ms. */
const unusedForMs = 600_000

/** @param options `mostBytes` of all vectors that are kept; a dataset that needs more is read each time */
export function createKnowledgeCache({ mostBytes = mostBytesKept } = {}): KnowledgeCache {
  return {
    rarities: new LRUCache({ max: 5_000 }),
    vectors: new LRUCache({
      maxSize: mostBytes,
      sizeCalculation: ({ bytes }) => Math.max(1, bytes),
      ttl: unusedForMs,
      updateAgeOnGet: true,
    }),
    reading: new PQueue({ concurrency: 1 }),
  }
}

/** Whether the vectors of a dataset are in memory, or come into it without others having to go. */
export function haveRoom(ctx: Ctx, query: VectorQuery, { stamp, chunks }: DatasetState): boolean {
  const { vectors } = ctx.services.knowledgeCache
  const kept = vectors.peek(keyOf(query))
  if (kept?.stamp === stamp) return true
  vectors.purgeStale()
  return vectors.calculatedSize - (kept?.bytes ?? 0) + chunks * bytesOf(query.dimensions) <= vectors.maxSize
}

/**
 * The vectors of a dataset that are searched, from memory.
 * @returns undefined where they are too many for that
 */
export async function keptVectors(
  ctx: Ctx,
  query: VectorQuery,
  { stamp, chunks }: DatasetState,
): Promise<readonly VectorPage[] | undefined> {
  const { vectors, reading } = ctx.services.knowledgeCache
  if (chunks * bytesOf(query.dimensions) > vectors.maxSize) return undefined
  const key = keyOf(query)
  const fresh = () => {
    const found = vectors.get(key)
    return found?.stamp === stamp ? found : undefined
  }
  const found =
    fresh() ??
    (await reading.add(async () => {
      const kept = fresh()
      if (kept) return kept
      // Not both of them at a time.
      vectors.delete(key)
      const read = await readAll(ctx, query, stamp)
      vectors.set(key, read)
      return read
    }))
  return found.pages
}

const keyOf = ({ datasetId, model }: VectorQuery) => `${datasetId} ${model}`

/** What a vector takes, with the number of its chunk. */
const bytesOf = (dimensions: number) => dimensions * 4 + 8

async function readAll(ctx: Ctx, query: VectorQuery, stamp: string): Promise<KeptVectors> {
  const pages: VectorPage[] = []
  let bytes = 0
  for await (const page of vectorPages(ctx, query)) {
    pages.push(page)
    bytes += page.seqs.length * bytesOf(query.dimensions)
  }
  return { stamp, pages, bytes }
}

declare module '../../../kernel/services.ts' {
  interface Services {
    knowledgeCache: KnowledgeCache
  }
}
