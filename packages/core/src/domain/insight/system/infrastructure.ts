import type { Ctx } from '../../../kernel/context.ts'
import { type Measured, recentStores } from '../../../kernel/health.ts'
import { measureLocal } from './health.ts'
import { startableRuns } from './status-queries.ts'
import type { Status } from './status-schemas.ts'

type Service = Status['infrastructure'][number]

/** What takes longer to answer is told to be slow, milliseconds. */
const slowMs = 1_000
/** What no worker has taken up for so long is told to be late, milliseconds. */
const lateMs = 10 * 60_000

/**
 * What the installation stands on, as each part has answered within three seconds a moment ago, and the runs of the tenants in scope
 * that wait for a worker.
 */
export async function infrastructureOf(ctx: Ctx): Promise<Service[]> {
  const [stores, local, queue] = await Promise.all([
    recentStores(ctx),
    ctx.services.standing.localModels(() => measureLocal(ctx)),
    queueOf(ctx),
  ])
  return [
    toService('relational_store', stores.relational_store),
    toService('document_store', stores.document_store),
    toService('cache', stores.cache),
    // Vectors are searched where the rows are.
    toService('vector_store', stores.relational_store),
    local
      ? toService('local_model', local)
      : { service: 'local_model', status: 'healthy', latencyMs: null, detail: 'not configured' },
    queue,
  ]
}

function toService(service: string, { check, latencyMs }: Measured): Service {
  if (check === 'error') return { service, status: 'down', latencyMs, detail: 'gives no answer' }
  const isSlow = (latencyMs ?? 0) > slowMs
  return { service, status: isSlow ? 'degraded' : 'healthy', latencyMs, detail: isSlow ? 'is slow' : null }
}

async function queueOf(ctx: Ctx): Promise<Service> {
  const { waiting, oldest } = await startableRuns(ctx)
  const ageMs = oldest ? ctx.clock.now() - oldest.getTime() : 0
  return {
    service: 'queue',
    status: ageMs > lateMs ? 'degraded' : 'healthy',
    latencyMs: null,
    detail:
      waiting === 0
        ? 'nothing waits'
        : `${waiting} ${waiting === 1 ? 'run waits' : 'runs wait'}, the oldest for ${Math.floor(ageMs / 1_000)} s`,
  }
}
