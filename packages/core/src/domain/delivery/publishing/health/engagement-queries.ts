import type { Ctx } from '../../../../kernel/context.ts'
import { equals, where } from '../../../../kernel/paging-queries.ts'
import { within } from '../../../../kernel/scope.ts'
import { count, flag, nullable, select, text } from '../../../../platform/database/read.ts'
import { compareEngagement, type Engagement, engagementDays, type PostSums } from './engagement.ts'

const sum = (sql: string) => nullable(count(`sum(${sql})`))
const answers = ['reactions', 'comments', 'shares', 'clicks', 'opens'].map((name) => `m.${name}`)

const sums = select({
  channelId: text('p.channel_id'),
  isRecent: flag('case when p.published_at >= ? then 1 else 0 end'),
  posts: count('count(*)'),
  responses: sum(
    `case when coalesce(${answers.join(', ')}) is null then null else ${answers.map((name) => `coalesce(${name}, 0)`).join(' + ')} end`,
  ),
  impressions: sum('m.impressions'),
  deliveries: sum('m.deliveries'),
})

const none: PostSums = { posts: 0, responses: null, impressions: null, deliveries: null }
const daysAgo = ({ clock }: Ctx, days: number) => new Date(clock.now() - days * 86_400_000)

/** How the posts of a tenant's channels, or of one of them, are answered, by the channel; those with too few posts are left out. */
export async function engagementOf(ctx: Ctx, channelId?: string): Promise<ReadonlyMap<string, Engagement>> {
  const turn = daysAgo(ctx, engagementDays.recent)
  const condition = where(
    within(ctx.scope, 'p.tenant_id'),
    {
      sql: `p.status = 'published' and p.published_at >= ? and p.published_at < ?`,
      params: [daysAgo(ctx, engagementDays.usual), daysAgo(ctx, engagementDays.settled)],
    },
    equals('p.channel_id', channelId),
  )
  const rows = await sums.all(
    ctx.sql,
    `from publications p join publication_metrics m on m.publication_id = p.id
       and m.day = (select max(x.day) from publication_metrics x where x.publication_id = p.id)
     where ${condition.sql} group by 1, 2`,
    [turn, ...condition.params],
  )
  const found = new Map<string, Engagement>()
  for (const { channelId: id, isRecent, ...recent } of rows) {
    if (!isRecent) continue
    const usual = rows.find((row) => row.channelId === id && !row.isRecent) ?? none
    const engagement = compareEngagement(recent, usual)
    if (engagement) found.set(id, engagement)
  }
  return found
}
