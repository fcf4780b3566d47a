import type { Ctx } from '../../../../kernel/context.ts'
import { within } from '../../../../kernel/scope.ts'
import { placeholders } from '../../../../platform/database/database.ts'
import { count, nullable, select, text } from '../../../../platform/database/read.ts'
import type { CampaignReach } from '../../../work/campaigns/workflow/ports.ts'

const sum = (sql: string) => nullable(count(`sum(${sql})`))

const posts = select({
  campaignId: text('x.campaign_id'),
  engagements: sum(
    'case when coalesce(m.reactions, m.comments, m.shares) is null then null else coalesce(m.reactions, 0) + coalesce(m.comments, 0) + coalesce(m.shares, 0) end',
  ),
  // Where one of the two is not counted, the other says nothing about how many of how many.
  mails: sum('case when m.clicks is not null then m.deliveries end'),
  mailClicks: sum('case when m.deliveries is not null then m.clicks end'),
})
const pages = select({ campaignId: text('x.campaign_id'), searchClicks: sum('w.search_clicks') })

/** Publications that are out, with their pieces; the last two conditions are those of the index. */
const publications = `activities x join publications p on p.activity_id = x.id
  and p.status = 'published' and p.status <> 'cancelled' and p.status <> 'removed'`

/** What became of the pieces of some campaigns that are out, by campaign: the port `CampaignOutcomes`. */
export async function reachOfCampaigns(
  ctx: Ctx,
  campaignIds: readonly string[],
): Promise<ReadonlyMap<string, CampaignReach>> {
  const reach = new Map<string, CampaignReach>()
  if (campaignIds.length === 0) return reach
  const scope = within(ctx.scope, 'p.tenant_id')
  const ofCampaigns = `x.campaign_id in (${placeholders(campaignIds)}) and ${scope.sql} group by x.campaign_id`
  const params = [...campaignIds, ...scope.params]
  const counted = await posts.all(
    ctx.sql,
    `from ${publications} join publication_metrics m on m.publication_id = p.id
       and m.day = (select max(l.day) from publication_metrics l where l.publication_id = p.id)
     where ${ofCampaigns}`,
    params,
  )
  for (const { campaignId, ...figures } of counted) reach.set(campaignId, { ...figures, searchClicks: null })
  const found = await pages.all(
    ctx.sql,
    `from ${publications} join website_days w on w.publication_id = p.id where ${ofCampaigns}`,
    params,
  )
  for (const { campaignId, searchClicks } of found)
    reach.set(campaignId, { ...(reach.get(campaignId) ?? nothing), searchClicks })
  return reach
}

const nothing = { engagements: null, mails: null, mailClicks: null }
