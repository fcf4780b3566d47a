import type { Ctx } from './context.ts'

export type Check = 'ok' | 'error'

export interface Stores {
  relational_store: Check
  document_store: Check
  cache: Check
}

export interface Readiness {
  status: 'ok' | 'degraded'
  checks: Stores
}

/** What gives no answer for so long counts as broken, milliseconds. */
const patienceMs = 3_000

/** Asks the three stores whether they can be used. Serves `GET /health/ready`. */
export async function readiness(ctx: Ctx): Promise<Readiness> {
  const checks = await checkStores(ctx)
  return { status: Object.values(checks).includes('error') ? 'degraded' : 'ok', checks }
}

export async function checkStores(ctx: Ctx): Promise<Stores> {
  const { blobs, cache } = ctx.services
  const ask = async (name: string, probe: () => Promise<unknown>): Promise<Check> => {
    try {
      await inTime(ctx, probe())
      return 'ok'
    } catch (error) {
      // Whoever asked is told; it may only be slow.
      ctx.log.warn(`the ${name} does not answer`, { error })
      return 'error'
    }
  }
  const [relational_store, document_store, cached] = await Promise.all([
    ask('relational store', () => ctx.db.ping()),
    ask('document store', () => blobs.check()),
    // Its connection has said so in the log already, once.
    inTime(ctx, cache.check()).then(
      (): Check => 'ok',
      (): Check => 'error',
    ),
  ])
  return { relational_store, document_store, cache: cached }
}

/** @throws Error when the answer takes longer than three seconds */
export function inTime<T>(ctx: Ctx, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = ctx.clock.after(patienceMs, () => reject(new Error(`No answer within ${patienceMs} ms`)))
    answer.then(resolve, reject).finally(cancel)
  })
}
