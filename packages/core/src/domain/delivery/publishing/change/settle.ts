import type { Transaction } from '../../../../kernel/context.ts'
import { channelNames } from '../../../accounts/channels/entities.ts'
import type { ActivityRow } from '../../../work/activities/entities.ts'
import { logActivity } from '../../../work/activities/state.ts'
import { titleOf } from '../../../work/content/blog/markdown.ts'
import { renewPublishedPost } from '../../../work/content/blog/sync.ts'
import { Output } from '../../../work/content/entities.ts'
import { contentUpdated } from '../../../work/content/publishing-events.ts'
import type { Published } from '../connector.ts'
import type { PublicationRow } from '../entities.ts'
import { lookAtChange } from '../lock.ts'
import type { ChangeTurn } from './claim.ts'
import { noChange } from './plan.ts'

/**
 * Writes down that a newer text is out, also when it was dropped or another was planned while it was being sent: that one goes on. The
 * caller holds the activity's lock.
 */
export async function settleChanged(
  txn: Transaction,
  activity: ActivityRow,
  publication: PublicationRow,
  { output: { id: outputId }, text }: ChangeTurn,
  { externalId, url }: Published,
): Promise<void> {
  const now = txn.clock.date()
  const output = await txn.em.findOneOrFail(Output, { id: outputId })
  const { id, tenantId, activityId, channelId, channelType, contentHash } = publication
  const isReplaced = publication.changeStatus !== null && publication.changeOutputId !== outputId
  const shown = {
    outputId,
    contentHash: output.sha256,
    title: titleOf(text),
    externalId,
    url: url ?? publication.url,
    changedAt: now,
    updatedOn: now,
  }
  Object.assign(publication, shown)
  if (isReplaced) {
    publication.changeStatus = 'waiting'
    lookAtChange(txn, publication, now)
  } else Object.assign(publication, noChange)
  await renewPublishedPost(txn, activity, output)
  const { title } = shown
  logActivity(txn, activity, {
    kind: 'published',
    message: `Version ${output.version} is out on ${channelNames[channelType]}${shown.url ? `: ${shown.url}` : ''}`,
    data: { publicationId: id },
  })
  txn.audit({
    tenantId,
    resourceType: 'publication',
    resourceId: id,
    action: 'publication.updated',
    before: { contentHash },
    after: { contentHash: output.sha256, channelId, url: shown.url, attempt: publication.attempt },
  })
  txn.emit(contentUpdated, {
    tenantId,
    subject: activityId,
    data: {
      publicationId: id,
      activityId,
      channelId,
      channelType,
      title,
      ...(shown.url && { url: shown.url }),
    },
  })
}
