import type { Transaction } from '../../../../kernel/context.ts'
import { ChannelConnection, type ChannelType, channelNames } from '../../../accounts/channels/entities.ts'
import { notify } from '../../../people/notifications/notify.ts'
import type { ActivityRow } from '../../../work/activities/entities.ts'
import { logActivity } from '../../../work/activities/state.ts'
import { isApproved } from '../../../work/approvals/pending.ts'
import { titleOf } from '../../../work/content/blog/markdown.ts'
import type { OutputRow } from '../../../work/content/entities.ts'
import type { TenantPublishing } from '../../../work/content/publishing-port.ts'
import { Publication } from '../entities.ts'
import { lockConnection, lockPublication } from '../lock.ts'
import { renewText } from '../renew-text.ts'
import { schedulePublication } from '../schedule.ts'
import { nextSlot } from './slots.ts'
import { type PlaceWish, wishOf } from './wish.ts'

/** See `TenantPublishing.takePiece`. */
export const takePiece: TenantPublishing['takePiece'] = async (txn, activity, output) => {
  const wish = await wishOf(txn, activity, output)
  if (!wish || !(await isApproved(txn, activity, output))) return
  const { places, at } = wish
  if (!Array.isArray(places))
    return takeTo(txn, activity, output, (places as { channelId: string }).channelId, at)
  for (const type of places as readonly ChannelType[]) {
    const channel = await txn.em.findOne(ChannelConnection, { tenantId: activity.tenantId, type })
    if (channel && txn.services.connectors.has(type)) await takeTo(txn, activity, output, channel.id, at)
    else await tellMissing(txn, activity, output, type)
  }
}

async function takeTo(
  txn: Transaction,
  activity: ActivityRow,
  output: OutputRow,
  channelId: string,
  at: PlaceWish['at'],
): Promise<void> {
  const before = await txn.em.findOne(Publication, {
    activityId: activity.id,
    channelId,
    status: { $nin: ['cancelled', 'removed'] },
  })
  // The verdict is on a newer text of a piece that goes there already.
  if (before) return renewText(txn, activity, await lockPublication(txn, before.id), output)
  const channel = await lockConnection(txn, channelId)
  if (!channel) return
  const when = at ?? (await nextSlot(txn, activity.tenantId, channelId))
  const { id, scheduledFor } = await schedulePublication(txn, activity, output, channel, when)
  logActivity(txn, activity, {
    kind: 'publishing',
    message: `Goes out on ${channelNames[channel.type]} on ${scheduledFor.toISOString()}`,
    data: { publicationId: id },
  })
  txn.audit({
    tenantId: activity.tenantId,
    resourceType: 'publication',
    resourceId: id,
    action: 'publication.create',
    after: { activityId: activity.id, channelId, contentHash: output.sha256, scheduledFor },
  })
}

/** Nothing can wait for an account that was never there: people are told what to do. */
async function tellMissing(
  txn: Transaction,
  activity: ActivityRow,
  output: OutputRow,
  type: ChannelType,
): Promise<void> {
  const canPublish = txn.services.connectors.has(type)
  const body = canPublish
    ? `Not published: no ${channelNames[type]} is connected. Connect it, then publish the piece.`
    : `Not published: Copydesk cannot publish on ${channelNames[type]}. Publish the piece there by hand.`
  logActivity(txn, activity, { kind: 'publishing', message: body })
  await notify(txn, {
    tenantId: activity.tenantId,
    to: 'admins',
    type: 'activity_failed',
    title: `${channelNames[type]}: ${titleOf(output.text)}`,
    body,
    subjectKind: 'activities',
    subjectId: activity.id,
  })
}
