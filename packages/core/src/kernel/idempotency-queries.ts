import type { Database, Sql } from '../platform/database/database.ts'
import { count, flag, instant, nullable, type RowOf, select, text } from '../platform/database/read.ts'
import type { IdempotencyClaim } from './context.ts'

const kept = select({
  hash: text('body_hash'),
  committed: flag('committed'),
  claimedUntil: instant('claimed_until'),
  status: nullable(count('status')),
  response: nullable(text('response')),
})
export type KeptAnswer = RowOf<typeof kept>

/**
 * Claims a key unless it is there. A claim of the same request whose time is over and under which nothing was committed is taken over.
 * @param claim `isSame` tells whether a kept hash is that of this request, whichever key made it
 * @returns what is kept under it, or undefined when it is now claimed
 */
export async function claimKey(
  db: Database,
  { key, id }: IdempotencyClaim,
  claim: { hash: string; isSame(stored: string): boolean; now: Date; claimedUntil: Date; expiresAt: Date },
): Promise<KeptAnswer | undefined> {
  return db.write(async (tx) => {
    await tx.run('delete from idempotency_records where key = ? and expires_at <= ?', [key, claim.now])
    const taken = await tx.run(
      `insert into idempotency_records
         (key, body_hash, claimed_by, claimed_until, committed, status, response, expires_at)
       values (?, ?, ?, ?, false, null, null, ?) on conflict (key) do nothing`,
      [key, claim.hash, id, claim.claimedUntil, claim.expiresAt],
    )
    if (taken > 0) return undefined
    const found = await keptAnswer(tx, key)
    if (!found || found.claimedUntil > claim.now || !claim.isSame(found.hash)) return found
    const over = await tx.run(
      `update idempotency_records set claimed_by = ?, claimed_until = ?
       where key = ? and not committed and status is null and claimed_until <= ?`,
      [id, claim.claimedUntil, key, claim.now],
    )
    return over > 0 ? undefined : keptAnswer(tx, key)
  })
}

function keptAnswer(tx: Sql, key: string): Promise<KeptAnswer | undefined> {
  return kept.get(tx, 'from idempotency_records where key = ?', [key])
}

/** Marks, in the act's own transaction, that it is done. @returns false when another request has taken the key over */
export async function commitClaim(tx: Sql, { key, id }: IdempotencyClaim): Promise<boolean> {
  const held = 'update idempotency_records set committed = true where key = ? and claimed_by = ?'
  return (await tx.run(held, [key, id])) > 0
}

export async function completeClaim(
  db: Database,
  { key, id }: IdempotencyClaim,
  status: number,
  response: string,
): Promise<void> {
  await db.write((tx) =>
    tx.run('update idempotency_records set status = ?, response = ? where key = ? and claimed_by = ?', [
      status,
      response,
      key,
      id,
    ]),
  )
}

export async function dropClaim(db: Database, { key, id }: IdempotencyClaim): Promise<void> {
  await db.write((tx) =>
    tx.run(
      'delete from idempotency_records where key = ? and claimed_by = ? and not committed and status is null',
      [key, id],
    ),
  )
}

/** Forgets answers that no one may ask for any more. @returns how many */
export function deleteExpired(tx: Sql, now: Date): Promise<number> {
  return tx.run('delete from idempotency_records where expires_at <= ?', [now])
}

const sealed = select({ key: text('key'), response: text('response') })

/** Sealed answers in the order of their keys. */
export function encryptedAnswers(
  sql: Sql,
  after: string,
  limit: number,
): Promise<Array<RowOf<typeof sealed>>> {
  return sealed.all(
    sql,
    'from idempotency_records where key > ? and response is not null order by key limit ?',
    [after, limit],
  )
}

/** Puts a newly sealed answer in the place of the old one, unless that is another by now. */
export function replaceEncryptedAnswer(tx: Sql, key: string, before: string, after: string): Promise<number> {
  return tx.run('update idempotency_records set response = ? where key = ? and response = ?', [
    after,
    key,
    before,
  ])
}
