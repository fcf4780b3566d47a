import { performance } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'
import type { Ctx } from '../../../kernel/context.ts'
import { EmbeddingFault } from '../../../platform/embeddings/port.ts'
import { vectorsOf } from './knowledge-cache.ts'
import { modelKey } from './vectors.ts'
import type { Ranked } from './words.ts'

/** How long vectors are compared before others are served, ms. */
const turnMs = 4
/** After how many vectors the time is looked at. */
const stride = 128

/**
 * The vector of a query, of length 1.
 * @returns undefined where none is configured, where the model knows no word of the query, and where it cannot be reached: that is logged
 */
export async function embedQuery(ctx: Ctx, query: string): Promise<Float32Array | undefined> {
  const { embedder } = ctx.services
  if (!embedder) return undefined
  try {
    const { vectors } = await embedder.embed([query.toWellFormed()], { purpose: 'query' })
    return vectors[0]?.some((number) => number !== 0) ? vectors[0] : undefined
  } catch (error) {
    if (!(error instanceof EmbeddingFault)) throw error
    ctx.log.warn('a query was not embedded and is searched by words', { reason: error.reason, error })
    return undefined
  }
}

/**
 * The chunks whose vectors are nearest to that of a query, the nearest first, by their cosine; those at a right angle or more are left out.
 * @param options `most` of them, and those of `also` whatever their place is
 * @returns undefined where no chunk of the datasets has a vector of the query's model
 */
export async function nearestChunks(
  ctx: Ctx,
  query: Float32Array,
  options: { datasetIds: readonly string[]; most: number; also: ReadonlySet<number> },
): Promise<Ranked[] | undefined> {
  const { embedder } = ctx.services
  if (!embedder) return undefined
  const dimensions = query.length
  const model = modelKey(embedder.provider, embedder.model, dimensions)
  const best = new Best(options.most)
  const others: Ranked[] = []
  let compared = 0
  let began = performance.now()
  for (const datasetId of options.datasetIds) {
    for await (const { seqs, numbers } of vectorsOf(ctx, { datasetId, model, dimensions })) {
      for (let index = 0; index < seqs.length; index += 1) {
        const seq = seqs[index] as number
        const score = dot(query, numbers, index * dimensions)
        if (options.also.has(seq)) others.push({ seq, score })
        else best.add(seq, score)
        compared += 1
        if (compared % stride !== 0 || performance.now() - began < turnMs) continue
        await setImmediate()
        began = performance.now()
      }
    }
  }
  if (compared === 0) return undefined
  return [...best.ranked, ...others]
    .filter(({ score }) => score > 0)
    .map(({ seq, score }) => ({ seq, score: Math.min(1, score) }))
    .toSorted((a, b) => b.score - a.score || a.seq - b.seq)
}

/** Four sums at a time: the processor adds to one while it waits for the others. */
function dot(query: Float32Array, numbers: Float32Array, start: number): number {
  const { length } = query
  let [a, b, c, d] = [0, 0, 0, 0]
  let i = 0
  for (; i + 3 < length; i += 4) {
    a += (query[i] as number) * (numbers[start + i] as number)
    b += (query[i + 1] as number) * (numbers[start + i + 1] as number)
    c += (query[i + 2] as number) * (numbers[start + i + 2] as number)
    d += (query[i + 3] as number) * (numbers[start + i + 3] as number)
  }
  for (; i < length; i += 1) a += (query[i] as number) * (numbers[start + i] as number)
  return a + b + c + d
}

/** The best of many, of which most are not even looked at twice. */
class Best {
  readonly ranked: Ranked[] = []
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  add(seq: number, score: number): void {
    const { ranked } = this
    const last = ranked[this.#most - 1]
    if (last && last.score >= score) return
    let at = ranked.length
    while (at > 0 && (ranked[at - 1] as Ranked).score < score) at -= 1
    ranked.splice(at, 0, { seq, score })
    if (ranked.length > this.#most) ranked.pop()
  }
}
