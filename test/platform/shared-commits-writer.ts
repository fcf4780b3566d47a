import BetterSqlite from 'better-sqlite3'
import { SharedCommits } from '../../packages/core/src/platform/database/sqlite-commits.ts'
import { openLog } from '../../packages/core/src/platform/database/sqlite-log.ts'
import { WriteQueue } from '../../packages/core/src/platform/database/sqlite-queue.ts'
import { WriteThread } from '../../packages/core/src/platform/database/sqlite-thread.ts'

/** Writes ids from a first one on, eight at a time, and sends each as soon as it has ended. Arguments: the file, the first id. */
const [path = '', first = '0'] = process.argv.slice(2)
const handle = new BetterSqlite(path)
handle.pragma('synchronous = NORMAL')
handle.prepare('select count(*) from thing').get()
const thread = new WriteThread({ path, synchronous: 'NORMAL', timeout: 5_000 })
const log = openLog(path, handle, new Set(), thread)
const commits = new SharedCommits(handle, new WriteQueue<SharedCommits>(), () => undefined, log)
const insert = handle.prepare('insert into thing values (?)')
let id = Number(first)

async function write(): Promise<never> {
  for (;;) {
    await commits.enter()
    commits.begin()
    const mine = id++
    insert.run(mine)
    await commits.commit()
    process.send?.(mine)
  }
}

for (let writer = 0; writer < 8; writer += 1) void write()
