import { entities } from '../../packages/core/src/composition/entities.ts'
import { migrations } from '../../packages/core/src/composition/migrations/migrations.ts'
import type { Clock } from '../../packages/core/src/platform/clock.ts'
import type { Database } from '../../packages/core/src/platform/database/database.ts'
import type {
  EventFilter,
  EventLog,
  NewEvent,
  StoredEvent,
} from '../../packages/core/src/platform/events/events.ts'
import { createEventLog } from '../../packages/core/src/platform/events/log.ts'
import { openTestDatabase, silent } from '../kit/database.ts'
import { settled } from '../kit/events.ts'

export const patience = { timeout: 15_000, interval: 10 }

export interface Process {
  db: Database
  log: EventLog
}

export const everything: EventFilter = { tenants: 'all' }

/**
 * One database, and logs that each have it open for themselves, as processes would.
 * @param server a PostgreSQL other than that of the run, as the URL of its maintenance database
 */
export async function openArchive<C extends Clock>(clock: C, server?: string) {
  const test = await openTestDatabase({ entities, migrations, ...(server && { server }) })
  const logs: EventLog[] = []
  return {
    ...test,
    clock,
    async process(opened?: Database): Promise<Process> {
      const db = opened ?? (await test.again())
      const log = createEventLog({ db, clock, log: silent })
      await log.start()
      logs.push(log)
      return { db, log }
    },
    names: async (): Promise<string[]> =>
      (await (await settled(test.db)).all<{ subject: string }>('select subject from event order by seq')).map(
        ({ subject }) => subject,
      ),
    async [Symbol.asyncDispose]() {
      await Promise.all(logs.map((log) => log.stop()))
      await test[Symbol.asyncDispose]()
    },
  }
}

export const happened = (subject: string, rest: Partial<NewEvent> = {}): NewEvent => ({
  tenantId: null,
  type: 'thing_happened',
  subject,
  data: { subject },
  ...rest,
})

/** Appends in one transaction and notifies, as a service does. */
export async function write({ db, log }: Process, ...events: NewEvent[]): Promise<void> {
  await db.write((tx) => log.append(tx, events))
  log.wakeUp()
}

/** Records the events of a follower. */
export function notebook() {
  const events: StoredEvent[] = []
  /** Subjects, and `resync`. */
  const told: string[] = []
  return {
    events,
    told,
    event: (event: StoredEvent) => {
      events.push(event)
      told.push(event.subject)
    },
    resync: () => void told.push('resync'),
  }
}

export function latch() {
  const { promise: passed, resolve: open } = Promise.withResolvers<void>()
  return { passed, open }
}

/** Transactions of one process, one after the other, some of which do a good deal between their two events. */
export async function writeMany({ db, log }: Process, name: string, transactions: number) {
  for (let n = 0; n < transactions; n++) {
    const events = [happened(`${name} ${n} first`), happened(`${name} ${n} second`)]
    if (n % 3 === 0) {
      await db.unitOfWork('all', (_em, tx) => log.append(tx, events))
    } else {
      await db.write(async (tx) => {
        for (let step = 0; step < (n % 4) * 5; step++) await tx.all('select count(*) as n from event')
        await log.append(tx, events.slice(0, 1))
        for (let step = 0; step < (n % 5) * 5; step++) await tx.all('select count(*) as n from event')
        await log.append(tx, events.slice(1))
      })
    }
    log.wakeUp()
  }
}
