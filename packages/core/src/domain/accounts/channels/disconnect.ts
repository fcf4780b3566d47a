import { LockMode } from '@mikro-orm/core'
import type { z } from 'zod'
import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { Unretryable } from '../../../platform/jobs/jobs.ts'
import { revokeToken } from '../../../platform/oauth/client.ts'
import { OAuthError } from '../../../platform/oauth/oauth.ts'
import { type ChannelAccount, ChannelConnection, type ChannelType } from './entities.ts'
import { channelDisconnected } from './events.ts'
import { giveBack } from './give-back.ts'
import type { revokeTokensJob } from './jobs.ts'
import { createCall } from './platform-call.ts'
import { PlatformError } from './platform-error.ts'
import { type ChannelSecrets, decryptSecrets, withProvider } from './provider.ts'

/**
 * Forgets the tokens of a channel and marks it disconnected. They are given back to the provider by a job that is left
 * with the change, so that a provider that fails is asked again. A channel that is disconnected stays so. Serves
 * `DELETE /dashboard/v1/channels/:channelId`.
 * @throws DomainError `NOT_FOUND`
 */
export async function disconnectChannel(ctx: Ctx, channelId: string): Promise<void> {
  await transact(ctx, async (txn) => {
    const lock = { lockMode: LockMode.PESSIMISTIC_WRITE } as const
    const channel = await txn.em.findOne(ChannelConnection, { id: channelId }, lock)
    if (!channel) throw notFound('channel')
    const { tenantId, type: channelType, status, accountName, tokensSealed } = channel
    if (status === 'disconnected') return
    if (tokensSealed !== null) giveBack(txn, channel, tokensSealed)
    Object.assign(channel, {
      status: 'disconnected',
      tokensSealed: null,
      expiresAt: null,
      renewable: false,
      updatedOn: txn.clock.date(),
    })
    txn.audit({
      tenantId,
      resourceType: 'channel',
      resourceId: channelId,
      before: { status, accountName },
      after: { status: 'disconnected' },
    })
    txn.emit(channelDisconnected, { tenantId, subject: channelId, data: { channelId, channelType } })
  })
}

/**
 * Gives the tokens of a channel that was disconnected, or connected again by others, back to its provider. The job `channel.revoke`.
 * @throws Unretryable when the provider refuses for good; OAuthError when another try may do
 */
export async function revokeTokens(
  ctx: Ctx,
  payload: z.output<typeof revokeTokensJob.payload>,
  signal: AbortSignal,
): Promise<void> {
  const { tenantId, channelType, tokens, auth } = payload
  const secrets = decryptSecrets(ctx.services.encryptor, tokens, tenantId)
  if (auth === 'credentials') return revokeCredentials(ctx, channelType, { ...payload, secrets }, signal)
  const client = ctx.services.channels.client(channelType)
  if (client?.revokeUrl === undefined) throw new Unretryable('No address for revoking is configured any more')
  const { accessToken = '', refreshToken } = secrets
  // The one that outlives the other goes first.
  const all = [
    ...(refreshToken ? [{ token: refreshToken, hint: 'refresh_token' as const }] : []),
    { token: accessToken, hint: 'access_token' as const },
  ]
  for (const one of all) {
    try {
      await withProvider(ctx, (port) => revokeToken(client, port, one), signal)
    } catch (error) {
      const { status = 500, message } = error as OAuthError
      if (status < 500 && status !== 408 && status !== 429) throw new Unretryable(message)
      throw error
    }
  }
}

async function revokeCredentials(
  ctx: Ctx,
  type: ChannelType,
  { secrets, account }: { secrets: ChannelSecrets; account: ChannelAccount },
  signal: AbortSignal,
): Promise<void> {
  const auth = ctx.services.channelAuth(type)
  if (!auth?.revoke) return
  try {
    await auth.revoke(createCall(ctx, { type, secrets, account, rules: auth.rules, signal }))
  } catch (error) {
    // They are good for nothing any more, which is what was wanted.
    if (error instanceof PlatformError && error.kind === 'auth') return
    throw error
  }
}
