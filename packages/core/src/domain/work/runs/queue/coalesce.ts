import type { Wake, WakeNote, WakeReason } from '../entities.ts'

/** A comment is no reason beside another one, and what a reviewer wants changed stands above the rest. */
function weightOf(reason: WakeReason): number {
  if (reason === 'mention') return 0
  return reason === 'review_feedback' || reason === 'rejection' ? 2 : 1
}

/** Makes one wake of two, in the order in which they came: nothing that either says is lost while it is not too much. */
export function coalesce(first: Wake | null | undefined, second: Wake): Wake {
  if (!first) return second
  const reason = weightOf(second.reason) < weightOf(first.reason) ? first.reason : second.reason
  return { reason, note: mergeNotes(first.note, second.note) }
}

/** What both notes say, field by field; of what is too much for an agent the latest. */
export function mergeNotes(first: WakeNote = {}, second: WakeNote = {}): WakeNote {
  const merged = { ...first }
  for (const [key, text] of Object.entries(second) as Array<[keyof WakeNote, string]>) {
    const known = merged[key]
    merged[key] = known && text && known !== text ? joined(known, text, mostOf[key]) : text || known || ''
  }
  return merged
}

/**
 * Characters of each field that are kept while an activity waits. Anyone may comment for as long as it does; each comment writes all of
 * them again, and no agent reads more.
 */
const mostOf: Readonly<Record<keyof WakeNote, number>> = {
  rejectionNote: 50_000,
  reviewerFeedback: 50_000,
  selectedOption: 5_000,
  subtaskOutput: 1_000_000,
  comment: 50_000,
}

const leftOut = '[What was said before this is left out here: it is too long.]\n\n'

function joined(known: string, text: string, most: number): string {
  const whole = `${known}\n\n${text}`
  if (whole.length <= most) return whole
  return `${leftOut}${whole.slice(leftOut.length - most).replace(/^[\uDC00-\uDFFF]/, '')}`
}
