import type { Assembled } from './assemble.ts'
import { sweep } from './domain/activities/sweep.ts'
import { createDispatcher } from './domain/runs/dispatcher.ts'

/** The part of an instance that works: jobs, runs, and the sweep that proves that work moves. */
export interface Worker {
  start(): Promise<void>
  stop(): Promise<void>
}

const sweepEveryMs = 60_000

export function createWorker(
  assembled: Assembled,
  settings: { concurrency: number; leaseMs?: number },
): Worker {
  const { services, onRun, clock, log, owner } = assembled
  const dispatcher = createDispatcher({
    system: assembled.system(),
    owner,
    ...settings,
    agentContext: ({ runId, attempt, tenantId, agentName }) =>
      assembled.contextFor({
        tenantId,
        actor: { id: runId, type: 'agent', role: 'agent', appAccess: [], tenantId, attempt, name: agentName },
      }),
  })
  let cancel: (() => void) | undefined
  const sweepLater = () => {
    cancel = clock.after(sweepEveryMs, () => {
      sweep(assembled.system())
        .catch((error: unknown) => log.error('the sweep failed', { error }))
        .finally(sweepLater)
    })
  }
  return {
    async start() {
      onRun.wake = () => dispatcher.poke()
      await services.jobs.start()
      await dispatcher.start()
      sweepLater()
    },
    async stop() {
      cancel?.()
      await services.jobs.stop()
      await dispatcher.stop()
    },
  }
}
