import type { Row, Sql } from '../../platform/database/database.ts'
import { asNumber } from '../../platform/database/row.ts'
import { keyOf, type TextDelta } from './delta.ts'

/** Stores batches of text. One that is there already was stored by a try that did not hear of its success. */
export async function writeBatches(tx: Sql, batches: readonly TextDelta[], at: Date): Promise<void> {
  const rows = batches.map(() => '(?, ?, ?, ?, ?, ?)').join(', ')
  await tx.run(
    `insert into run_deltas (run_id, attempt, position, tenant_id, text, created_on) values ${rows}
     on conflict (run_id, attempt, position) do update set text = excluded.text
       where length(excluded.text) > length(run_deltas.text)`,
    batches.flatMap((batch) => [batch.runId, batch.attempt, batch.position, batch.tenantId, batch.text, at]),
  )
}

/** The stored text of one attempt from a batch's position on. The caller has checked that it may see the run. */
export async function readText(sql: Sql, runId: string, attempt: number, position: number): Promise<string> {
  const rows = await sql.all<Row>(
    'select text from run_deltas where run_id = ? and attempt = ? and position >= ? order by position',
    [runId, attempt, position],
  )
  return rows.map((row) => row.text as string).join('')
}

/** The stored text of several attempts, each from a batch's position on. The caller looks for the watchers of each. */
export async function readTexts(sql: Sql, places: readonly Omit<TextDelta, 'text'>[]): Promise<TextDelta[]> {
  if (places.length === 0) return []
  const one =
    'select run_id, attempt, position, text from run_deltas where run_id = ? and attempt = ? and position >= ?'
  const rows = await sql.all<Row>(
    // Joined by `or`, PostgreSQL reads the whole table for it.
    `${places.map(() => one).join(' union all ')} order by run_id, attempt, position`,
    places.flatMap(({ runId, attempt, position }) => [runId, attempt, position]),
  )
  const texts = new Map<string, string>()
  for (const row of rows) {
    const key = keyOf({ runId: row.run_id as string, attempt: asNumber(row.attempt) })
    texts.set(key, (texts.get(key) ?? '') + (row.text as string))
  }
  return places.map((place) => ({ ...place, text: texts.get(keyOf(place)) ?? '' }))
}
