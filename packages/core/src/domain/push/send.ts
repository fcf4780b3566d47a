import type { NewJob } from '../../platform/jobs/jobs.ts'
import { PushError } from '../../platform/push/push.ts'
import { oneLine } from '../../platform/mail/letter.ts'
import { preview } from '../content/preview.ts'
import type { Command, Ctx } from '../context.ts'
import { deepLink } from '../notifications/deep-link.ts'
import { dueNow } from '../notifications/due.ts'
import { devicesOf } from './device-queries.ts'
import type { PushState } from './entities.ts'
import {
  type ClaimedPush,
  claimPush,
  type DuePush,
  forgetDevice,
  releasePush,
  settlePush,
} from './intent-queries.ts'

export const pushJob = 'push.send'

/** Tried for about half an hour: a service that is away comes back, and after that it is no news any more. */
const maxAttempts = 14

/** How much of a text a lock screen is given, characters; services take 4 KB in all. */
const shown = 300

/** Queues what the devices of those are told who have got a notification, in the transaction in which they get it. */
export async function queuePushes(
  cmd: Command,
  tenantId: string,
  told: ReadonlyArray<{ notificationId: string; userId: string; runAt?: Date | undefined }>,
): Promise<void> {
  if (told.length === 0 || cmd.services.push.platforms.length === 0) return
  const devices = await devicesOf(
    cmd,
    tenantId,
    told.map(({ userId }) => userId),
  )
  for (const { notificationId, userId, runAt } of told) {
    for (const device of devices) {
      if (device.userId !== userId) continue
      cmd.enqueue(jobFor(tenantId, { notificationId, pushDeviceId: device.id }, runAt))
    }
  }
}

/** One job a notification, device and time; two of them would find that one has done it. */
function jobFor(tenantId: string, due: DuePush, runAt: Date | undefined): NewJob {
  const { notificationId, pushDeviceId } = due
  return {
    kind: pushJob,
    tenantId,
    payload: { notificationId, pushDeviceId },
    uniqueKey: `${pushJob}:${notificationId}:${pushDeviceId}:${runAt?.getTime() ?? 'now'}`,
    group: pushJob,
    maxAttempts,
    ...(runAt && { runAt }),
  }
}

/**
 * The job `push.send`: hands one notification over for one device, at most once. What is cut off or stays without an answer
 * may have arrived and is not sent again.
 */
export async function sendPush(ctx: Ctx, due: DuePush, signal: AbortSignal): Promise<void> {
  const { push, jobs } = ctx.services
  const next = await dueNow(ctx, due.notificationId, 'push')
  if (next.state === 'later') return jobs.add([jobFor(next.tenantId, due, next.at)])
  if (next.state === 'moot') return
  const claimed = await ctx.db.write((tx) => claimPush(tx, due, ctx.clock.date()))
  if (!claimed) return
  const settle = (state: Exclude<PushState, 'sending'>) =>
    ctx.db.write((tx) => settlePush(tx, due, state, ctx.clock.date()))
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
