/** What platforms count of an account as a whole on a day: a page, or a place on a map. None of them counts everything. */
export const accountFigureNames = [
  'views',
  'reach',
  'engagements',
  'newFollowers',
  'followers',
  'websiteClicks',
  'calls',
  'directions',
] as const
export type AccountFigureName = (typeof accountFigureNames)[number]

/** Of an account on a day (`YYYY-MM-DD`) of the platform's own calendar; what it does not count is left out. */
export interface DayOfAccount {
  day: string
  figures: Partial<Record<AccountFigureName, number>>
}
