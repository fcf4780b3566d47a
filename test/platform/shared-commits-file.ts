import { join } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { SharedCommits } from '../../packages/core/src/platform/database/sqlite-commits.ts'
import { type CommitLog, openLog } from '../../packages/core/src/platform/database/sqlite-log.ts'
import { WriteQueue } from '../../packages/core/src/platform/database/sqlite-queue.ts'
import {
  WriteThread,
  type WriteThreadOptions,
} from '../../packages/core/src/platform/database/sqlite-thread.ts'
import { temporaryFolder } from '../cli/process.ts'

/** Commits are durable by themselves, or the log is synced outside of the event loop. */
export const ways = ['by the commit', 'outside of the event loop'] as const
type Way = (typeof ways)[number]

/**
 * A database file with a table, a reader of what is committed, and connections that write down what they execute.
 * @param change replaces parts of the log
 * @param inThread changes the connection in a thread
 */
export function openFile(
  way: Way,
  change: (log: CommitLog) => Partial<CommitLog> = () => ({}),
  inThread: Partial<WriteThreadOptions> = {},
) {
  const folder = temporaryFolder()
  const path = join(folder.path, 'shared.db')
  const reader = new BetterSqlite(path)
  reader.pragma('journal_mode = WAL')
  reader.exec('create table thing (id integer primary key)')
  const queue = new WriteQueue<SharedCommits>()
  const told: string[] = []
  const handles = [reader]
  const logs: Array<ReturnType<typeof openLog>> = []
  const threads: WriteThread[] = []
  const connect = () => {
    const handle = new BetterSqlite(path)
    handles.push(handle)
    const texts: string[] = []
    const recorded: Pick<typeof handle, 'exec' | 'inTransaction'> = {
      exec: (text) => {
        texts.push(text)
        return handle.exec(text)
      },
      get inTransaction() {
        return handle.inTransaction
      },
    }
    handle.pragma(`synchronous = ${way === 'by the commit' ? 'FULL' : 'NORMAL'}`)
    const other = new WriteThread({ path, synchronous: 'NORMAL', timeout: 5_000, ...inThread })
    threads.push(other)
    const opened = way === 'by the commit' ? undefined : openLog(path, handle, new Set([reader]), other)
    if (opened) logs.push(opened)
    const log = opened && { ...opened, ...change(opened) }
    const deliver = (notices: ReadonlyArray<readonly [string, string]>) => {
      for (const [channel] of notices) told.push(channel)
    }
    const commits = new SharedCommits(recorded, queue, deliver, log)
    /** A unit of work that inserts ids; each `undefined` is a failure of its program. */
    const unit = async (...ids: Array<number | undefined>) => {
      await commits.enter()
      let durable: Promise<void>
      try {
        commits.begin()
        for (const id of ids) {
          if (id === undefined) throw new Error('changed its mind')
          handle.prepare('insert into thing values (?)').run(id)
          commits.notify(`${id}`, '')
          await Promise.resolve()
        }
        durable = commits.commit()
      } catch (error) {
        commits.rollback()
        commits.leave()
        throw error
      }
      await durable
      return stored(ids[0])
    }
    /** The same with statements that are executed in a thread. A text is executed as it is. */
    const apart = async (...parts: Array<number | string | undefined>) => {
      await commits.apart(other, async () => {
        const { sql } = other.statements()
        for (const part of parts) {
          if (part === undefined) throw new Error('changed its mind')
          if (typeof part === 'string') await sql.get(part)
          else await sql.run('insert into thing values (?)', [part])
          commits.notify(`${part}`, '')
        }
      })
      return stored(parts.find((part) => typeof part === 'number'))
    }
    return { handle, texts, commits, unit, apart }
  }
  const stored = (id?: number) =>
    reader.prepare('select count(*) as n from thing where id = ?').pluck().get(id) === 1
  return {
    path,
    told,
    connect,
    ids: () => reader.prepare('select id from thing order by id').pluck().all(),
    async [Symbol.asyncDispose]() {
      for (const one of threads) await one.close()
      for (const log of logs) log.close()
      for (const handle of handles) handle.close()
      folder[Symbol.dispose]()
    },
  }
}

export const numbers = (from: number, until: number) =>
  Array.from({ length: until - from }, (_, i) => from + i)
export const count = (texts: string[], text: string) => texts.filter((one) => one === text).length
