import { closeSync, fdatasync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import BetterSqlite from 'better-sqlite3'
import type { WriteThread } from './sqlite-thread.ts'

type Handle = BetterSqlite.Database

/** How commits come to the disk while the event loop goes on. */
export interface CommitLog {
  /** Has readers see what was committed so far, and nothing newer until the function that is returned is called. */
  pin(): () => void
  /** @returns when all that was committed before the call is durable */
  sync(): Promise<void>
  /**
   * Whether it has grown so much that it should be folded into the file.
   * @param ofMany after many changes at once: what they change again and again is folded once
   */
  isLong(ofMany?: boolean): boolean
  /** Folds it into the file, when no transaction is open and all of it is durable. Never fails. */
  fold(): Promise<void>
}

/** From how many pages of the file on the log is folded, as SQLite does by itself. */
const longPages = { ofFew: 1_000, ofMany: 4_000 }

const syncData = promisify(fdatasync)

/**
 * The write-ahead log of a connection with `synchronous = NORMAL`, which does not wait for the disk when it commits: that would hold up
 * the event loop. The log is made durable in a thread of Node's own instead, and folded by the connection in a thread.
 * @param readers those of this process that must not show what a power cut could still take back
 */
export function openLog(
  path: string,
  writer: Handle,
  readers: ReadonlySet<Handle>,
  thread: Pick<WriteThread, 'fold'>,
) {
  writer.pragma('wal_autocheckpoint = 0')
  const file = openSync(`${path}-wal`, 'r+')
  const log: CommitLog & { close(): void } = {
    pin() {
      const pinned: Handle[] = []
      const release = () => {
        for (const reader of pinned) if (reader.open && reader.inTransaction) reader.exec('commit')
      }
      try {
        for (const reader of readers) {
          reader.exec('begin')
          pinned.push(reader)
          reader.prepare('select 1 from sqlite_master limit 1').get()
        }
      } catch (error) {
        release()
        throw error
      }
      return release
    },
    sync: async () => syncData(file),
    isLong(ofMany = false) {
      const [state] = writer.pragma('wal_checkpoint(NOOP)') as [{ log: number }]
      return state.log >= (ofMany ? longPages.ofMany : longPages.ofFew)
    },
    async fold() {
      try {
        await thread.fold()
      } catch (error) {
        // On a full disk, for example. Nothing is lost with it: the log goes on, and is folded when there is room.
        if (!(error instanceof BetterSqlite.SqliteError)) foldHere(writer)
      }
    },
    close: () => closeSync(file),
  }
  return log
}

/** As long as no thread can be had, the event loop waits rather than that the log grows without end. */
function foldHere(writer: Handle): void {
  try {
    writer.pragma('wal_checkpoint(PASSIVE)')
  } catch {
    // As in a thread.
  }
}
