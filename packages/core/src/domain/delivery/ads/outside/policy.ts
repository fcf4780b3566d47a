import type { ChangeItem, ItemState } from '../changes/entities.ts'
import type { PlatformEvent, PlatformEventPart } from '../platform.ts'

/** A change set as far as it tells which events of a platform are its own. */
export interface OwnSet {
  items: readonly ChangeItem[]
  approvedOn: Date | null
  /** When it has ended; null while it is on its way. */
  endedOn: Date | null
}

/** Clocks are not the same everywhere, and platforms write down a moment later what they have done, milliseconds. */
const earlyMs = 60_000
const lateMs = 5 * 60_000

/** Of an item that was not sent to the platform. */
const unsent: ReadonlySet<ItemState> = new Set(['refused', 'rejected', 'drifted'])

/** Whether an event is what one of our sets has done: by what was changed, to which value, and when. */
export function isOwn({ at, mayBeOurs, parts }: PlatformEvent, sets: readonly OwnSet[]): boolean {
  if (!mayBeOurs || parts.length === 0) return false
  const time = at.getTime()
  return sets.some(
    ({ items, approvedOn, endedOn }) =>
      approvedOn !== null &&
      time >= approvedOn.getTime() - earlyMs &&
      (endedOn === null || time <= endedOn.getTime() + lateMs) &&
      parts.every((part) => items.some((item) => !unsent.has(item.state) && isSame(item, part))),
  )
}

function isSame(item: ChangeItem, { kind, groupId, externalId, keyword, after, isTold }: PlatformEventPart) {
  if (item.kind !== kind || (isTold && item.after !== after)) return false
  if (kind === 'daily_budget' || kind === 'campaign_status') return true
  if (kind === 'ad') return item.externalId === externalId
  if (item.groupId !== groupId) return false
  if (item.externalId !== null && item.externalId === externalId) return true
  return (
    kind === 'negative_keyword' &&
    keyword !== null &&
    item.text?.toLowerCase() === keyword.text.toLowerCase() &&
    item.matchType === keyword.matchType.toLowerCase()
  )
}
