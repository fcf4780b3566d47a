import type { Ctx } from './context.ts'

type Check = 'ok' | 'error'

export interface Readiness {
  status: 'ok' | 'degraded'
  checks: { relational_store: Check; document_store: Check; cache: Check }
}

/** Asks the three stores whether they can be used. Serves `GET /health/ready`. */
export async function readiness(ctx: Ctx): Promise<Readiness> {
  const { blobs, cache } = ctx.services
  const ask = async (name: string, probe: () => Promise<unknown>): Promise<Check> => {
    try {
      await probe()
      return 'ok'
    } catch (error) {
      ctx.log.error(`the ${name} does not answer`, { error })
      return 'error'
    }
  }
  const [relational_store, document_store, cached] = await Promise.all([
    ask('relational store', () => ctx.db.ping()),
    ask('document store', () => blobs.check()),
    // Its connection has said so in the log already, once.
    cache.check().then(
      (): Check => 'ok',
      (): Check => 'error',
    ),
  ])
  const checks = { relational_store, document_store, cache: cached }
  return { status: Object.values(checks).includes('error') ? 'degraded' : 'ok', checks }
}
