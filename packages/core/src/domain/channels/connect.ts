import { randomToken, sha256Hex } from '../../platform/crypto/hash.ts'
import { requestAuthorization } from '../../platform/oauth/client.ts'
import { command } from '../command.ts'
import type { Ctx } from '../context.ts'
import { DomainError, invalid } from '../errors.ts'
import { oneTenant } from '../scope.ts'
import { ConnectAttempt } from './entities.ts'
import { callbackUrl } from './provider.ts'
import type { ConnectReply } from './schemas.ts'
import { channelNames, type ChannelType } from './types.ts'

/** How long a person has to come back from the provider. */
const attemptMs = 10 * 60_000

/**
 * Begins to connect a channel: the person is sent to its provider, and comes back to the callback with the state. Serves
 * `POST /dashboard/v1/channels/:platform/connect`.
 * @param redirectUrl where the person goes in the end
 * @throws DomainError `UNPROCESSABLE` when no client is configured for the type; `VALIDATION_ERROR` on `redirectUrl` when it
 *   is not allowed
 */
export async function startConnect(
  ctx: Ctx,
  platform: ChannelType,
  redirectUrl: string,
): Promise<ConnectReply> {
  const { channels, box, settings } = ctx.services
  const client = channels.client(platform)
  if (!client)
    throw new DomainError(
      'UNPROCESSABLE',
      `${channelNames[platform]} cannot be connected here: no client is set up`,
    )
  if (!channels.allows(redirectUrl))
    throw invalid('redirectUrl', 'The URL is not one that people may be sent back to')
  const tenantId = oneTenant(ctx)
  const state = randomToken(32)
  const redirectUri = callbackUrl(settings.baseUrl, platform)
  const { url, verifier } = await requestAuthorization(client, { redirectUri, state })
  await command(ctx, async (cmd) => {
    const now = cmd.clock.date()
    cmd.em.create(ConnectAttempt, {
      id: cmd.newId(),
      tenantId,
      userId: cmd.actor.id,
      platform,
      stateHash: sha256Hex(state),
      verifierSealed: box.seal(verifier, tenantId),
      redirectUrl,
      createdOn: now,
      expiresAt: new Date(now.getTime() + attemptMs),
    })
    cmd.audit({ tenantId, resourceType: 'channel', after: { type: platform } })
  })
  return { authUrl: url, state }
}
