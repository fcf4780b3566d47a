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

/** How old an answer of what the installation stands on may be: however many ask, it is asked once a second at the most. */
export const standingFreshness = { freshMs: 1_000, staleMs: 10_000 }

/**
 * Whether the three stores can be used, as they were a moment ago. A check that takes long keeps no one waiting who asked before.
 * Serves `GET /health/ready`.
 */
export async function readiness(ctx: Ctx): Promise<Readiness> {
  const checks = checksOf(await recentStores(ctx))
  return { status: Object.values(checks).includes('error') ? 'degraded' : 'ok', checks }
}

/** How a part of the installation has answered, and after how long; null when it has not. */
export interface Measured {
  check: Check
  latencyMs: number | null
}

export type MeasuredStores = Record<keyof Stores, Measured>

/** How the three stores have answered a moment ago: to ask means to write a file, which each reader would wait for otherwise. */
export function recentStores(ctx: Ctx): Promise<MeasuredStores> {
  return ctx.services.standing.stores(() => measureStores(ctx))
}

/** Whether the three stores can be used now. */
export async function checkStores(ctx: Ctx): Promise<Stores> {
  return checksOf(await measureStores(ctx))
}

const checksOf = ({ relational_store, document_store, cache }: MeasuredStores): Stores => ({
  relational_store: relational_store.check,
  document_store: document_store.check,
  cache: cache.check,
})

async function measureStores(ctx: Ctx): Promise<MeasuredStores> {
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
