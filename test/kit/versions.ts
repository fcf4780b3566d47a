import { createIds, createSystemClock } from '../../packages/core/src/platform/clock.ts'
import { sha256Hex } from '../../packages/core/src/platform/crypto/hash.ts'
import type { Database, SqlValue } from '../../packages/core/src/platform/database/database.ts'

const newId = createIds(createSystemClock())

type Row = Record<string, SqlValue>

/** Puts a newer version of a text into the database, as an edit would have left it; also one of a piece that is finished. */
export async function addVersion(
  db: Database,
  { activityId, text, isApproved, now }: { activityId: string; text: string; isApproved: boolean; now: Date },
): Promise<void> {
  const one = (table: string, column: string, order: string) =>
    db.sql.get<Row>(`select * from ${table} where ${column} = ? order by ${order} limit 1`, [activityId])
  const former = await one('outputs', 'activity_id', 'version desc')
  const verdict = await one('approvals', 'content_of', 'id desc')
  const sha256 = sha256Hex(text)
  const [id, version] = [newId(), Number(former?.['version']) + 1]
  await db.write(async (tx) => {
    const insert = (table: string, row: Row) =>
      tx.run(
        `insert into ${table} (${Object.keys(row).join(', ')}) values (${Object.keys(row)
          .map(() => '?')
          .join(', ')})`,
        Object.values(row),
      )
    await insert('outputs', { ...former, id, version, text, sha256, checks: null, created_on: now })
    if (!isApproved) return
    const approved = { status: 'approved', resolution: 'approved', resolved_at: now, updated_on: now }
    await insert('approvals', { ...verdict, ...approved, id: newId(), output_id: id, content_hash: sha256 })
  })
}
