import { actorName, type Ctx, type Transaction } from '../../../kernel/context.ts'
import { DomainError, invalid, notFound } from '../../../kernel/errors.ts'
import { flushOnce, transact } from '../../../kernel/transact.ts'
import type { ConnectionRow } from '../../accounts/channels/entities.ts'
import type { ActivityRow } from '../../work/activities/entities.ts'
import { lockActivity } from '../../work/activities/state.ts'
import { isApproved } from '../../work/approvals/pending.ts'
import { titleOf } from '../../work/content/blog/markdown.ts'
import type { OutputRow } from '../../work/content/entities.ts'
import { latestOutput } from '../../work/content/versions.ts'
import { noChange } from './change/plan.ts'
import { Publication, type PublicationRow } from './entities.ts'
import { linkTagsFor } from './link-tags/setting.ts'
import { lockConnection, lookAt } from './lock.ts'
import { getPublication } from './queries.ts'
import type { NewPublication, PublicationItem } from './schemas.ts'

/**
 * Says that an approved piece goes out on a channel, at once or at an instant. Serves `POST /dashboard/v1/publications`.
 * @throws DomainError `NOT_FOUND` for an unknown activity or channel; `UNPROCESSABLE` when no verdict covers its newest text, or
 *   the channel cannot publish; `CONFLICT` when it goes there already
 */
export async function createPublication(ctx: Ctx, input: NewPublication): Promise<PublicationItem> {
  const id = await transact(ctx, async (txn) => {
    const activity = await lockActivity(txn, input.activityId)
    const connection = await lockConnection(txn, input.channelId)
    if (!connection || connection.tenantId !== activity.tenantId)
      throw notFound('channel', { field: 'channelId' })
    if (!txn.services.connectors.has(connection.type))
      throw invalid('channelId', 'This type of channel publishes no pieces')
    if (connection.status !== 'connected')
      throw new DomainError('UNPROCESSABLE', 'The channel is not connected')
    const output = await latestOutput(txn, activity.id)
    if (!output || !(await isApproved(txn, activity, output)))
      throw new DomainError('UNPROCESSABLE', 'No verdict covers the newest text of this activity')
    const publication = await schedulePublication(txn, activity, output, connection, input.scheduleFor)
    txn.audit({
      tenantId: publication.tenantId,
      resourceType: 'publication',
      resourceId: publication.id,
      after: { activityId: activity.id, channelId: connection.id, contentHash: output.sha256 },
    })
    return publication.id
  })
  return getPublication(ctx, id)
}

/**
 * Writes the intent to publish a text, in the transaction that decides it. The caller holds the activity's lock, and has seen that a
 * verdict covers the text.
 * @throws DomainError `CONFLICT` when the piece goes to the channel already
 */
export async function schedulePublication(
  txn: Transaction,
  activity: ActivityRow,
  output: OutputRow,
  channel: Pick<ConnectionRow, 'id' | 'type'>,
  scheduleFor?: Date | null,
): Promise<PublicationRow> {
  const now = txn.clock.date()
  const at = scheduleFor && scheduleFor > now ? scheduleFor : now
  const publication = txn.em.create(Publication, {
    id: txn.newId(),
    tenantId: activity.tenantId,
    activityId: activity.id,
    title: titleOf(output.text),
    outputId: output.id,
    contentHash: output.sha256,
    linkTags: await linkTagsFor(txn, activity, channel.type),
    channelId: channel.id,
    channelType: channel.type,
    accountKey: null,
    status: 'scheduled',
    holdReason: null,
    scheduledFor: at,
    nextAt: at,
    attempt: 0,
    leaseUntil: null,
    touched: false,
    progress: {},
    failures: 0,
    checks: 0,
    asked: false,
    errorKind: null,
    error: null,
    externalId: null,
    url: null,
    publishedAt: null,
    changedAt: null,
    ...noChange,
    requestedById: txn.actor.id,
    requestedByName: actorName(txn),
    createdOn: now,
    updatedOn: now,
  })
  await flushOnce(txn, new DomainError('CONFLICT', 'This piece goes to this channel already'))
  lookAt(txn, publication, at)
  return publication
}
