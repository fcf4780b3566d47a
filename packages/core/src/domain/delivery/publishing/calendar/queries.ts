import type { Ctx } from '../../../../kernel/context.ts'
import { equals, where } from '../../../../kernel/paging-queries.ts'
import { placeholders } from '../../../../platform/database/database.ts'
import {
  count,
  flag,
  instant,
  nullable,
  pick,
  select,
  table,
  text,
} from '../../../../platform/database/read.ts'
import { ChannelConnection } from '../../../accounts/channels/entities.ts'
import { Tenant } from '../../../accounts/tenants/entities.ts'
import { ContentRequest, RequestPiece } from '../../../work/content/requests/entities.ts'
import { CampaignSequence } from '../../sequences/entities.ts'
import { Publication } from '../entities.ts'

const p = table(Publication, 'p')
const q = table(ContentRequest, 'q')
const r = table(RequestPiece, 'r')
const c = table(ChannelConnection, 'c')
const s = table(CampaignSequence, 's')
const t = table(Tenant, 't')

/** A part of a tenant's time; `to` is not contained. */
export interface Span {
  tenantId: string
  from: Date
  /** The first id at the instant `from`. */
  fromId: string
  to: Date
  channelId?: string | undefined
  limit: number
}

const columns = pick(p, 'id', 'title', 'channelId', 'channelType', 'status', 'activityId', 'url')
const ahead = select({ ...columns, at: p.scheduledFor })
const out = select({ ...columns, at: instant('p.published_at') })

/** What is to go out in a span, in order. */
export function publicationsAhead({ sql }: Ctx, { tenantId, from, fromId, to, channelId, limit }: Span) {
  const channel = where(equals(p.channelId, channelId))
  return ahead.all(
    sql,
    `from ${p} where p.tenant_id = ? and p.published_at is null and p.status <> 'cancelled'
       and (p.scheduled_for, p.id) >= (?, ?) and p.scheduled_for < ? and ${channel.sql}
     order by p.scheduled_for, p.id limit ?`,
    [tenantId, from, fromId, to, ...channel.params, limit],
  )
}

/** What went out in a span, in order. */
export function publicationsOut({ sql }: Ctx, { tenantId, from, fromId, to, channelId, limit }: Span) {
  const channel = where(equals(p.channelId, channelId))
  return out.all(
    sql,
    `from ${p} where p.tenant_id = ? and p.status = 'published' and (p.published_at, p.id) >= (?, ?)
       and p.published_at < ? and ${channel.sql} order by p.published_at, p.id limit ?`,
    [tenantId, from, fromId, to, ...channel.params, limit],
  )
}

const requests = select({
  ...pick(q, 'id', 'topic', 'platforms', 'status', 'approvalId'),
  at: instant('q.schedule_for'),
})

/** What people want to go out in a span. */
export function requestsIn({ sql }: Ctx, { tenantId, from, fromId, to, limit }: Span) {
  return requests.all(
    sql,
    `from ${q} where q.tenant_id = ? and q.schedule_for is not null and (q.schedule_for, q.id) >= (?, ?)
       and q.schedule_for < ? and q.status <> 'rejected' order by q.schedule_for, q.id limit ?`,
    [tenantId, from, fromId, to, limit],
  )
}

const pieces = select({
  ...pick(r, 'requestId', 'platform', 'activityId'),
  approvalId: nullable(
    text(`(select max(x.id) from approvals x where x.content_of = r.activity_id and x.status = 'pending')`),
  ),
  isPlanned: flag(
    `case when exists (select 1 from publications y where y.activity_id = r.activity_id
       and y.status <> 'cancelled' and y.status <> 'removed') then 1 else 0 end`,
  ),
})

/** The pieces that are made for requests. */
export async function requestedPieces({ sql }: Ctx, requestIds: readonly string[]) {
  if (requestIds.length === 0) return []
  return pieces.all(sql, `from ${r} where r.request_id in (${placeholders(requestIds)})`, [...requestIds])
}

const mails = {
  ...pick(s, 'id', 'kind', 'triggerType', 'name', 'status', 'startsAt', 'campaignId', 'activityId'),
  /** Mails that went out, or may have. */
  handedOver: count(
    '(select x.sent + x.unknown from sequence_steps x where x.sequence_id = s.id and x.position = 0)',
  ),
}
const dated = select({ ...mails, at: instant('s.starts_at') })
const atOnce = select({ ...mails, at: s.createdOn })

/** Mailings and sequences that have a time, in order. */
export function datedMails({ sql }: Ctx, { tenantId, from, fromId, to, limit }: Span) {
  return dated.all(
    sql,
    `from ${s} where s.tenant_id = ? and s.starts_at is not null and (s.starts_at, s.id) >= (?, ?) and s.starts_at < ?
     order by s.starts_at, s.id limit ?`,
    [tenantId, from, fromId, to, limit],
  )
}

/** Mailings that have begun when they were made, in order. */
export function mailingsAtOnce({ sql }: Ctx, { tenantId, from, fromId, to, limit }: Span) {
  return atOnce.all(
    sql,
    `from ${s} where s.tenant_id = ? and s.kind = 'mailing' and s.starts_at is null
       and (s.created_on, s.id) >= (?, ?) and s.created_on < ? order by s.created_on, s.id limit ?`,
    [tenantId, from, fromId, to, limit],
  )
}

const channels = select(pick(c, 'id', 'type'))

/** The channels of a tenant. */
export const channelsOf = ({ sql }: Ctx, tenantId: string) =>
  channels.all(sql, `from ${c} where c.tenant_id = ?`, [tenantId])

const zone = select(pick(t, 'timezone'))

export async function calendarZone({ sql }: Ctx, tenantId: string): Promise<string> {
  return (await zone.get(sql, `from ${t} where t.id = ?`, [tenantId]))?.timezone ?? 'UTC'
}
