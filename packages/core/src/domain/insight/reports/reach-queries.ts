import type { Ctx } from '../../../kernel/context.ts'
import { type Condition, where } from '../../../kernel/paging-queries.ts'
import { addDays } from '../../../kernel/periods.ts'
import { within } from '../../../kernel/scope.ts'
import { placeholders } from '../../../platform/database/database.ts'
import { count, nullable, select } from '../../../platform/database/read.ts'
import type { FiguresQuery } from './figures-queries.ts'
import type { Reach } from './reach.ts'

const sum = (sql: string) => nullable(count(`sum(${sql})`))
/** What none of several figures says is not zero. */
const together = (...names: string[]) =>
  sum(
    `case when coalesce(${names.join(', ')}) is null then null else ${names.map((name) => `coalesce(${name}, 0)`).join(' + ')} end`,
  )

const posts = select({
  published: count('count(*)'),
  impressions: sum('m.impressions'),
  responses: together('m.reactions', 'm.comments', 'm.shares'),
  clicks: sum('m.clicks'),
  deliveries: sum('m.deliveries'),
  opens: sum('m.opens'),
})
const website = select({
  views: sum('w.views'),
  sessions: sum('w.sessions'),
  keyEvents: sum('w.key_events'),
  searchImpressions: sum('w.search_impressions'),
  searchClicks: sum('w.search_clicks'),
})

const ofPages = (name: string) => sum(`case when n.type = 'social_network_a' then d.${name} end`)
const ofPlaces = (name: string) => sum(`case when n.type = 'business_profile' then d.${name} end`)
const accounts = select({
  pageViews: ofPages('views'),
  engagements: ofPages('engagements'),
  newFollowers: ofPages('new_followers'),
  placeViews: ofPlaces('views'),
  websiteClicks: ofPlaces('website_clicks'),
  calls: ofPlaces('calls'),
  directions: ofPlaces('directions'),
})

/**
 * What became of the pieces that went out in the time, until now, and of the website on its days. Of some campaigns it is their pages
 * that are counted, not the whole website, and nothing of pages and places as a whole.
 */
export async function reachOfPeriod(
  ctx: Ctx,
  asked: FiguresQuery & { periodStart: string; periodEnd: string },
): Promise<Reach> {
  const { tenantId, from, until, campaignIds, periodStart, periodEnd } = asked
  const out = where(
    within(ctx.scope, 'p.tenant_id'),
    {
      sql: `p.tenant_id = ? and p.status = 'published' and p.published_at >= ? and p.published_at < ?`,
      params: [tenantId, from, until],
    },
    ofCampaigns('p.activity_id', campaignIds),
  )
  const days = where(
    within(ctx.scope, 'w.tenant_id'),
    {
      sql: 'w.tenant_id = ? and w.day >= ? and w.day < ?',
      params: [tenantId, periodStart, addDays(periodEnd, 1)],
    },
    pagesOf(campaignIds),
  )
  const [post] = await posts.all(
    ctx.sql,
    `from publications p left join publication_metrics m on m.publication_id = p.id
       and m.day = (select max(x.day) from publication_metrics x where x.publication_id = p.id)
     where ${out.sql}`,
    out.params,
  )
  const [site] = await website.all(ctx.sql, `from website_days w where ${days.sql}`, days.params)
  if (campaignIds.length > 0) return { published: 0, ...post, ...site }
  const scope = within(ctx.scope, 'd.tenant_id')
  const [account] = await accounts.all(
    ctx.sql,
    `from account_days d join channel_connections n on n.id = d.channel_id
     where d.tenant_id = ? and d.day >= ? and d.day < ? and ${scope.sql}`,
    [tenantId, periodStart, addDays(periodEnd, 1), ...scope.params],
  )
  return { published: 0, ...post, ...site, ...account }
}

const ofCampaigns = (column: string, campaignIds: readonly string[]): Condition | undefined =>
  campaignIds.length === 0
    ? undefined
    : {
        sql: `${column} in (select a.id from activities a where a.campaign_id in (${placeholders(campaignIds)}))`,
        params: [...campaignIds],
      }

/** The rows of pages; those of the whole website where no campaign is named. */
function pagesOf(campaignIds: readonly string[]): Condition {
  const pages = ofCampaigns('p.activity_id', campaignIds)
  return pages
    ? {
        sql: `w.publication_id in (select p.id from publications p where ${pages.sql})`,
        params: pages.params,
      }
    : { sql: `w.publication_id = ''`, params: [] }
}
