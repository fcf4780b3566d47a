import type { Database, Sql, SqlValue } from '../../packages/core/src/platform/database/database.ts'
import { insertRows } from '../../packages/core/src/platform/database/new-rows.ts'
import type { NewEvent } from '../../packages/core/src/platform/events/events.ts'
import { eventRows, eventsChannel, numberEvents } from '../../packages/core/src/platform/events/queries.ts'

/** For statements on `event`: everything that was committed before has its number, as it would have a moment later. */
export async function settled(db: Database): Promise<Sql> {
  while (db.dialect === 'postgresql') {
    const { numbered, last } = await numberEvents(db.sql, 1_000)
    if (numbered === 0) break
    await db.notify(db.sql, eventsChannel, String(last))
  }
  return db.sql
}

/** A database whose statements on `event` see all that was committed before. */
export function settling(db: Database): Database {
  const on =
    <T>(perform: (text: string, params?: readonly SqlValue[]) => Promise<T>) =>
    async (text: string, params?: readonly SqlValue[]): Promise<T> => {
      if (/\bevent\b/.test(text)) await settled(db)
      return perform(text, params)
    }
  const { all, get, run } = db.sql
  return { ...db, sql: { all: on(all) as Sql['all'], get: on(get) as Sql['get'], run: on(run) } }
}

/** Inserts events as a process does that dies before it can tell anyone. */
export function insertUntold(db: Database, at: Date, ...events: NewEvent[]): Promise<void> {
  return db.write((tx) => insertRows(tx, eventRows(db.dialect, events, at)))
}
