import { createSystemClock } from '../../packages/core/src/platform/clock.ts'
import { openDatabase } from '../../packages/core/src/platform/database/database.ts'
import { eventEntities } from '../../packages/core/src/platform/events/entities.ts'
import { createEventLog } from '../../packages/core/src/platform/events/log.ts'
import { silent } from '../kit/database.ts'

/** A process that follows all events from the first on and sends the number of each. Argument: the URL of the database. */
const [url = ''] = process.argv.slice(2)
const db = await openDatabase({ url, entities: eventEntities, migrations: [], log: silent })
const log = createEventLog({ db, clock: createSystemClock(), log: silent })
await log.start()
await log.follow({ tenants: 'all' }, 0, {
  event: ({ seq }) => void process.send?.(seq),
  resync: () => void process.send?.('resync'),
})
process.send?.('ready')
