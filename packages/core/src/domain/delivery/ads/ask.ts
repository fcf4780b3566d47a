import type { Ctx } from '../../../kernel/context.ts'
import { DomainError, invalid, notFound } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { withAccess } from '../../accounts/channels/access.ts'
import { ChannelConnection, type ConnectionRow, channelNames } from '../../accounts/channels/entities.ts'
import type { PlatformCall } from '../../accounts/channels/platform-call.ts'
import { PlatformError } from '../../accounts/channels/platform-error.ts'
import type { AdPlatformName } from './entities.ts'
import type { AdPlatform } from './platform.ts'

/** @throws DomainError `UNPROCESSABLE` for a platform that is not served */
export function platformOf({ services }: Ctx, name: AdPlatformName): AdPlatform {
  const platform = services.adPlatforms.get(name)
  if (platform) return platform
  throw new DomainError('UNPROCESSABLE', `Ads of ${name} are not served`)
}

/**
 * The connection that a request names, of the type that opens a platform.
 * @param named the field of the connection, and the one of the platform
 * @throws DomainError `NOT_FOUND`; `VALIDATION_ERROR` for one of another type; `UNPROCESSABLE` when it is not connected, or not served
 */
export async function channelFor(
  ctx: Ctx,
  channelId: string,
  name: AdPlatformName,
  named: { platform: 'platform' | 'channel' },
): Promise<ConnectionRow> {
  const found = await transact(ctx, (txn) => txn.em.findOne(ChannelConnection, { id: channelId }))
  if (!found) throw notFound('channel', { field: 'connectedChannelId' })
  const { channel } = platformOf(ctx, name)
  if (found.type !== channel)
    throw invalid(named.platform, `This channel is ${channelNames[found.type]}, not ${name}`)
  if (found.status !== 'connected') throw new DomainError('UNPROCESSABLE', 'The channel is not connected')
  return found
}

/** Asks a platform while someone waits for the answer. @throws DomainError `UNPROCESSABLE` with the platform's words */
export async function askPlatform<T>(
  ctx: Ctx,
  channelId: string,
  { rules }: AdPlatform,
  work: (call: PlatformCall) => Promise<T>,
): Promise<T> {
  try {
    return await withAccess(ctx, channelId, { rules }, work)
  } catch (error) {
    throw toDomain(error)
  }
}

/** What a platform refuses is told to who has asked. */
export function toDomain(error: unknown): unknown {
  if (!(error instanceof PlatformError)) return error
  const { kind, message } = error
  return new DomainError('UNPROCESSABLE', message, { details: { reason: kind }, cause: error })
}
