import { giveUpImports } from '../domain/delivery/leads/import/run.ts'
import { createFanOut, fanOut } from '../domain/delivery/webhooks/fan-out.ts'
import { giveUpReports } from '../domain/insight/reports/write.ts'
import { giveUpCrawls } from '../domain/knowledge/crawl/run.ts'
import { giveUpFiles } from '../domain/knowledge/ingestion/give-up.ts'
import { blockStuck } from '../domain/work/activities/sweep.ts'
import { createDispatcher } from '../domain/work/runs/queue/dispatcher.ts'
import type { Ctx } from '../kernel/context.ts'
import type { Assembled } from './assemble.ts'
import { createCalendar } from './calendar.ts'

/** The part of an instance that works: jobs, runs, and the sweep that proves that work moves. */
export interface Worker {
  start(): Promise<void>
  stop(): Promise<void>
}

interface PeriodicTask {
  name: string
  everyMs: number
  work(ctx: Ctx): Promise<unknown>
}

/** What every process looks after every few seconds; what has a calendar is a job with a `cron`. */
const periodicTasks: readonly PeriodicTask[] = [
  { name: 'round of webhooks', everyMs: 10_000, work: fanOut },
  { name: 'sweep', everyMs: 60_000, work: blockStuck },
  { name: 'round of reports', everyMs: 60_000, work: giveUpReports },
  { name: 'round of crawls', everyMs: 60_000, work: giveUpCrawls },
  { name: 'round of imports', everyMs: 60_000, work: giveUpImports },
  { name: 'round of knowledge files', everyMs: 60_000, work: giveUpFiles },
]

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
  const webhooks = createFanOut(assembled.system())
  const calendar = createCalendar(assembled)
  const cancels = new Map<PeriodicTask, () => void>()
  const running = new Set<Promise<void>>()
  const later = (round: PeriodicTask) => {
    const again = () => {
      const turn = round
        .work(assembled.system())
        .catch((error: unknown) => log.error(`the ${round.name} failed`, { error }))
        .then(() => {
          running.delete(turn)
          if (cancels.has(round)) later(round)
        })
      running.add(turn)
    }
    cancels.set(round, clock.after(round.everyMs, again))
  }
  return {
    async start() {
      onRun.wake = () => dispatcher.wakeUp()
      await services.jobs.start()
      await dispatcher.start()
      await webhooks.start()
      periodicTasks.forEach(later)
      calendar.start()
    },
    async stop() {
      for (const cancel of cancels.values()) cancel()
      cancels.clear()
      await calendar.stop()
      await webhooks.stop()
      await services.jobs.stop()
      await dispatcher.stop()
      // The database is closed next.
      await Promise.all(running)
    },
  }
}
