import type { Ctx } from '../../../kernel/context.ts'
import { checkStores, type Measured, measure, withinThreeSeconds } from '../../../kernel/health.ts'
import { queueNumbers } from '../../work/runs/queue/queue-queries.ts'
import type { Arrival, SystemHealth } from './schemas.ts'
import { jobNumbers } from './status-queries.ts'

/**
 * Whether everything that the platform stands on answers, each asked now and given three seconds, and what waits to be
 * done. Serves `GET /admin/v1/system/health`.
 */
export async function systemHealth(ctx: Ctx): Promise<SystemHealth> {
  const [stores, local, queues] = await Promise.all([checkStores(ctx), measureLocal(ctx), queuesOf(ctx)])
  // Vectors are searched where the rows are.
  const services = {
    api: 'ok' as const,
    ...stores,
    vector_store: stores.relational_store,
    local_model: local?.check ?? ('ok' as const),
  }
  const broken = Object.values(services).includes('error') || queues === undefined
  return {
    status: services.relational_store === 'error' ? 'down' : broken ? 'degraded' : 'healthy',
    services,
    queues: queues ?? [],
    sseConnections: ctx.services.openStreams(),
    lastCheckedAt: ctx.clock.date(),
  }
}

/** Every model on a server of one's own, together; undefined where there is none, as then none can be broken. */
export async function measureLocal(ctx: Ctx): Promise<Measured | undefined> {
  const local = ctx.services.models.served.filter(({ provider }) => provider.type === 'local')
  if (local.length === 0) return undefined
  return measure(ctx, async () => {
    const answers = await Promise.all(local.map(({ provider }) => provider.check()))
    if (!answers.every(({ ok }) => ok)) throw new Error('A local model does not answer')
  })
}

/** By agent role over all tenants; undefined where the database does not say. */
async function queuesOf(ctx: Ctx): Promise<SystemHealth['queues'] | undefined> {
  try {
    const [numbers, jobs] = await withinThreeSeconds(ctx, Promise.all([queueNumbers(ctx), jobNumbers(ctx)]))
    const queues = new Map<string, SystemHealth['queues'][number]>()
    for (const { agentRole: name, waiting, active, delayed, failed, deadLettered } of numbers) {
      const sum = queues.get(name) ?? { name, waiting: 0, active: 0, delayed: 0, failed: 0, deadLettered: 0 }
      sum.waiting += waiting
      sum.active += active
      sum.delayed += delayed
      sum.failed += failed
      sum.deadLettered += deadLettered
      queues.set(name, sum)
    }
    return [...[...queues.values()].toSorted((a, b) => a.name.localeCompare(b.name)), ...jobs]
  } catch (error) {
    ctx.log.warn('the queues could not be read', { error })
    return undefined
  }
}

/**
 * How a request has arrived, for anyone who holds the keys of the installation. Serves `GET /health/arrival/:token`.
 * @throws DomainError `TOKEN_EXPIRED`, `INVALID_TOKEN`
 */
export async function arrival(ctx: Ctx, token: string, seen: Arrival): Promise<Arrival> {
  await ctx.services.tokens.verify(token, 'arrival')
  return seen
}
