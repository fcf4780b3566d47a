import { createSystemClock } from '../../packages/core/src/platform/clock.ts'
import { openDatabase } from '../../packages/core/src/platform/database/database.ts'
import { eventEntities } from '../../packages/core/src/platform/events/entities.ts'
import { createEventLog } from '../../packages/core/src/platform/events/log.ts'
import { silent } from '../kit/database.ts'

/**
 * A process that appends events, four transactions at a time, and sends the subjects of each that has committed. Arguments:
 * the URL of the database, and a name to begin its subjects with.
 */
const [url = '', name = ''] = process.argv.slice(2)
const db = await openDatabase({ url, entities: eventEntities, migrations: [], log: silent })
const log = createEventLog({ db, clock: createSystemClock(), log: silent })
await log.start()

async function write(writer: number): Promise<never> {
  for (let n = 0; ; n += 1) {
    const subjects = ['first', 'second'].map((which) => `${name}.${writer} ${n} ${which}`)
    await db.write((tx) =>
      log.append(
        tx,
        subjects.map((subject) => ({ tenantId: null, type: 'thing_happened', subject, data: {} })),
      ),
    )
    log.wakeUp()
    process.send?.(subjects)
  }
}

process.send?.([])
process.once('message', () => {
  for (let writer = 0; writer < 4; writer += 1) void write(writer)
})
