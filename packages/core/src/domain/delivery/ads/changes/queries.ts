import type { Ctx } from '../../../../kernel/context.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { readPage } from '../../../../kernel/page-queries.ts'
import { equals, where } from '../../../../kernel/paging-queries.ts'
import { within } from '../../../../kernel/scope.ts'
import { placeholders } from '../../../../platform/database/database.ts'
import { exists, pick, type RowOf, select, table } from '../../../../platform/database/read.ts'
import { toFigures } from '../../../work/campaigns/metrics/figures.ts'
import { CampaignMapping, type MappingRow } from '../entities.ts'
import { type MatchType, NegativeKeyword } from '../keywords/entities.ts'
import { requireCampaign } from '../mapping-queries.ts'
import { outsideChangesOf } from '../outside/queries.ts'
import { SearchTermReport } from '../terms/entities.ts'
import { AdChangeSet, type ChangeItem, type ChangeOutcome, type ItemState } from './entities.ts'
import type { OfAccount } from './limits.ts'
import type { AdOutcome, ChangeSet, ChangeSetPage, ChangeSetQuery } from './schemas.ts'

const s = table(AdChangeSet, 's')
const r = table(SearchTermReport, 'r')
const n = table(NegativeKeyword, 'n')
const p = table(CampaignMapping, 'p')

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
): Promise<ChangeSetPage> {
  await requireCampaign(ctx, campaignId)
  const rows = where(within(ctx.scope, 's.tenant_id'), equals(s.campaignId, campaignId))
  const filters = [equals(s.status, query['filter.status'])]
  const list = { select: set, from: `from ${s}`, id: s.id, rows, filters, request: query }
  const found = await readPage(ctx, list, toSet)
  return { ...found, outside: query.cursor === undefined ? await outsideChangesOf(ctx, campaignId) : [] }
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

export const toOutcomes = (outcomes: readonly ChangeOutcome[] | null, currency: string): AdOutcome[] =>
  (outcomes ?? []).map(({ measuredOn, before, after, ...one }) => ({
    ...one,
    measuredOn: new Date(measuredOn),
    before: toFigures({ ...before, currency }),
    after: toFigures({ ...after, currency }),
  }))

/** Ids of the platform are left out. */
function toSet({ items, outcomes, ...rest }: RowOf<typeof set>): ChangeSet {
  return {
    ...rest,
    outcomes: toOutcomes(outcomes, rest.currency),
    items: items.map(({ kind, label, before, after, live, ad, subjectId, state, reason, requestId }) => ({
      kind,
      label,
      before,
      after,
      live,
      ad: ad ? { ...ad, activityId: subjectId ?? '' } : null,
      state,
      reason,
      requestId: requestId ?? null,
    })),
  }
}

const changed = select(pick(s, 'items'))
/** Of an item that was not sent to the platform. */
const unsent: ReadonlySet<ItemState> = new Set(['refused', 'rejected', 'drifted'])

/** What sets have changed at a campaign's platform since then, or may have, but for those that take others back. */
export async function changedSince(
  { sql }: Pick<Ctx, 'sql'>,
  { id, campaignId }: Pick<MappingRow, 'id' | 'campaignId'>,
  since: Date,
): Promise<ChangeItem[]> {
  const rows = await changed.all(
    sql,
    `from ${s} where s.campaign_id = ? and s.mapping_id = ? and s.attempt > 0 and s.status <> 'approved'
       and s.source <> 'undo' and coalesce(s.applied_on, s.updated_on) >= ?`,
    [campaignId, id, since],
  )
  return rows.flatMap(({ items }) => items).filter(({ state }) => !unsent.has(state))
}

const reference = select(pick(s, 'id'))
/** How many sets are looked at again at once. */
const mostAtOnce = 500

/** Change sets that should have been looked at before an instant. */
export async function overdueChangeSets(ctx: Ctx, before: Date): Promise<string[]> {
  const scope = within(ctx.scope, 's.tenant_id')
  const rows = await reference.all(
    ctx.sql,
    `from ${s} where s.next_at < ? and ${scope.sql} order by s.next_at limit ?`,
    [before, ...scope.params, mostAtOnce],
  )
  return rows.map(({ id }) => id)
}

const place = select({ ...pick(s, 'tenantId', 'accountId', 'mappingId'), platform: p.platform })

/** Which account a change set is about; undefined when it is gone. */
export const accountOfSet = ({ sql }: Pick<Ctx, 'sql'>, id: string) =>
  place.get(sql, `from ${s} join ${p} on p.id = s.mapping_id where s.id = ?`, [id])

/** Whether a request to change an account may be on its way, of another set than this one. */
export function isAccountBusy({ sql }: Pick<Ctx, 'sql'>, of: OfAccount & { id: string }): Promise<boolean> {
  return exists(
    sql,
    `from ${s} join ${p} on p.id = s.mapping_id
     where s.tenant_id = ? and s.account_id = ? and s.status in ('applying', 'unknown') and s.id <> ? and p.platform = ?`,
    [of.tenantId, of.accountId, of.id, of.platform],
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
