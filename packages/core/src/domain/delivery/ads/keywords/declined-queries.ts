import type { Ctx } from '../../../../kernel/context.ts'
import { placeholders } from '../../../../platform/database/database.ts'
import { like, pick, select, table } from '../../../../platform/database/read.ts'
import { CampaignRecommendation } from '../advice/entities.ts'
import { NegativeKeyword } from './entities.ts'

const n = table(NegativeKeyword, 'n')
const r = table(CampaignRecommendation, 'r')

const removed = select({ text: n.text, at: like(n.updatedOn, 'max(n.updated_on)') })

type Of = { campaignId: string; texts: readonly string[] }

/**
 * Which of these were exact negative keywords of the whole campaign until someone removed them, here or at the platform, and
 * when. One that never came to the platform is none of them.
 */
export async function removedNegatives(
  { sql }: Pick<Ctx, 'sql'>,
  { campaignId, texts }: Of,
): Promise<Map<string, Date>> {
  if (texts.length === 0) return new Map()
  const rows = await removed.all(
    sql,
    `from ${n} where n.campaign_id = ? and n.status = 'removed' and n.ad_group_id is null and n.match_type = 'exact'
       and n.external_criterion_id is not null and n.text in (${placeholders(texts)}) group by n.text`,
    [campaignId, ...texts],
  )
  return new Map(rows.map(({ text, at }) => [text, at]))
}

const skipped = select(pick(r, 'changes', 'updatedOn'))
/** The latest recommendations that are looked at: about the last two years of a campaign. */
const mostSkipped = 500

/** When people have last declined these as exact negative keywords: by removing them, or by skipping their recommendation. */
export async function declinedNegatives(ctx: Pick<Ctx, 'sql'>, of: Of): Promise<ReadonlyMap<string, Date>> {
  const declined = await removedNegatives(ctx, of)
  if (of.texts.length === 0) return declined
  const asked = new Set(of.texts)
  const rows = await skipped.all(
    ctx.sql,
    `from ${r} where r.campaign_id = ? and r.status = 'skipped' and r.kind in ('wasted_searches', 'unfit_search')
     order by r.id desc limit ?`,
    [of.campaignId, mostSkipped],
  )
  for (const { changes, updatedOn } of rows)
    for (const change of changes) {
      if (change.kind !== 'add_negative' || change.matchType !== 'exact' || !asked.has(change.keyword))
        continue
      const known = declined.get(change.keyword)
      if (!known || known < updatedOn) declined.set(change.keyword, updatedOn)
    }
  return declined
}
