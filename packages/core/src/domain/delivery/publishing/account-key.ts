import { sha256Hex } from '../../../platform/crypto/hash.ts'
import type { ChannelAccount } from '../../accounts/channels/entities.ts'
import { PlatformError } from '../../accounts/channels/platform-error.ts'
import type { PublicationRow } from './entities.ts'

/** The name of an account: it is what its connector knows of it, and has no other. */
export const accountKey = (account: ChannelAccount): string =>
  sha256Hex(JSON.stringify(Object.entries(account).toSorted(([a], [b]) => (a < b ? -1 : 1)))).slice(0, 32)

/**
 * An id of another account's is the id of another post.
 * @param advice what a person does then
 * @throws PlatformError `policy` when a post went to another account than this one
 */
export function requireAccount(
  { accountKey: key }: Pick<PublicationRow, 'accountKey'>,
  account: ChannelAccount,
  advice: string,
): void {
  if (key !== null && key !== accountKey(account))
    throw new PlatformError('policy', `The channel is connected to another account now: ${advice}`)
}
