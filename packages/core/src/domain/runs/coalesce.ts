import type { Wake, WakeNote, WakeReason } from './entities.ts'

/** A comment is no reason beside another one, and what a reviewer wants changed stands above the rest. */
function weightOf(reason: WakeReason): number {
  if (reason === 'mention') return 0
  return reason === 'review_feedback' || reason === 'rejection' ? 2 : 1
}

/** Makes one wake of two, in the order in which they came: nothing that either says is lost. */
export function coalesce(first: Wake | null | undefined, second: Wake): Wake {
  if (!first) return second
  const reason = weightOf(second.reason) < weightOf(first.reason) ? first.reason : second.reason
  return { reason, note: mergeNotes(first.note, second.note) }
}

/** What both notes say, field by field. */
export function mergeNotes(first: WakeNote = {}, second: WakeNote = {}): WakeNote {
  const merged = { ...first }
  for (const [key, text] of Object.entries(second) as Array<[keyof WakeNote, string]>) {
    const known = merged[key]
    merged[key] = known && text && known !== text ? `${known}\n\n${text}` : text || known || ''
  }
  return merged
}
