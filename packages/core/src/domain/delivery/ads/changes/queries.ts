import type { Ctx } from '../../../../kernel/context.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { readPage } from '../../../../kernel/page-queries.ts'
import { equals, type Page, where } from '../../../../kernel/paging-queries.ts'
import { within } from '../../../../kernel/scope.ts'
import { placeholders } from '../../../../platform/database/database.ts'
import { exists, pick, type RowOf, select, table } from '../../../../platform/database/read.ts'
import { toFigures } from '../../../work/campaigns/metrics/figures.ts'
import { CampaignKeyword, type MatchType, NegativeKeyword } from '../keywords/entities.ts'
import { requireCampaign } from '../mapping-queries.ts'
import { SearchTermReport } from '../terms/entities.ts'
import { AdChangeSet } from './entities.ts'
import type { ChangeSet, ChangeSetQuery } from './schemas.ts'

const s = table(AdChangeSet, 's')
const k = table(CampaignKeyword, 'k')
const r = table(SearchTermReport, 'r')
const n = table(NegativeKeyword, 'n')

const set = select({
  ...pick(s, 'id', 'campaignId', 'title', 'source', 'status', 'accountId', 'currency', 'digest', 'items'),
  ...pick(s, 'undoOfId', 'error', 'approvedOn', 'appliedOn', 'createdOn', 'outcomes'),
  requestedBy: s.requestedByName,
  approvedBy: s.approvedByName,
})

/** Serves `GET /tenant/v1/campaigns/:campaignId/change-sets`, the newest first. @throws DomainError `NOT_FOUND` */
export async function listChangeSets(
  ctx: Ctx,
  campaignId: string,
  query: ChangeSetQuery,
): Promise<Page<ChangeSet>> {
  await requireCampaign(ctx, campaignId)
  const rows = where(within(ctx.scope, 's.tenant_id'), equals(s.campaignId, campaignId))
  const filters = [equals(s.status, query['filter.status'])]
  return readPage(ctx, { select: set, from: `from ${s}`, id: s.id, rows, filters, request: query }, toSet)
}

/** Serves `GET /tenant/v1/campaigns/:campaignId/change-sets/:changeSetId`. @throws DomainError `NOT_FOUND` */
export async function getChangeSet(ctx: Ctx, campaignId: string, id: string): Promise<ChangeSet> {
  await requireCampaign(ctx, campaignId)
  const condition = where(
    within(ctx.scope, 's.tenant_id'),
    equals(s.campaignId, campaignId),
    equals(s.id, id),
  )
  const row = await set.get(ctx.sql, `from ${s} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('change set')
  return toSet(row)
}

/** Ids of the platform are left out. */
function toSet({ items, outcomes, ...rest }: RowOf<typeof set>): ChangeSet {
  return {
    ...rest,
    outcomes: (outcomes ?? []).map(({ measuredOn, before, after, ...one }) => ({
      ...one,
      measuredOn: new Date(measuredOn),
      before: toFigures({ ...before, currency: rest.currency }),
      after: toFigures({ ...after, currency: rest.currency }),
    })),
    items: items.map(({ kind, label, before, after, live, ad, subjectId, state, reason }) => ({
      kind,
      label,
      before,
      after,
      live,
      ad: ad ? { ...ad, activityId: subjectId ?? '' } : null,
      state,
      reason,
    })),
  }
}

const named = select({ text: k.text })
/** More keywords one campaign does not have at any platform. */
const mostKeywords = 20_000

/** The texts of the keywords that ads are shown for. */
export async function enabledKeywords(
  { sql }: Pick<Ctx, 'sql'>,
  campaignId: string,
  adGroupId: string | null,
): Promise<string[]> {
  const condition = where(equals(k.campaignId, campaignId), equals(k.adGroupId, adGroupId ?? undefined))
  const rows = await named.all(
    sql,
    `from ${k} where ${condition.sql} and k.status = 'enabled' order by k.id limit ?`,
    [...condition.params, mostKeywords],
  )
  return rows.map(({ text }) => text)
}

const place = select(pick(s, 'tenantId', 'accountId', 'mappingId'))

/** Which account a change set is about; undefined when it is gone. */
export const accountOfSet = ({ sql }: Pick<Ctx, 'sql'>, id: string) =>
  place.get(sql, `from ${s} where s.id = ?`, [id])

/** Whether a request to change an account may be on its way, of another set than this one. */
export function isAccountBusy(
  { sql }: Pick<Ctx, 'sql'>,
  of: { tenantId: string; accountId: string; id: string },
): Promise<boolean> {
  return exists(
    sql,
    `from ${s} where s.tenant_id = ? and s.account_id = ? and s.status in ('applying', 'unknown') and s.id <> ?`,
    [of.tenantId, of.accountId, of.id],
  )
}

const term = select({ term: r.term })

/** Terms of a campaign that people want to be negative, in the order of their letters, after one. */
export async function termsToPush(
  { sql }: Pick<Ctx, 'sql'>,
  campaignId: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await term.all(
    sql,
    `from ${r} where r.campaign_id = ? and r.classification = 'add_as_negative' and r.classification_status = 'dm_reviewed'
       and r.term > ? group by r.term order by r.term limit ?`,
    [campaignId, after, limit],
  )
  return rows.map((row) => row.term)
}

const negative = select({ text: n.text })

/** Which of these are negative keywords of the whole campaign, at the platform or on their way. */
export async function takenNegatives(
  { sql }: Pick<Ctx, 'sql'>,
  of: { campaignId: string; matchType: MatchType; texts: readonly string[] },
): Promise<Set<string>> {
  const { campaignId, matchType, texts } = of
  const rows = await negative.all(
    sql,
    `from ${n} where n.campaign_id = ? and n.ad_group_id is null and n.match_type = ? and n.status <> 'removed'
       and n.text in (${placeholders(texts)})`,
    [campaignId, matchType, ...texts],
  )
  return new Set(rows.map(({ text }) => text))
}
