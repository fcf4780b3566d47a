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

/** How old an answer about the stores may be: however many ask, the stores are asked once a second at the most. */
export const readinessFreshness = { freshMs: 1_000, staleMs: 10_000 }

/**
 * Whether the three stores can be used, as they were a moment ago. A check that takes long keeps no one waiting who asked before.
 * Serves `GET /health/ready`.
 */
export function readiness(ctx: Ctx): Promise<Readiness> {
  return ctx.services.readiness(async () => {
    const checks = await checkStores(ctx)
    return { status: Object.values(checks).includes('error') ? 'degraded' : 'ok', checks }
  })
}

/** How a part of the installation has answered, and after how long; null when it has not. */
export interface Measured {
  check: Check
  latencyMs: number | null
}

/** Whether the three stores can be used. */
export async function checkStores(ctx: Ctx): Promise<Stores> {
  const { relational_store, document_store, cache } = await measureStores(ctx)
  return {
    relational_store: relational_store.check,
    document_store: document_store.check,
    cache: cache.check,
  }
}

/** The same, with how long each has taken. */
export async function measureStores(ctx: Ctx): Promise<Record<keyof Stores, Measured>> {
  const { blobs, cache } = ctx.services
  const tell = (name: string) => (error: unknown) => {
    // Anyone who asked is told; it may only be slow.
    ctx.log.warn(`the ${name} does not answer`, { error })
  }
  const [relational_store, document_store, cached] = await Promise.all([
    measure(ctx, () => ctx.db.ping(), tell('relational store')),
    measure(ctx, () => blobs.check(), tell('document store')),
    // Its connection has said so in the log already, once.
    measure(ctx, () => cache.check()),
  ])
  return { relational_store, document_store, cache: cached }
}

/** Asks once, and waits three seconds at the most. */
export async function measure(
  ctx: Ctx,
  probe: () => Promise<unknown>,
  onError: (error: unknown) => void = () => undefined,
): Promise<Measured> {
  const asked = ctx.clock.now()
  try {
    await withinThreeSeconds(ctx, probe())
    return { check: 'ok', latencyMs: Math.max(0, ctx.clock.now() - asked) }
  } catch (error) {
    onError(error)
    return { check: 'error', latencyMs: null }
  }
}

/** @throws Error when the answer takes longer than three seconds */
export function withinThreeSeconds<T>(ctx: Ctx, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = ctx.clock.after(patienceMs, () => reject(new Error(`No answer within ${patienceMs} ms`)))
    answer.then(resolve, reject).finally(cancel)
  })
}
