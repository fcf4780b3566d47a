import { closeSync, openSync } from 'node:fs'
import { resolve } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import type { DatabaseOptions } from './database.ts'
import type { SharedCommits } from './sqlite-commits.ts'
import { explain } from './sqlite-faults.ts'
import { openLog } from './sqlite-log.ts'
import { WriteQueue } from './sqlite-queue.ts'
import type { WriteThread } from './sqlite-thread.ts'

type Handle = BetterSqlite.Database

/** Pages of the file that each connection keeps, KiB; the driver's default is 16 MB. What is not kept is read from the system's cache. */
const kept = { byWriter: 4_096, byReader: 8_192 }

/** How long the lock of another process is waited for, milliseconds. */
export const busyMs = 5_000

/**
 * The writers' queue of one file. Every instance of this process that has the file open shares it: waiting for each
 * other's lock inside the driver would stop the loop that has to let it go.
 */
const files = new Map<string, OpenFile>()

interface OpenFile {
  queue: WriteQueue<SharedCommits>
  readers: Set<Handle>
  members: number
}

export function joinFile(path: string): Omit<OpenFile, 'members'> & { leave: () => void } {
  const name = resolve(path)
  const joined = files.get(name) ?? { queue: new WriteQueue<SharedCommits>(), readers: new Set(), members: 0 }
  joined.members += 1
  files.set(name, joined)
  const leave = () => {
    joined.members -= 1
    if (joined.members === 0) files.delete(name)
  }
  return { queue: joined.queue, readers: joined.readers, leave }
}

/** What does not find room in the file on a full or broken disk stays in the log, and is read with it by the next one. */
export function foldLog(handle: Handle, { log, url }: DatabaseOptions): void {
  try {
    handle.pragma('wal_checkpoint(TRUNCATE)')
  } catch (error) {
    log.warn('the write-ahead log could not be folded into the database; keep both files', { error, url })
  }
}

export function openHandle(path: string, options: DatabaseOptions, readonly = false): Handle {
  try {
    if (!readonly && path !== ':memory:') makePrivate(path)
    const handle = new BetterSqlite(path, { readonly, timeout: busyMs })
    handle.pragma(`cache_size = -${readonly ? kept.byReader : kept.byWriter}`)
    if (!readonly) {
      handle.pragma('journal_mode = WAL')
      // What a commit needs to be durable is done by `openLog`.
      handle.pragma(`synchronous = ${options.synchronous === 'off' ? 'OFF' : 'NORMAL'}`)
      handle.pragma('foreign_keys = ON')
    }
    handle.prepare('select count(*) from sqlite_master').get()
    return handle
  } catch (error) {
    throw explain(error, path)
  }
}

/** How commits on the connection come to the disk; undefined where they need not. */
export function logOf(
  path: string,
  options: DatabaseOptions,
  writer: Handle,
  readers: ReadonlySet<Handle>,
  thread: WriteThread,
) {
  if (options.synchronous === 'off') return undefined
  try {
    return openLog(path, writer, readers, thread)
  } catch (error) {
    writer.close()
    throw explain(error, path)
  }
}

/** A new file is for its owner only; SQLite gives its journals the rights of the file. */
function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'ax', 0o600))
  } catch {
    // It is there already, or SQLite says better why it cannot be made.
  }
}
