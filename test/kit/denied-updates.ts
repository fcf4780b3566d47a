import type { Database } from '../../packages/core/src/platform/database/database.ts'

/**
 * Has the database refuse updates of a table, as one does that fails at that moment.
 * @param condition of the updates that are refused, in SQL that both databases know
 * @returns what lets them through again
 */
export async function denyUpdates(
  db: Database,
  table: string,
  condition: string,
): Promise<() => Promise<void>> {
  const event = `before update on ${table} for each row when (${condition})`
  const isSqlite = db.dialect === 'sqlite'
  await db.write(async (tx) => {
    if (isSqlite)
      return void (await tx.run(
        `create trigger deny_updates ${event} begin select raise(abort, 'denied'); end`,
      ))
    await tx.run(
      `create function deny_updates() returns trigger language plpgsql as $$ begin raise exception 'denied'; end $$`,
    )
    await tx.run(`create trigger deny_updates ${event} execute function deny_updates()`)
  })
  const allow = isSqlite ? 'drop trigger deny_updates' : 'drop function deny_updates cascade'
  return () => db.write(async (tx) => void (await tx.run(allow)))
}
