import BetterSqlite from 'better-sqlite3'
import { SharedCommits } from '../../packages/core/src/platform/database/sqlite-commits.ts'
import { openLog } from '../../packages/core/src/platform/database/sqlite-log.ts'
import { WriteQueue } from '../../packages/core/src/platform/database/sqlite-queue.ts'
import { WriteThread } from '../../packages/core/src/platform/database/sqlite-thread.ts'

/**
 * Writes ids by units of work in a thread and beside it, and sends the first id of each as soon as it has ended. Arguments: the file, the
 * first id, how many a unit in the thread writes.
 */
const [path = '', first = '0', perUnit = '1'] = process.argv.slice(2)
const handle = new BetterSqlite(path)
handle.pragma('synchronous = NORMAL')
handle.prepare('select count(*) from thing').get()
const thread = new WriteThread({ path, synchronous: 'NORMAL', timeout: 5_000 })
const log = openLog(path, handle, new Set(), thread)
const commits = new SharedCommits(handle, new WriteQueue<SharedCommits>(), () => undefined, log)
const insert = handle.prepare('insert into thing values (?)')
let hundred = Number(first) / 100

async function writeInThread(): Promise<never> {
  for (;;) {
    const mine = hundred * 100
    hundred += 2
    await commits.apart(thread, async () => {
      const { sql } = thread.statements()
      for (let n = 0; n < Number(perUnit); n += 1) await sql.run('insert into thing values (?)', [mine + n])
    })
    process.send?.(mine)
  }
}

let beside = Number(first) / 100 + 1

async function write(): Promise<never> {
  for (;;) {
    await commits.enter()
    commits.begin()
    const mine = beside * 100
    beside += 2
    insert.run(mine)
    await commits.commit()
    process.send?.(mine)
  }
}

void writeInThread()
for (let writer = 0; writer < 3; writer += 1) void write()
