import { closeSync, existsSync, openSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import BetterSqlite from 'better-sqlite3'
import { type Database, DatabaseError, type DatabaseOptions, type Sql } from './database.ts'
import { openedLater } from './discovery.ts'
import { insertRows } from './new-rows.ts'
import { forkFor, isFlushed, markFlushed } from './scope.ts'
import { SharedCommits, WriteQueue } from './sqlite-commits.ts'
import { bind, preparedOn } from './sqlite-statements.ts'
import { SqliteTransaction } from './sqlite-transaction.ts'

type Handle = BetterSqlite.Database

/** Pages of the file that each connection keeps, KiB; the driver's default is 16 MB. What is not kept is read from the system's cache. */
const kept = { byWriter: 4_096, byReader: 8_192 }

/**
 * SQLite in WAL mode: one connection that writes, one that reads committed data. All writers of this process wait in
 * one queue, so none ever meets a lock of its own process; other processes are waited for by the busy timeout.
 */
export async function openSqlite(options: DatabaseOptions): Promise<Database> {
  const path = options.url.replace(/^sqlite:(\/\/)?/, '')
  const folder = dirname(path)
  if (!existsSync(folder)) {
    throw new DatabaseError(
      `The folder ${folder} of the database does not exist. Create it, or name another one.`,
    )
  }
  const { queue, leave } = joinQueue(path)
  const listeners = new Map<string, Set<(payload: string) => void>>()
  const writer = openHandle(path, options)
  const commits = new SharedCommits(writer, queue, (notices) => {
    for (const [channel, payload] of notices)
      for (const listener of listeners.get(channel) ?? []) listener(payload)
  })
  const reader = openHandle(path, options, true)
  const orm = openedLater(async () => {
    const { openSqliteOrm } = await import('./sqlite-orm.ts')
    return openSqliteOrm(options, path, { writer, commits })
  })
  const tx = statements(writer, path)
  const unit = async <T>(work: () => Promise<T>): Promise<T> => {
    await commits.enter()
    let durable: Promise<void>
    let result: T
    try {
      commits.begin()
      result = await work()
      durable = commits.commit()
    } catch (error) {
      commits.rollback()
      commits.leave()
      throw explain(error, path)
    }
    await durable.catch((error: unknown) => {
      throw explain(error, path)
    })
    return result
  }
  const db: Database = {
    dialect: 'sqlite',
    migrations: options.migrations.map(({ name }) => name),
    orm: orm.get,
    sql: statements(reader, path),
    write: (work) => unit(() => work(tx)),
    add: (row) => unit(() => insertRows(tx, [row])),
    async unitOfWork(scope, work) {
      const em = forkFor(await orm.get(), scope, 'sqlite')
      return unit(async () => {
        const transaction = new SqliteTransaction(writer)
        em.setTransactionContext(transaction)
        try {
          const result = await work(em, tx)
          if (!isFlushed(em)) await em.flush()
          return result
        } finally {
          transaction.end()
          em.resetTransactionContext()
        }
      })
    },
    async flush(em, inside, rows) {
      await em.flush()
      await insertRows(inside, rows)
      markFlushed(em)
    },
    async listen(channel, listener) {
      const set = listeners.get(channel) ?? new Set()
      listeners.set(channel, set.add(listener))
      return async () => void set.delete(listener)
    },
    async notify(_tx, channel, payload) {
      commits.notify(channel, payload)
    },
    async ping() {
      reader.prepare('select 1 from sqlite_master limit 1').get()
    },
    async close() {
      await commits.enter()
      commits.flush()
      // The reader first: only the last connection, and only one that may write, folds the log into the file.
      reader.close()
      if (writer.open) foldLog(writer, options)
      await orm.close((opened) => opened.close(true))
      if (writer.open) writer.close()
      commits.leave()
      leave()
    },
  }
  return db
}

/**
 * The writers' queue of one file. Every instance of this process that has the file open shares it: waiting for each
 * other's lock inside the driver would stop the loop that has to let it go.
 */
const queues = new Map<string, { queue: WriteQueue; members: number }>()

function joinQueue(path: string): { queue: WriteQueue; leave: () => void } {
  const file = resolve(path)
  const joined = queues.get(file) ?? { queue: new WriteQueue(), members: 0 }
  joined.members += 1
  queues.set(file, joined)
  const leave = () => {
    joined.members -= 1
    if (joined.members === 0) queues.delete(file)
  }
  return { queue: joined.queue, leave }
}

/** What does not find room in the file on a full or broken disk stays in the log, and is read with it by the next one. */
function foldLog(handle: Handle, { log, url }: DatabaseOptions): void {
  try {
    handle.pragma('wal_checkpoint(TRUNCATE)')
  } catch (error) {
    log.warn('the write-ahead log could not be folded into the database; keep both files', { error, url })
  }
}

function openHandle(path: string, options: DatabaseOptions, readonly = false): Handle {
  try {
    if (!readonly && path !== ':memory:') makePrivate(path)
    const handle = new BetterSqlite(path, { readonly, timeout: 5_000 })
    handle.pragma(`cache_size = -${readonly ? kept.byReader : kept.byWriter}`)
    if (!readonly) {
      handle.pragma('journal_mode = WAL')
      handle.pragma(`synchronous = ${options.synchronous === 'off' ? 'OFF' : 'FULL'}`)
      handle.pragma('foreign_keys = ON')
    }
    handle.prepare('select count(*) from sqlite_master').get()
    return handle
  } catch (error) {
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

function statements(handle: Handle, path: string): Sql {
  const prepare = preparedOn(handle)
  const perform = async <T>(text: string, work: (found: BetterSqlite.Statement) => T): Promise<T> => {
    try {
      return work(prepare(text))
    } catch (error) {
      throw explain(error, path)
    }
  }
  return {
    all: (text, params = []) => perform(text, (found) => found.all(params.map(bind)) as never),
    get: (text, params = []) => perform(text, (found) => found.get(params.map(bind)) as never),
    run: (text, params = []) => perform(text, (found) => found.run(params.map(bind)).changes),
  }
}

/** Turns the driver's own faults into one sentence with the remedy; anything else passes unchanged. */
export function explain(error: unknown, path: string): unknown {
  const code = (error as { code?: string }).code ?? ''
  const say = (sentence: string) => new DatabaseError(sentence, { cause: error })
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return say(`The database ${path} is locked by another program. Close that program and try again.`)
  }
  if (code.startsWith('SQLITE_FULL')) {
    return say(`The disk that holds ${path} is full; nothing was written. Free some space and try again.`)
  }
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT')) {
    return say(
      `The file ${path} is damaged or no SQLite database. Restore it from a backup, or name another file.`,
    )
  }
  if (code.startsWith('SQLITE_CANTOPEN')) {
    return say(`The database ${path} cannot be opened. Check that the path is a file you may read and write.`)
  }
  if (code.startsWith('SQLITE_READONLY')) {
    return say(
      `The database ${path} is read-only. Give this user the right to write the file and its folder.`,
    )
  }
  if (code.startsWith('SQLITE_IOERR')) {
    return say(
      `The disk failed while reading or writing ${path} (${code}). Check the disk and its free space.`,
    )
  }
  return error
}
