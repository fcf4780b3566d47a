import type { Ctx } from '../../../../kernel/context.ts'
import { within } from '../../../../kernel/scope.ts'
import type { Sql } from '../../../../platform/database/database.ts'
import { pick, type RowOf, select, table } from '../../../../platform/database/read.ts'
import { Run, RunDelta } from '../entities.ts'
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

const d = table(RunDelta, 'd')
const batch = select(pick(d, 'runId', 'attempt', 'position', 'text'))
const from = `from ${d} where d.run_id = ? and d.attempt = ? and d.position >= ?`

/** The stored text of one attempt from a batch's position on. The caller has checked that it may see the run. */
export async function readText(sql: Sql, runId: string, attempt: number, position: number): Promise<string> {
  const rows = await batch.all(sql, `${from} order by d.position`, [runId, attempt, position])
  return rows.map(({ text }) => text).join('')
}

/** The stored text of several attempts, each from a batch's position on. The caller looks for the watchers of each. */
export async function readTexts(sql: Sql, places: readonly Omit<TextDelta, 'text'>[]): Promise<TextDelta[]> {
  if (places.length === 0) return []
  const one = `select ${batch.columns} ${from}`
  const rows = await batch.allOf(
    sql,
    // Joined by `or`, PostgreSQL reads the whole table for it.
    `${places.map(() => one).join(' union all ')} order by "runId", "attempt", "position"`,
    places.flatMap(({ runId, attempt, position }) => [runId, attempt, position]),
  )
  const texts = new Map<string, string>()
  for (const row of rows) {
    const key = keyOf(row)
    texts.set(key, (texts.get(key) ?? '') + row.text)
  }
  return places.map((place) => ({ ...place, text: texts.get(keyOf(place)) ?? '' }))
}

const r = table(Run, 'r')

/** A run as someone sees it who follows its text. */
const watched = select({
  ...pick(r, 'tenantId', 'activityId', 'attempt'),
  /** Attempts up to this one are fenced off. */
  ...pick(r, 'fence', 'open', 'status', 'error', 'inputTokens', 'outputTokens', 'deadline'),
})
export type WatchedRun = RowOf<typeof watched>

export function watchedRun(ctx: Ctx, runId: string): Promise<WatchedRun | undefined> {
  const scope = within(ctx.scope, 'r.tenant_id')
  return watched.get(ctx.sql, `from ${r} where r.id = ? and ${scope.sql}`, [runId, ...scope.params])
}
