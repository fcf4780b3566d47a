import type { Ctx } from '../../../kernel/context.ts'
import { within } from '../../../kernel/scope.ts'
import { placeholders } from '../../../platform/database/database.ts'
import { count, nullable, pick, select, table } from '../../../platform/database/read.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import { listMailingsOf } from '../../delivery/mailings/queries.ts'
import { Publication } from '../../delivery/publishing/entities.ts'
import { PublicationMetrics } from '../../delivery/publishing/metrics/entities.ts'
import { Activity } from '../../work/activities/entities.ts'
import { Approval } from '../../work/approvals/entities.ts'
import type { ApprovedPieces, PiecePlace } from './schemas.ts'

const a = table(Approval, 'a')
const x = table(Activity, 'x')
const t = table(Tenant, 't')
const p = table(Publication, 'p')
const m = table(PublicationMetrics, 'm')

/** How many pieces are shown, and how many verdicts are looked at for them: a piece may have several. */
const mostPieces = 10
const mostVerdicts = 50
/** The latest publications of some pieces that are shown; one can be taken back and published again without end. */
const mostPlaces = 500

const verdict = select({
  approvalId: a.id,
  activityId: x.id,
  title: x.title,
  tenantId: t.id,
  tenantName: t.name,
  approvedAt: a.resolvedAt,
})

/**
 * What became of the pieces that the caller has approved last. Serves `GET /dm/v1/approvals/outcomes`, `GET /cli/v1/approvals/outcomes` and
 * `GET /dashboard/v1/approvals/outcomes`.
 */
export async function lastOutcomes(ctx: Ctx): Promise<ApprovedPieces> {
  const scope = within(ctx.scope, 'a.tenant_id')
  const verdicts = await verdict.all(
    ctx.sql,
    `from ${a} join ${x} on x.id = a.content_of join ${t} on t.id = a.tenant_id
     where a.resolved_by_id = ? and a.status = 'approved' and a.content_of is not null and ${scope.sql}
     order by a.resolved_at desc, a.id desc limit ?`,
    [ctx.actor.id, ...scope.params, mostVerdicts],
  )
  const latest = new Map<string, (typeof verdicts)[number]>()
  for (const one of verdicts) if (!latest.has(one.activityId)) latest.set(one.activityId, one)
  const pieces = [...latest.values()].slice(0, mostPieces)
  const places = await placesOf(
    ctx,
    pieces.map(({ activityId }) => activityId),
  )
  return {
    data: pieces.map(({ approvedAt, ...piece }) => ({
      ...piece,
      approvedAt: approvedAt as Date,
      places: places.filter(({ activityId }) => activityId === piece.activityId).map(({ place }) => place),
    })),
  }
}

const onPage = (name: string) =>
  nullable(count(`(select sum(w.${name}) from website_days w where w.publication_id = p.id)`))

const publication = select({
  ...pick(p, 'id', 'activityId', 'channelType', 'status', 'url', 'publishedAt', 'scheduledFor'),
  impressions: nullable(count(`${m.impressions}`)),
  responses: nullable(
    count(
      'case when coalesce(m.reactions, m.comments, m.shares) is null then null else coalesce(m.reactions, 0) + coalesce(m.comments, 0) + coalesce(m.shares, 0) end',
    ),
  ),
  clicks: nullable(count(`${m.clicks}`)),
  deliveries: nullable(count(`${m.deliveries}`)),
  opens: nullable(count(`${m.opens}`)),
  views: onPage('views'),
  searchClicks: onPage('search_clicks'),
})

/** Where some pieces went and what became of them there, by the activity whose text each is; what was withdrawn is left out. */
export async function placesOf(
  ctx: Ctx,
  activityIds: readonly string[],
): Promise<ReadonlyArray<{ activityId: string; place: PiecePlace }>> {
  if (activityIds.length === 0) return []
  const scope = within(ctx.scope, 'p.tenant_id')
  const ofPieces = `p.activity_id in (${placeholders(activityIds)}) and ${scope.sql}`
  const params = [...activityIds, ...scope.params]
  // Each of the two has an index of its own: that of pieces has none that were taken back.
  const publications = await publication.all(
    ctx.sql,
    `from ${p} left join ${m} on m.publication_id = p.id
       and m.day = (select max(l.day) from publication_metrics l where l.publication_id = p.id)
     where p.id in (
       select p.id from publications p where ${ofPieces} and p.status <> 'cancelled' and p.status <> 'removed'
       union all select p.id from publications p where p.status = 'removed' and ${ofPieces})
     order by p.id desc limit ?`,
    [...params, ...params, mostPlaces],
  )
  const mailings = await listMailingsOf(ctx, activityIds)
  return [
    ...publications.toReversed().map(({ activityId, publishedAt, scheduledFor, ...rest }) => ({
      activityId,
      place: { kind: 'publication' as const, ...rest, at: publishedAt ?? scheduledFor },
    })),
    ...mailings.map(({ activityId, id, status, scheduledFor, createdOn, mails }) => ({
      activityId,
      place: {
        ...uncounted,
        kind: 'mailing' as const,
        id,
        status,
        at: scheduledFor ?? createdOn,
        deliveries: mails.sent,
      },
    })),
  ]
}

const uncounted = {
  channelType: null,
  url: null,
  impressions: null,
  responses: null,
  clicks: null,
  opens: null,
  views: null,
  searchClicks: null,
}
