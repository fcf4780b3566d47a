import type { Sql } from '../../platform/database/database.ts'
import { placeholders } from '../../platform/database/row.ts'

/**
 * Whether an account was proved from a network since an instant. An e-mail without an account is asked for in the same way, so that the time tells
 * nothing.
 * @param email in lower case
 * @param networks the keyed hashes of one network
 */
export async function isKnownNetwork(
  sql: Sql,
  email: string,
  networks: readonly string[],
  since: Date,
): Promise<boolean> {
  const found = await sql.get(
    `select 1 as one from users u join known_logins k on k.user_id = u.id
     where u.email = ? and k.network in (${placeholders(networks)}) and k.used_on >= ?`,
    [email, ...networks, since],
  )
  return found !== undefined
}

/** Notes that an account was proved from a network. */
export async function noteNetwork(tx: Sql, userId: string, network: string, at: Date): Promise<void> {
  await tx.run(
    `insert into known_logins (user_id, network, used_on) values (?, ?, ?)
     on conflict (user_id, network) do update set used_on = excluded.used_on`,
    [userId, network, at],
  )
}

/** Forgets from where an account was proved. */
export async function forgetNetworks(tx: Sql, userId: string): Promise<void> {
  await tx.run('delete from known_logins where user_id = ?', [userId])
}
