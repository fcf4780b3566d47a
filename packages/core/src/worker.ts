import type { Assembled } from './assemble.ts'
import type { Ctx } from './domain/context.ts'
import { cleanUp } from './domain/housekeeping.ts'
import { giveToPeople } from './domain/activities/sweep.ts'
import { checkEveryMs, checkStale } from './domain/models/check.ts'
import { createRecurringRound } from './domain/recurring/fire.ts'
import { giveUpReports } from './domain/reports/give-up.ts'
import { createFanOut, fanOut } from './domain/webhooks/fan-out.ts'
import { createDispatcher } from './domain/runs/dispatcher.ts'

/** The part of an instance that works: jobs, runs, and the sweep that proves that work moves. */
export interface Worker {
  start(): Promise<void>
  stop(): Promise<void>
}

interface Round {
  name: string
  everyMs: number
  work(ctx: Ctx): Promise<unknown>
}

/** What is done over and over, whoever asks. */
const roundsOf = (): readonly Round[] => [
  { name: 'round of recurring work', everyMs: 10_000, work: createRecurringRound() },
  { name: 'round of webhooks', everyMs: 10_000, work: fanOut },
  { name: 'sweep', everyMs: 60_000, work: giveToPeople },
  { name: 'round of reports', everyMs: 60_000, work: giveUpReports },
  { name: 'housekeeping', everyMs: 3_600_000, work: cleanUp },
  { name: 'check of model providers', everyMs: checkEveryMs, work: checkStale },
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
  const cancels = new Map<Round, () => void>()
  const atWork = new Set<Promise<void>>()
  const later = (round: Round) => {
    const again = () => {
      const turn = round
        .work(assembled.system())
        .catch((error: unknown) => log.error(`the ${round.name} failed`, { error }))
        .then(() => {
          atWork.delete(turn)
          if (cancels.has(round)) later(round)
        })
      atWork.add(turn)
    }
    cancels.set(round, clock.after(round.everyMs, again))
  }
  return {
    async start() {
      onRun.wake = () => dispatcher.poke()
      await services.jobs.start()
      await dispatcher.start()
      await webhooks.start()
      roundsOf().forEach(later)
    },
    async stop() {
      for (const cancel of cancels.values()) cancel()
      cancels.clear()
      await webhooks.stop()
      await services.jobs.stop()
      await dispatcher.stop()
      // The database is closed next.
      await Promise.all(atWork)
    },
  }
}
