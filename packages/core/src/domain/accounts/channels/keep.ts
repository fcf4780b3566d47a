import type { Transaction } from '../../../kernel/context.ts'
import type { OAuthTokens } from '../../../platform/oauth/oauth.ts'
import { lockTenant } from '../tenants/status.ts'
import { type ChannelAccount, type ChannelAuthKind, ChannelConnection, type ChannelType } from './entities.ts'
import { channelConnected } from './events.ts'
import { giveBackReplaced } from './give-back.ts'
import { resumeChannelJob } from './jobs.ts'
import { type ChannelSecrets, encryptSecrets } from './provider.ts'

/** An account that was opened, by whichever way. */
export interface OpenedAccount {
  auth: ChannelAuthKind
  secrets: ChannelSecrets
  /** Seconds from now; undefined where the secrets do not end. */
  expiresIn?: number | undefined
  accountName: string | null
  account: ChannelAccount | null
}

/**
 * Keeps an account as the tenant's channel of its type, in the place of the one before. Two people who connect one type at once
 * come one after the other.
 * @returns the id of the channel
 */
export async function keepConnection(
  txn: Transaction,
  { tenantId, type }: { tenantId: string; type: ChannelType },
  { auth, secrets, expiresIn, accountName, account }: OpenedAccount,
): Promise<string> {
  await lockTenant(txn, tenantId)
  const before = await txn.em.findOne(ChannelConnection, { tenantId, type })
  if (before) giveBackReplaced(txn, before, secrets)
  const was = before && { status: before.status, accountName: before.accountName }
  const now = txn.clock.date()
  const fields = {
    status: 'connected' as const,
    auth,
    accountName,
    account,
    limits: null,
    waitsUntil: null,
    throttled: 0,
    figuresRefusedAt: null,
    refreshingBy: null,
    refreshingUntil: null,
    tokensSealed: encryptSecrets(txn.services.encryptor, secrets, tenantId),
    expiresAt: endOf({ expiresIn }, now),
    renewable: secrets.refreshToken !== undefined,
    lastCheckedAt: now,
    connectedAt: now,
    connectedBy: txn.actor.id,
    updatedOn: now,
  }
  const id = before?.id ?? txn.newId()
  if (before) Object.assign(before, fields)
  else txn.em.create(ChannelConnection, { id, tenantId, type, createdOn: now, ...fields })
  txn.audit({
    tenantId,
    resourceType: 'channel',
    resourceId: id,
    before: was,
    after: { type, status: 'connected', accountName },
  })
  txn.emit(channelConnected, { tenantId, subject: id, data: { channelId: id, channelType: type } })
  if (before || txn.services.isReadAtOnce(type))
    txn.enqueue(resumeChannelJob, { tenantId, payload: { channelId: id } })
  return id
}

/** When tokens end that last so many seconds; null where they do not. */
export function endOf(
  { expiresIn }: { expiresIn?: OAuthTokens['expiresIn'] | undefined },
  now: Date,
): Date | null {
  return expiresIn === undefined ? null : new Date(now.getTime() + Math.min(expiresIn, longestS) * 1_000)
}

/** A hundred years, in seconds: a provider that says more means for ever, and dates end somewhere. */
const longestS = 3_155_760_000
