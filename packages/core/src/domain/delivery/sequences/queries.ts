import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { equals, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { placeholders } from '../../../platform/database/database.ts'
import { count, exists, leftTable, pick, type RowOf, select, table } from '../../../platform/database/read.ts'
import { ChannelConnection } from '../../accounts/channels/entities.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import { Lead } from '../leads/entities.ts'
import { nameOfChannel } from './by-platform.ts'
import { CampaignSequence, SequenceContact, SequenceStep } from './entities.ts'
import { hashOf, hashOfSteps } from './policy.ts'
import type { SequenceItem, SequenceStepItem } from './schemas.ts'

const q = table(CampaignSequence, 'q')
const s = table(SequenceStep, 's')
const l = table(Lead, 'l')
const c = leftTable(ChannelConnection, 'c')

const sequence = select({
  ...pick(
    q,
    'id',
    'campaignId',
    'kind',
    'channel',
    'released',
    'name',
    'triggerType',
    'startsAt',
    'audience',
    'status',
    'waiting',
    'done',
  ),
  ...pick(q, 'stopped', 'activatedOn', 'heldUntil', 'heldReason', 'nextAt', 'createdOn', 'updatedOn'),
  platformId: c.id,
  platformType: c.type,
  accountName: c.accountName,
})
const from = `from ${q} left join ${c} on c.id = q.channel_id`
const step = select({
  ...pick(s, 'id', 'sequenceId', 'position', 'subject', 'body', 'delayDays', 'approvedHash'),
  ...pick(s, 'approvedByName', 'sent', 'failed', 'unknown'),
})

/** The sequences of a campaign with their steps, oldest first. Serves `GET /tenant/v1/campaigns/:campaignId/sequences`. */
export async function listSequences(ctx: Ctx, campaignId: string): Promise<{ data: SequenceItem[] }> {
  const campaign = where(within(ctx.scope, 'c.tenant_id'), equals('c.id', campaignId))
  if (!(await exists(ctx.sql, `from campaigns c where ${campaign.sql}`, campaign.params)))
    throw notFound('campaign')
  const condition = where(within(ctx.scope, 'q.tenant_id'), equals(q.campaignId, campaignId))
  const rows = await sequence.all(
    ctx.sql,
    `${from} where ${condition.sql} and q.kind <> 'mailing' order by q.id`,
    condition.params,
  )
  return { data: await withSteps(ctx, rows) }
}

/** @throws DomainError `NOT_FOUND` */
export async function getSequence(ctx: Ctx, id: string): Promise<SequenceItem> {
  const condition = where(within(ctx.scope, 'q.tenant_id'), equals(q.id, id))
  const rows = await sequence.all(ctx.sql, `${from} where ${condition.sql}`, condition.params)
  const [found] = await withSteps(ctx, rows)
  if (!found) throw notFound('sequence')
  return found
}

async function withSteps(ctx: Ctx, rows: ReadonlyArray<RowOf<typeof sequence>>): Promise<SequenceItem[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const steps = await step.all(
    ctx.sql,
    `from ${s} where s.sequence_id in (${placeholders(ids)}) order by s.position`,
    ids,
  )
  const shown = Map.groupBy(steps, ({ sequenceId }) => sequenceId)
  const stepsOf = (id: string) => (shown.get(id) ?? []).map(toStep)
  return rows.map(({ waiting, done, stopped, audience, kind, status, ...given }) => {
    const { platformId, platformType, accountName, heldUntil, heldReason, ...row } = given
    const isHeld = heldUntil !== null && heldUntil > ctx.clock.date()
    return {
      ...row,
      platform:
        platformId === null || platformType === null
          ? null
          : { channelId: platformId, name: nameOfChannel(platformType, accountName) },
      held: isHeld ? { until: heldUntil, reason: heldReason ?? '' } : null,
      // Mailings are neither listed here nor asked for.
      kind: kind as SequenceItem['kind'],
      status: status as SequenceItem['status'],
      audience: { statuses: [...audience.statuses], sources: [...audience.sources], tag: audience.tag },
      contacts: { waiting, done, stopped },
      steps: stepsOf(row.id),
      contentHash: hashOfSteps(stepsOf(row.id)),
    }
  })
}

function toStep({ delayDays, approvedHash, approvedByName, ...row }: RowOf<typeof step>): SequenceStepItem {
  const { id, position, subject, body, sent, failed, unknown } = row
  const approved = approvedHash === hashOf(row)
  const approvedBy = approved ? approvedByName : null
  return { id, position, subject, body, delay: delayDays, approved, approvedBy, sent, failed, unknown }
}

const named = select(pick(q, 'id'))

/** Sequences that should have been looked at before an instant. */
export async function overdueSequences(ctx: Ctx, before: Date): Promise<string[]> {
  const scope = within(ctx.scope, 'q.tenant_id')
  const rows = await named.all(
    ctx.sql,
    `from ${q} where q.next_at < ? and ${scope.sql} order by q.next_at limit 500`,
    [before, ...scope.params],
  )
  return rows.map(({ id }) => id)
}

const last = select({ seq: count('max(l.seq)') })

/** The place of the newest lead of a tenant in the list of leads; 0 where there is none. */
export async function lastLeadOf(ctx: Ctx, tenantId: string): Promise<number> {
  return (await last.get(ctx.sql, `from ${l} where l.tenant_id = ?`, [tenantId]))?.seq ?? 0
}

const lead = select(pick(l, 'seq', 'id', 'email', 'phone', 'status', 'source', 'tags', 'createdOn'))
export type ListedLead = RowOf<typeof lead>

/** Leads of a tenant behind a place in the list, oldest first. */
export function leadsBehind(
  ctx: Ctx,
  { tenantId, after, until, most }: { tenantId: string; after: number; until: number | null; most: number },
): Promise<ListedLead[]> {
  const end = until === null ? { sql: '', params: [] } : { sql: ' and l.seq <= ?', params: [until] }
  return lead.all(
    ctx.sql,
    `from ${l} where l.tenant_id = ? and l.seq > ?${end.sql} order by l.tenant_id, l.seq limit ?`,
    [tenantId, after, ...end.params, most],
  )
}

const k = table(SequenceContact, 'k')
const t = table(Tenant, 't')
const linked = select({ ...pick(k, 'id', 'tenantId', 'sequenceId'), tenantName: t.name })

/** The contact whose link this is, of whatever tenant. */
export function contactOfLink(ctx: Ctx, linkKey: string): Promise<RowOf<typeof linked> | undefined> {
  return linked.get(ctx.sql, `from ${k} join ${t} on t.id = k.tenant_id where k.link_key = ?`, [linkKey])
}
