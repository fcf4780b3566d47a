import type { Sql } from '../platform/database/database.ts'
import { select, table } from '../platform/database/read.ts'
import { CalendarSlot } from './entities.ts'

const s = table(CalendarSlot, 's')
const taken = select({ slot: s.slot })

/** The last slot of a job of the calendar that was taken; undefined for a job that is new here. */
export async function lastSlot(sql: Sql, kind: string): Promise<Date | undefined> {
  return (await taken.get(sql, `from ${s} where ${s.kind} = ?`, [kind]))?.slot
}

/** Takes a slot of a job of the calendar. @returns false when it, or a later one, was taken before */
export async function takeSlot(tx: Sql, kind: string, slot: Date): Promise<boolean> {
  const changed = await tx.run(
    `insert into calendar_slots (kind, slot) values (?, ?)
     on conflict (kind) do update set slot = excluded.slot where calendar_slots.slot < excluded.slot`,
    [kind, slot],
  )
  return changed > 0
}
