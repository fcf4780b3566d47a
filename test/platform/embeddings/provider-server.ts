import type { Clock } from '../../../packages/core/src/platform/clock.ts'
import {
  createEmbedder,
  type EmbeddingsOptions,
} from '../../../packages/core/src/platform/embeddings/embedder.ts'
import type { Embedder } from '../../../packages/core/src/platform/embeddings/port.ts'
import { startEmbeddings } from '../../kit/embedding-server.ts'

/** A clock on which every wait is over at once; the waits are taken down, in milliseconds. */
function impatientClock(): Clock & { waits: number[] } {
  const waits: number[] = []
  return {
    waits,
    now: () => Date.UTC(2026, 0, 5),
    date: () => new Date(Date.UTC(2026, 0, 5)),
    after(ms, fn) {
      waits.push(ms)
      const due = setImmediate(fn)
      return () => clearImmediate(due)
    },
  }
}

/** An embedder with a server that the test plays. */
export async function harness(
  reply?: Parameters<typeof startEmbeddings>[0],
  changes: Partial<EmbeddingsOptions> & { key?: string } = {},
) {
  const { key, ...options } = changes
  const server = await startEmbeddings(reply, key === undefined ? {} : { apiKey: key })
  const clock = impatientClock()
  const embedder = createEmbedder(
    { provider: 'custom', model: 'm', baseUrl: server.url, ...options },
    { fetch, clock, dataDir: '' },
  ) as Embedder
  return { server, embedder, waits: clock.waits, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

export const numbered = (count: number) => Array.from({ length: count }, (_, index) => `${index}`)
/** Vectors by which texts that are numbers are told apart. */
export const pointing = (texts: readonly string[]) =>
  texts.map((text) => [Math.cos(Number(text)), Math.sin(Number(text))])
export const rounded = (vectors: readonly Float32Array[]) =>
  vectors.map((vector) => [...vector].map((value) => Math.round(value * 1e6) / 1e6))
export const document = { purpose: 'document' } as const
export const query = { purpose: 'query' } as const
