import BetterSqlite from 'better-sqlite3'
import { openDatabase } from '../../packages/core/src/platform/database/database.ts'
import { eventEntities } from '../../packages/core/src/platform/events/entities.ts'
import { silent } from '../kit/database.ts'

/**
 * Another program that uses a SQLite file. `hold <path> <sql>` takes a lock, prints `held` and releases it on
 * any input; `write <path>` opens the file like the server, writes to it and prints the result.
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
