import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { readPage } from '../../../kernel/page-queries.ts'
import { equals, type Page, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { placeholders } from '../../../platform/database/database.ts'
import { pick, type RowOf, select, table } from '../../../platform/database/read.ts'
import { CampaignSequence, SequenceMail, type SequenceRow, SequenceStep } from '../sequences/entities.ts'
import type { MailingItem, MailingQuery, MailingStatus } from './schemas.ts'

const q = table(CampaignSequence, 'q')
const s = table(SequenceStep, 's')

const mailing = select({
  ...pick(q, 'id', 'campaignId', 'activityId', 'contentHash', 'audience', 'status', 'startsAt', 'waiting'),
  ...pick(q, 'done', 'stopped', 'createdOn', 'updatedOn'),
  ...pick(s, 'subject', 'sent', 'failed', 'unknown', 'approvedByName'),
})
const from = `from ${q} join ${s} on s.sequence_id = q.id and s.position = 0`
const isMailing = { sql: `q.kind = 'mailing'`, params: [] }

/** Newsletters on their way to leads, and those that have gone out, newest first. Serves `GET /dashboard/v1/mailings`. */
export function listMailings(ctx: Ctx, given: Partial<MailingQuery> = {}): Promise<Page<MailingItem>> {
  const query = { limit: 25, order: 'desc' as const, ...given }
  return readPage(
    ctx,
    {
      select: mailing,
      from,
      id: q.id,
      rows: where(within(ctx.scope, 'q.tenant_id'), isMailing),
      filters: [
        equals(q.campaignId, query['filter.campaignId']),
        equals(q.activityId, query['filter.activityId']),
      ],
      request: query,
    },
    (row) => toItem(ctx, row),
  )
}

/** Serves `GET /dashboard/v1/mailings/:mailingId`. @throws DomainError `NOT_FOUND` */
export async function getMailing(ctx: Ctx, id: string): Promise<MailingItem> {
  const condition = where(within(ctx.scope, 'q.tenant_id'), isMailing, equals(q.id, id))
  const row = await mailing.get(ctx.sql, `${from} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('mailing')
  return toItem(ctx, row)
}

/** Those of some activities that were not cancelled. */
export async function listMailingsOf(ctx: Ctx, activityIds: readonly string[]): Promise<MailingItem[]> {
  const scope = within(ctx.scope, 'q.tenant_id')
  const rows = await mailing.all(
    ctx.sql,
    `${from} where q.activity_id in (${placeholders(activityIds)}) and q.status <> 'cancelled' and ${scope.sql} order by q.id`,
    [...activityIds, ...scope.params],
  )
  return rows.map((row) => toItem(ctx, row))
}

function toItem(ctx: Ctx, { status, startsAt, audience, ...row }: RowOf<typeof mailing>): MailingItem {
  const { waiting, done, stopped, sent, failed, unknown, approvedByName, activityId, contentHash, ...rest } =
    row
  return {
    ...rest,
    activityId: activityId ?? '',
    contentHash: contentHash ?? '',
    audience: { statuses: [...audience.statuses], sources: [...audience.sources], tag: audience.tag },
    status: statusOf(ctx, { status, startsAt }),
    scheduledFor: startsAt,
    recipients: { waiting, done, stopped },
    mails: { sent, failed, unknown },
    approvedBy: approvedByName,
  }
}

/** The status of a mailing as it is shown. */
export const statusOf = (
  { clock }: Pick<Ctx, 'clock'>,
  { status, startsAt }: Pick<SequenceRow, 'status' | 'startsAt'>,
): MailingStatus => (status === 'active' && startsAt && startsAt > clock.date() ? 'scheduled' : shown[status])

const shown: Record<SequenceRow['status'], MailingStatus> = {
  draft: 'paused',
  active: 'sending',
  paused: 'paused',
  completed: 'sent',
  cancelled: 'cancelled',
}

/** Whether a mail of a mailing was handed over, or may have been. */
export const hasHandedOver = async (txn: Transaction, mailingId: string): Promise<boolean> =>
  (await txn.em.count(SequenceMail, {
    sequenceId: mailingId,
    status: { $in: ['sending', 'doubtful', 'sent', 'unknown'] },
  })) > 0
