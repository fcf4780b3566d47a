import type { Ctx } from '../../../kernel/context.ts'
import { DomainError, invalid } from '../../../kernel/errors.ts'
import { oneTenant } from '../../../kernel/scope.ts'
import { transact } from '../../../kernel/transact.ts'
import { randomToken, sha256Hex } from '../../../platform/crypto/hash.ts'
import { requestAuthorization } from '../../../platform/oauth/client.ts'
import { type ChannelType, ConnectAttempt, channelNames } from './entities.ts'
import { beginOnServer } from './own-server.ts'
import { callbackUrl } from './provider.ts'
import type { ConnectReply, ConnectRequest } from './schemas.ts'

/** How long a person has to come back from the provider. */
const attemptMs = 10 * 60_000

/**
 * Begins to connect a channel: the person is sent to its provider, and comes back to the callback with the state. Serves
 * `POST /dashboard/v1/channels/:platform/connect`.
 * @param input `redirectUrl`: where the person goes in the end
 * @throws DomainError `UNPROCESSABLE` when no client is configured for the type, or the person's own server cannot do it;
 *   `VALIDATION_ERROR` on `redirectUrl` when it is not allowed, on `server` where there is none of one's own
 */
export async function startConnect(
  ctx: Ctx,
  platform: ChannelType,
  { redirectUrl, server }: ConnectRequest,
): Promise<ConnectReply> {
  const { channels, encryptor } = ctx.services
  const way = wayOf(ctx, platform, server)
  if (!channels.allows(redirectUrl))
    throw invalid('redirectUrl', 'The URL is not one that people may be sent back to')
  const tenantId = oneTenant(ctx)
  const state = randomToken(32)
  const { url, kept } = await way(state)
  await transact(ctx, async (txn) => {
    const now = txn.clock.date()
    txn.em.create(ConnectAttempt, {
      id: txn.newId(),
      tenantId,
      userId: txn.actor.id,
      platform,
      stateHash: sha256Hex(state),
      verifierSealed: encryptor.encrypt(kept, tenantId),
      redirectUrl,
      server: server ?? null,
      createdOn: now,
      expiresAt: new Date(now.getTime() + attemptMs),
    })
    txn.audit({ tenantId, resourceType: 'channel', after: { type: platform } })
  })
  return { authUrl: url, state }
}

/** Where the person agrees: at the provider that is set up, or on a server of their own. */
function wayOf(ctx: Ctx, platform: ChannelType, server: string | undefined) {
  const { channels, settings } = ctx.services
  const redirectUri = callbackUrl(settings.baseUrl, platform)
  if (server !== undefined)
    return (state: string) => beginOnServer(ctx, platform, { server, redirectUri, state })
  const client = channels.client(platform)
  if (!client)
    throw new DomainError(
      'UNPROCESSABLE',
      `${channelNames[platform]} cannot be connected here: no client is set up`,
    )
  return async (state: string) => {
    const { url, verifier } = await requestAuthorization(client, { redirectUri, state })
    return { url, kept: verifier }
  }
}
