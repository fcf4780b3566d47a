import type { Ctx } from '../../../../kernel/context.ts'
import { where } from '../../../../kernel/paging-queries.ts'
import { within } from '../../../../kernel/scope.ts'
import { count, nullable, select } from '../../../../platform/database/read.ts'
import { compareEngagement, type Engagement, engagementDays, type PostSums } from './engagement.ts'

const sum = (sql: string) => nullable(count(`sum(${sql})`))
const answers = ['reactions', 'comments', 'shares', 'clicks', 'opens'].map((name) => `m.${name}`)

const sums = select({
  posts: count('count(*)'),
  responses: sum(
    `case when coalesce(${answers.join(', ')}) is null then null else ${answers.map((name) => `coalesce(${name}, 0)`).join(' + ')} end`,
  ),
  impressions: sum('m.impressions'),
  deliveries: sum('m.deliveries'),
})

/** Of a time so many posts are looked at, the latest. */
const mostPosts = 300

const daysAgo = ({ clock }: Ctx, days: number) => new Date(clock.now() - days * 86_400_000)

/** How the posts of a channel are answered; undefined where there are too few, or nothing is counted. */
export async function engagementOf(ctx: Ctx, channelId: string): Promise<Engagement | undefined> {
  const { usual, recent, settled } = engagementDays
  const now = await sumsOf(ctx, channelId, daysAgo(ctx, recent), daysAgo(ctx, settled))
  const before = now && (await sumsOf(ctx, channelId, daysAgo(ctx, usual), daysAgo(ctx, recent)))
  return now && before && compareEngagement(now, before)
}

/** What became of the posts that went out from an instant until before another. */
function sumsOf(ctx: Ctx, channelId: string, from: Date, until: Date): Promise<PostSums | undefined> {
  const condition = where(within(ctx.scope, 'o.tenant_id'), {
    sql: `o.channel_id = ? and o.status = 'published' and o.published_at >= ? and o.published_at < ?`,
    params: [channelId, from, until],
  })
  return sums.get(
    ctx.sql,
    `from (select o.id from publications o where ${condition.sql} order by o.published_at desc limit ?) p
       join publication_metrics m on m.publication_id = p.id
         and m.day = (select max(x.day) from publication_metrics x where x.publication_id = p.id)`,
    [...condition.params, mostPosts],
  )
}
