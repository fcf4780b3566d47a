import { sha256Hex } from '../../../platform/crypto/hash.ts'
import type { ChannelAccount } from '../../accounts/channels/entities.ts'

/** The name of an account: it is what its connector knows of it, and has no other. */
export const accountKey = (account: ChannelAccount): string =>
  sha256Hex(JSON.stringify(Object.entries(account).toSorted(([a], [b]) => (a < b ? -1 : 1)))).slice(0, 32)
