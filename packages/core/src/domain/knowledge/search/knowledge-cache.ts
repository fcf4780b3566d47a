import { LRUCache } from 'lru-cache'
import PQueue from 'p-queue'
import type { Ctx } from '../../../kernel/context.ts'
import { datasetState, vectorPages } from './vector-queries.ts'
import type { VectorPage } from './vectors.ts'

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

/** @param options `mostBytes` of all vectors that are kept; a dataset that needs more than half of it is read each time */
export function createKnowledgeCache({ mostBytes = 64 * 1024 * 1024 } = {}): KnowledgeCache {
  return {
    rarities: new LRUCache({ max: 5_000 }),
    vectors: new LRUCache({ maxSize: mostBytes, sizeCalculation: ({ bytes }) => Math.max(1, bytes) }),
    reading: new PQueue({ concurrency: 1 }),
  }
}

export interface VectorQuery {
  datasetId: string
  /** As `modelKey` says it. */
  model: string
  dimensions: number
}

/** The vectors of a dataset that are searched: from memory, or page by page where they are too many for that. */
export async function* vectorsOf(ctx: Ctx, query: VectorQuery): AsyncGenerator<VectorPage> {
  const { vectors, reading } = ctx.services.knowledgeCache
  const { stamp, chunks } = await datasetState(ctx, query.datasetId)
  if (chunks * query.dimensions * 4 > vectors.maxSize / 2) return yield* vectorPages(ctx, query)
  const key = `${query.datasetId} ${query.model}`
  const fresh = () => {
    const found = vectors.get(key)
    return found?.stamp === stamp ? found : undefined
  }
  const found =
    fresh() ??
    (await reading.add(async () => {
      const read = fresh() ?? (await readAll(ctx, query, stamp))
      vectors.set(key, read)
      return read
    }))
  yield* found.pages
}

async function readAll(ctx: Ctx, query: VectorQuery, stamp: string): Promise<KeptVectors> {
  const pages: VectorPage[] = []
  let bytes = 0
  for await (const page of vectorPages(ctx, query)) {
    pages.push(page)
    bytes += page.numbers.byteLength + page.seqs.length * 8
  }
  return { stamp, pages, bytes }
}

declare module '../../../kernel/services.ts' {
  interface Services {
    knowledgeCache: KnowledgeCache
  }
}
