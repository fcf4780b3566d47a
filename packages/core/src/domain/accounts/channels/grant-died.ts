import { LockMode } from '@mikro-orm/core'
import type { Ctx } from '../../../kernel/context.ts'
import { transact } from '../../../kernel/transact.ts'
import { notify } from '../../people/notifications/notify.ts'
import { ChannelConnection, type ConnectionRow, channelNames } from './entities.ts'
import { channelDisconnected } from './events.ts'
import { PlatformError } from './platform-error.ts'

/**
 * Disconnects a channel whose grant is dead, and tells the admins once, however many processes find out.
 * @param connection as it was when its secrets were refused; newer ones are left alone
 * @returns what the caller throws
 */
export async function grantDied(
  ctx: Ctx,
  connection: Pick<ConnectionRow, 'id' | 'tokensSealed'>,
  why: string,
): Promise<PlatformError> {
  await transact(ctx, async (txn) => {
    const lockMode = LockMode.PESSIMISTIC_WRITE
    const channel = await txn.em.findOne(ChannelConnection, { id: connection.id }, { lockMode })
    if (channel?.status !== 'connected' || channel.tokensSealed !== connection.tokensSealed) return
    const { id, tenantId, type, accountName } = channel
    const now = txn.clock.date()
    Object.assign(channel, {
      status: 'expired',
      tokensSealed: null,
      expiresAt: null,
      renewable: false,
      refreshingBy: null,
      refreshingUntil: null,
      lastCheckedAt: now,
      updatedOn: now,
    })
    txn.audit({
      tenantId,
      resourceType: 'channel',
      resourceId: id,
      action: 'channel.expired',
      before: { status: 'connected', accountName },
      after: { status: 'expired', reason: why },
    })
    txn.emit(channelDisconnected, { tenantId, subject: id, data: { channelId: id, channelType: type } })
    await notify(txn, {
      tenantId,
      to: 'admins',
      type: 'activity_failed',
      title: `Connect ${channelNames[type]} again`,
      body: `${accountName ?? 'The account'} does not let us in any more: ${why}. What waits for the channel goes on once it is connected again.`,
      subjectKind: 'home',
      subjectId: id,
    })
  })
  return new PlatformError('auth', why)
}
