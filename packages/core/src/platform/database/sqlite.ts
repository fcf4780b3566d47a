import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type BetterSqlite from 'better-sqlite3'
import { type Database, DatabaseError, type DatabaseOptions, type Sql } from './database.ts'
import { openedLater } from './discovery.ts'
import { insertRows } from './new-rows.ts'
import { forkFor, isFlushed, markFlushed } from './scope.ts'
import { SharedCommits } from './sqlite-commits.ts'
import { explain } from './sqlite-faults.ts'
import { busyMs, foldLog, joinFile, logOf, openHandle } from './sqlite-files.ts'
import { bind, preparedOn } from './sqlite-statements.ts'
import { WriteThread } from './sqlite-thread.ts'
import { type Execute, executeOn, SqliteTransaction } from './sqlite-transaction.ts'
import { loadVectors } from './sqlite-vectors.ts'

type Handle = BetterSqlite.Database

/**
 * SQLite in WAL mode: one connection that writes, one that reads committed data, which is durable. All writers of this process wait in
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
  const { queue, readers, leave } = joinFile(path)
  const listeners = new Map<string, Set<(payload: string) => void>>()
  const writer = openHandle(path, options)
  const synchronous = options.synchronous === 'off' ? 'OFF' : 'NORMAL'
  const thread = new WriteThread({ path, synchronous, timeout: busyMs })
  const log = logOf(path, options, writer, readers, thread)
  const deliver = (notices: ReadonlyArray<readonly [string, string]>) => {
    for (const [channel, payload] of notices)
      for (const listener of listeners.get(channel) ?? []) listener(payload)
  }
  const commits = new SharedCommits(writer, queue, deliver, log)
  const reader = openHandle(path, options, true)
  readers.add(reader)
  const orm = openedLater(async () => {
    const { openSqliteOrm } = await import('./sqlite-orm.ts')
    return openSqliteOrm(options, path, { writer, commits })
  })
  const vectors = openedLater(() => loadVectors(reader, options.log))
  const tx = statements(writer, path)
  const execute = executeOn(writer)
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
    async unitOfWork(scope, work, { inThread = false } = {}) {
      const em = forkFor(await orm.get(), scope, 'sqlite')
      const perform = async (execute: Execute, inside: Sql) => {
        const transaction = new SqliteTransaction(execute)
        em.setTransactionContext(transaction)
        try {
          const result = await work(em, inside)
          if (!isFlushed(em)) await em.flush()
          return result
        } finally {
          transaction.end()
          em.resetTransactionContext()
        }
      }
      if (!inThread) return unit(() => perform(execute, tx))
      const inside = () => {
        const statements = thread.statements()
        return perform(statements.execute, statements.sql)
      }
      return commits.apart(thread, inside).catch((error: unknown) => {
        throw explain(error, path)
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
    vectors: vectors.get,
    async ping() {
      try {
        commits.check()
      } catch (error) {
        throw explain(error, path)
      }
      reader.prepare('select 1 from sqlite_master limit 1').get()
    },
    async close() {
      await commits.enter()
      await commits.flush()
      readers.delete(reader)
      await thread.close()
      // The reader first: only the last connection, and only one that may write, folds the log into the file.
      reader.close()
      if (writer.open) foldLog(writer, options)
      await orm.close((opened) => opened.close(true))
      if (writer.open) writer.close()
      log?.close()
      commits.leave()
      leave()
    },
  }
  return db
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
