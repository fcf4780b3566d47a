import { createSystemClock } from '../packages/core/src/platform/clock.ts'
import { type Database, openDatabase } from '../packages/core/src/platform/database/database.ts'
import type { EventLog } from '../packages/core/src/platform/events/events.ts'
import { createEventLog } from '../packages/core/src/platform/events/log.ts'
import { jobEntities } from '../packages/core/src/platform/jobs/entities.ts'
import { silentLogger } from '../packages/core/src/platform/logger.ts'
import { expectEqual, less, type Metrics, percentile } from './measure.ts'
import { eventDays } from './scale-data.ts'

const dayMs = 86_400_000
const writers = 4
const calmMs = 5_000
/** Events that the peer deletes in one transaction. */
const step = 10_000
const peer = `by hand, ${step.toLocaleString('en')} in a transaction`

/**
 * Deletes the older half of the events while others append: first a quarter of all by hand in small transactions, then the next one
 * as the housekeeping does.
 */
export async function cleanedEvents(
  url: string,
  events: number,
  say: (line: string) => void,
): Promise<Metrics> {
  const db = await openDatabase({
    url,
    entities: jobEntities,
    migrations: [],
    log: silentLogger,
    poolSize: writers + 2,
  })
  const log = createEventLog({ db, clock: createSystemClock(), log: silentLogger })
  await log.start()
  try {
    const before = (share: number) => new Date(Date.now() - eventDays * dayMs * (1 - share))
    const calm = await beside(db, log, () => new Promise((resolve) => setTimeout(resolve, calmMs)))
    say(`  writers alone: ${described(calm)}`)
    const hand = await beside(db, log, () => deleteInSteps(db, before(0.25)))
    say(
      `  ${hand.result} events were deleted by hand in ${(hand.ms / 1_000).toFixed(1)} s: ${described(hand)}`,
    )
    const ours = await beside(db, log, () => log.prune(before(0.5)))
    say(`  ${ours.result} events were pruned in ${(ours.ms / 1_000).toFixed(1)} s: ${described(ours)}`)
    // The clock went on since they were filled.
    for (const { result } of [hand, ours])
      expectEqual('events deleted, in hundredths of all', Math.round((result * 100) / events), 25)
    const rate = ({ result, ms }: { result: number; ms: number }) => (ms / result) * 1e3
    return {
      'scale.retention': less(rate(ours), 's for a million events', peer, rate(hand)),
      'scale.retention.wait.p99': less(
        percentile(ours.waits, 0.99),
        'ms of a writer meanwhile',
        peer,
        percentile(hand.waits, 0.99),
      ),
      'scale.retention.wait.max': less(
        Math.max(...ours.waits),
        'ms of a writer meanwhile at most',
        peer,
        Math.max(...hand.waits),
      ),
      'scale.retention.calm.p99': { value: percentile(calm.waits, 0.99), unit: 'ms of a writer before' },
    }
  } finally {
    await log.stop()
    await db.close()
  }
}

const described = ({ waits }: { waits: number[] }) =>
  `${waits.length} transactions, p99 ${percentile(waits, 0.99).toFixed(1)} ms, at most ${Math.max(...waits).toFixed(0)} ms`

/** Does the work while four writers append one event after the other. */
async function beside<T>(db: Database, log: EventLog, work: () => Promise<T>) {
  const waits: number[] = []
  let over = false
  const write = async () => {
    while (!over) {
      const begun = performance.now()
      await db.unitOfWork('all', (_em, tx) =>
        log.append(tx, [{ tenantId: null, type: 'bench', subject: 'bench', data: {} }]),
      )
      waits.push(performance.now() - begun)
    }
  }
  const written = Promise.all(Array.from({ length: writers }, write))
  const begun = performance.now()
  const result = await work()
  const ms = performance.now() - begun
  over = true
  await written
  return { result, ms, waits }
}

async function deleteInSteps(db: Database, before: Date): Promise<number> {
  let deleted = 0
  for (;;) {
    const some = await db.write((tx) =>
      tx.run('delete from event where seq in (select seq from event where at < ? order by seq limit ?)', [
        before,
        step,
      ]),
    )
    deleted += some
    if (some < step) return deleted
  }
}
