import { performance } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'
import type { VectorPage } from './vectors.ts'
import type { Ranked } from './words.ts'

/** How long vectors are compared before others are served, ms. */
const turnMs = 4
/** After how many vectors the time is looked at. */
const stride = 128

/** Compares vectors of length 1 with that of a query, one after the other; others are served meanwhile. */
export async function comparePages(
  query: Float32Array,
  pages: Iterable<VectorPage> | AsyncIterable<VectorPage>,
  best: Best,
): Promise<void> {
  const dimensions = query.length
  let compared = 0
  let began = performance.now()
  for await (const { seqs, numbers } of pages) {
    for (let index = 0; index < seqs.length; index += 1) {
      best.add(seqs[index] as number, dot(query, numbers, index * dimensions))
      compared += 1
      if (compared % stride !== 0 || performance.now() - began < turnMs) continue
      await setImmediate()
      began = performance.now()
    }
  }
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

/** The best of many, of which most are not even looked at twice, and some others whatever their place is. */
export class Best {
  /** Those that are wanted whatever their place is. */
  readonly also: ReadonlySet<number>
  readonly most: number
  readonly #best: Ranked[] = []
  readonly #others: Ranked[] = []

  constructor({ most, also }: { most: number; also: ReadonlySet<number> }) {
    this.most = most
    this.also = also
  }

  /** What a score has to exceed to be among the best. At a right angle or more nothing is near. */
  get least(): number {
    return this.#best[this.most - 1]?.score ?? 0
  }

  /** A score that is no number, of a vector that is damaged, is left out. */
  add(seq: number, score: number): void {
    if (this.also.has(seq)) {
      if (score > 0) this.#others.push({ seq, score })
      return
    }
    if (!(score > this.least)) return
    const best = this.#best
    let at = best.length
    while (at > 0 && (best[at - 1] as Ranked).score < score) at -= 1
    best.splice(at, 0, { seq, score })
    if (best.length > this.most) best.pop()
  }

  /** All of them, the nearest first. */
  ranked(): Ranked[] {
    return [...this.#best, ...this.#others]
      .map(({ seq, score }) => ({ seq, score: Math.min(1, score) }))
      .toSorted((a, b) => b.score - a.score || a.seq - b.seq)
  }
}
