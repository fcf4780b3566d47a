import BetterSqlite from 'better-sqlite3'
import { openDatabase } from '../../packages/core/src/platform/database/database.ts'
import { eventEntities } from '../../packages/core/src/platform/events/entities.ts'
import { silent } from '../kit/database.ts'

/**
 * Another program at a SQLite file. `hold <path> <sql>` takes a lock, says `held` and lets go when it is told anything;
 * `write <path>` opens the file as the server does, writes to it and says how that ended.
 */
const [what, path = '', sql = ''] = process.argv.slice(2)

const say = (message: unknown) => process.send?.(message)

if (what === 'hold') {
  const handle = new BetterSqlite(path)
  handle.exec(sql)
  process.once('message', () => {
    handle.exec('rollback')
    handle.close()
    process.disconnect()
  })
  say('held')
} else {
  const work = async () => {
    const db = await openDatabase({ url: path, entities: eventEntities, migrations: [], log: silent })
    await db.write((tx) => tx.run(`update event set type = 'changed'`))
  }
  await work().then(
    () => say({ name: 'none', message: 'it was written' }),
    ({ name, message }: Error) => say({ name, message }),
  )
  process.disconnect()
}
