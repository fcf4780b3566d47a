import type { ChangeItem, ChangeValue } from './entities.ts'

/** An item before the platform was asked, with our row of its ad group. */
export interface Draft {
  item: ChangeItem
  /** Of ours. */
  adGroupId: string | null
  /** Of an undo: what the platform must have. */
  expected?: ChangeValue
}

/** What an item has before anything is known of it. */
export const blank = {
  subjectId: null,
  groupId: null,
  externalId: null,
  text: null,
  matchType: null,
  before: null,
  state: 'planned',
  reason: null,
  live: null,
} as const
