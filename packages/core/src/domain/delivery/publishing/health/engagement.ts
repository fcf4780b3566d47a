/** What posts are set against: mails that were delivered, times that they were shown, or their number where a platform counts neither. */
export const engagementBases = ['deliveries', 'impressions', 'posts'] as const

/** Which posts are compared, by how many days ago they went out: they have had a week to be answered, `recent` ones for a month. */
export const engagementDays = { settled: 7, recent: 37, usual: 97 }
/** Fewer posts say nothing. */
const fewestPosts = 3

/** What became of the posts of a time. */
export interface PostSums {
  posts: number
  /** Reactions, comments, shares and clicks; of mails, opens and clicks. Null where nothing of it is counted. */
  responses: number | null
  impressions: number | null
  deliveries: number | null
}

/** How much people do with recent posts, and with those before. */
export interface Engagement {
  recent: number
  usual: number
  per: (typeof engagementBases)[number]
}

/** Compares the posts of a channel with its own earlier ones; undefined where there are too few, or nothing is counted. */
export function compareEngagement(recent: PostSums, usual: PostSums): Engagement | undefined {
  if (Math.min(recent.posts, usual.posts) < fewestPosts) return undefined
  if (recent.responses === null || usual.responses === null) return undefined
  const per = engagementBases.find((base) => (recent[base] ?? 0) > 0 && (usual[base] ?? 0) > 0)
  if (per === undefined || usual.responses === 0) return undefined
  const share = (responses: number, sums: PostSums) => responses / (sums[per] ?? 1)
  return { recent: share(recent.responses, recent), usual: share(usual.responses, usual), per }
}

/** 50 for as much as before, 100 for twice as much and more. */
export const engagementScore = ({ recent, usual }: Engagement): number =>
  Math.round(Math.min(100, (50 * recent) / usual))
