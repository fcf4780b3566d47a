import type { Database, Row } from '../../platform/database/database.ts'

/** Claims a key unless it is there. @returns what is kept under it, or undefined when it is now claimed */
export async function claimKey(
  db: Database,
  claim: { key: string; hash: string; now: Date; expiresAt: Date },
): Promise<{ hash: string; status: number | null; response: string | null } | undefined> {
  return db.write(async (tx) => {
    await tx.run('delete from idempotency_records where expires_at <= ?', [claim.now])
    const added = await tx.run(
      'insert into idempotency_records (key, body_hash, status, response, expires_at) values (?, ?, null, null, ?) on conflict do nothing',
      [claim.key, claim.hash, claim.expiresAt],
    )
    if (added > 0) return undefined
    const row = await tx.get<Row>(
      'select body_hash, status, response from idempotency_records where key = ?',
      [claim.key],
    )
    return (
      row && {
        hash: row.body_hash as string,
        status: row.status as number | null,
        response: row.response as string | null,
      }
    )
  })
}

export async function completeKey(
  db: Database,
  key: string,
  status: number,
  response: string,
): Promise<void> {
  await db.write((tx) =>
    tx.run('update idempotency_records set status = ?, response = ? where key = ?', [status, response, key]),
  )
}

export async function dropKey(db: Database, key: string): Promise<void> {
  await db.write((tx) => tx.run('delete from idempotency_records where key = ? and status is null', [key]))
}
