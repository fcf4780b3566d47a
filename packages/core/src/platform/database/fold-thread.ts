import BetterSqlite from 'better-sqlite3'
import { serve } from '../threads/serve.ts'

const foldTasks = {
  /** Copies what is in the write-ahead log of a file into the file, and waits for the disk. Nothing else waits for it. */
  fold(path: string): void {
    const handle = new BetterSqlite(path, { fileMustExist: true, timeout: 0 })
    try {
      handle.pragma('wal_checkpoint(PASSIVE)')
    } finally {
      handle.close()
    }
  },
}

export type FoldTasks = typeof foldTasks

// Started as a thread of its own, by the name of its file.
serve(foldTasks)
