import type { Transaction } from '../../../kernel/context.ts'
import type { ConnectionRow } from './entities.ts'
import { revokeTokensJob } from './jobs.ts'
import { type ChannelSecrets, decryptSecrets } from './provider.ts'

type Opened = Pick<ConnectionRow, 'tenantId' | 'type' | 'tokensSealed' | 'auth' | 'account'>

/** Leaves a job that gives tokens of a channel back to its provider, where that takes them. @param tokens encrypted for the tenant */
export function giveBack(txn: Transaction, { tenantId, type, auth, account }: Opened, tokens: string): void {
  const canRevoke =
    auth === 'oauth'
      ? txn.services.channels.client(type)?.revokeUrl !== undefined
      : txn.services.channelAuth(type)?.revoke !== undefined
  if (!canRevoke) return
  const payload = { tenantId, channelType: type, tokens, auth, account: { ...account } }
  txn.enqueue(revokeTokensJob, { tenantId, payload })
}

/**
 * Gives back what others take the place of: a password that no one uses any more would open the account for good. Not so tokens of
 * OAuth, with which some providers take back the whole consent, and the new tokens with it.
 */
export function giveBackReplaced(txn: Transaction, before: Opened, next: ChannelSecrets): void {
  if (before.auth !== 'credentials' || before.tokensSealed === null) return
  if (opensTheSame(txn, before, next)) return
  giveBack(txn, before, before.tokensSealed)
}

/**
 * A person may paste the password again that is in use, with or without the spaces that it is shown with. Secrets of a key that is lost are not
 * known any more, and left alone.
 */
function opensTheSame(
  { services }: Transaction,
  { tokensSealed, tenantId }: Opened,
  next: ChannelSecrets,
): boolean {
  try {
    const { secret, accessToken } = decryptSecrets(services.encryptor, tokensSealed ?? '', tenantId)
    return plain(secret) === plain(next.secret) && accessToken === next.accessToken
  } catch {
    return true
  }
}

const plain = (secret = '') => secret.replace(/[^a-z\d]/gi, '')
