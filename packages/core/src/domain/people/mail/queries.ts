import type { Sql } from '../../../platform/database/database.ts'

/**
 * Counts one mail unless as many have gone out on that day already. Of two at the same moment, the second waits for the first.
 * @param scope tenant id, or `all`
 * @returns false when the limit is reached
 */
export async function countOutsideMail(tx: Sql, day: string, scope: string, limit: number): Promise<boolean> {
  if (limit < 1) return false
  const counted = await tx.run(
    `insert into outside_mail_counts as c (day, scope, mails) values (?, ?, 1)
     on conflict (day, scope) do update set mails = c.mails + 1 where c.mails < ?`,
    [day, scope, limit],
  )
  return counted > 0
}

/** Forgets what was counted before a day. @returns how many counts */
export function deleteCountsBefore(tx: Sql, day: string): Promise<number> {
  return tx.run('delete from outside_mail_counts where day < ?', [day])
}
