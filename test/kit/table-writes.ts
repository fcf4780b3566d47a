import type { Database } from '../../packages/core/src/platform/database/database.ts'

/** How often each table was written to, rolled back writes included. */
export interface TableWrites {
  counts: ReadonlyMap<string, string>
  /** A transaction is under way: what it has written is counted, and cannot be seen yet. */
  isUnderWay: boolean
}

const prefix = 'writes_of_'

/**
 * Lets a PostgreSQL database count the writes to each of its tables, in sequences: those belong to no transaction, so that
 * nothing waits for the count of another.
 * @returns reads the counts
 */
export async function countWrites(
  db: Database,
  tables: readonly string[],
): Promise<() => Promise<TableWrites>> {
  await db.write(async (tx) => {
    await tx.run(`create or replace function count_write() returns trigger language plpgsql as
      $$ begin perform nextval(tg_argv[0]); return null; end $$`)
    for (const table of tables) {
      const sequence = `${prefix}${table}`
      await tx.run(`create sequence if not exists "${sequence}"`)
      await tx.run(`create or replace trigger count_write after insert or update or delete or truncate
        on "${table}" for each statement execute function count_write('${sequence}')`)
    }
  })
  return async () => {
    const rows = await db.sql.all<{ name: string; count: string; isOpen: boolean }>(
      `select sequencename as name, coalesce(last_value, 0)::text as count, (select exists(select from pg_stat_activity
         where datname = current_database() and backend_xid is not null)) as "isOpen"
       from pg_sequences where sequencename like '${prefix.replaceAll('_', '\\_')}%'`,
    )
    return {
      counts: new Map(rows.map(({ name, count }) => [name.slice(prefix.length), count])),
      isUnderWay: rows.some(({ isOpen }) => isOpen),
    }
  }
}
