import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { type JobOrder, toNewJob } from '../../../kernel/jobs.ts'
import { preview } from '../../../kernel/text.ts'
import { oneLine } from '../../../platform/mail/text.ts'
import { PushError } from '../../../platform/push/push.ts'
import { deepLink } from '../notifications/inbox-queries.ts'
import { dueNow } from '../notifications/preferences.ts'
import { devicesOf } from './device-queries.ts'
import type { PushState } from './entities.ts'
import {
  type ClaimedPush,
  claimPush,
  closePush,
  type DuePush,
  forgetDevice,
  releasePush,
} from './intent-queries.ts'
import { sendPushJob } from './jobs.ts'

/** How much of a text a lock screen is given, characters; services take 4 KB in all. */
const shown = 300

/** Queues what the devices of those are told who have got a notification, in the transaction in which they get it. */
export async function queuePushes(
  txn: Transaction,
  tenantId: string,
  told: ReadonlyArray<{ notificationId: string; userId: string; runAt?: Date | undefined }>,
): Promise<void> {
  if (told.length === 0 || txn.services.push.platforms.length === 0) return
  const devices = await devicesOf(
    txn,
    tenantId,
    told.map(({ userId }) => userId),
  )
  for (const { notificationId, userId, runAt } of told) {
    for (const device of devices) {
      if (device.userId !== userId) continue
      txn.enqueue(sendPushJob, orderOf(tenantId, { notificationId, pushDeviceId: device.id }, runAt))
    }
  }
}

/** One job a notification, device and time; two of them would find that one has done it. */
function orderOf(
  tenantId: string,
  { notificationId, pushDeviceId }: DuePush,
  runAt: Date | undefined,
): JobOrder<typeof sendPushJob.payload> {
  return {
    tenantId,
    payload: { notificationId, pushDeviceId },
    uniqueKey: `${sendPushJob.kind}:${notificationId}:${pushDeviceId}:${runAt?.getTime() ?? 'now'}`,
    runAt,
  }
}

/**
 * The job `push.send`: hands one notification over for one device, at most once. What is cut off or stays without an answer
 * may have arrived and is not sent again.
 */
export async function sendPush(ctx: Ctx, due: DuePush, signal: AbortSignal): Promise<void> {
  const { push, jobs } = ctx.services
  const next = await dueNow(ctx, due.notificationId, 'push')
  if (next.state === 'later') return jobs.add([toNewJob(sendPushJob, orderOf(next.tenantId, due, next.at))])
  if (next.state === 'moot') return
  const claimed = await ctx.db.write((tx) => claimPush(tx, due, ctx.clock.date()))
  if (!claimed) return
  const settle = (state: Exclude<PushState, 'sending'>) =>
    ctx.db.write((tx) => closePush(tx, due, state, ctx.clock.date()))
  try {
    await push.send(messageOf(ctx, claimed), signal)
  } catch (error) {
    const { outcome, message, since } =
      error instanceof PushError ? error : new PushError('unknown', (error as Error).message)
    if (outcome === 'transient') {
      await ctx.db.write((tx) => releasePush(tx, due))
      throw error
    }
    ctx.log.warn('a push was not delivered', { outcome, message, platform: claimed.platform })
    await settle(outcome)
    if (outcome === 'unregistered') await ctx.db.write((tx) => forgetDevice(tx, claimed, since))
    return
  }
  await settle('sent')
}

function messageOf(ctx: Ctx, { notificationId, platform, token, type, title, body, subject }: ClaimedPush) {
  return {
    platform,
    token,
    id: notificationId,
    title: oneLine(title),
    body: preview(oneLine(body), shown),
    data: { notificationId, type, deepLink: deepLink(ctx, subject) },
  }
}
