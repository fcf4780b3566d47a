/** What platforms count of a post; none of them counts everything. */
export const figureNames = [
  'impressions',
  'reach',
  'reactions',
  'comments',
  'shares',
  'clicks',
  'deliveries',
  'opens',
  'unsubscribes',
] as const
export type FigureName = (typeof figureNames)[number]

/** The totals of a post so far; what the platform does not count, or did not say, is left out. */
export type PostFigures = Partial<Record<FigureName, number>>
