import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError, rateLimited } from '../../../kernel/errors.ts'
import { sha256Hex } from '../../../platform/crypto/hash.ts'
import { forgetNetworks, isKnownNetwork, noteNetwork } from './queries.ts'

/** Tries at one account from networks that it was not used from before, however many there are. */
const strangers = { limit: 20, burst: 0, windowMs: 15 * 60_000 }

/** How long a network stays known without another login, days. */
export const knownDays = 90

const purpose = 'login network'

/**
 * Counts a login as one of a stranger, unless the account was used from the same network in the last 90 days: guessing from many addresses ends
 * here, and the owner goes on where the owner is known. An e-mail without an account is counted in the same way.
 * @param network the address as limits count it
 * @throws DomainError `RATE_LIMITED`
 */
export async function admitLogin(ctx: Ctx, email: string, network: string): Promise<void> {
  const { encryptor, counters } = ctx.services
  const since = new Date(ctx.clock.now() - knownDays * 86_400_000)
  if (await isKnownNetwork(ctx.sql, email, encryptor.macs(network, purpose), since)) return
  // Hashed: no address of anybody lies in a store that others look into.
  const count = await counters.hit(`login:${sha256Hex(email)}`, strangers)
  if (count.admitted) return
  throw rateLimited(
    { until: count.resetAt, now: ctx.clock.now() },
    (when) =>
      `There were too many logins to this account from places where it was not used before; try again ${when}, log in from a place where you have done so before, or choose a new password by mail`,
  )
}

/** Remembers from where someone has just proved an account; a new proof takes the place of all others. */
export async function recordKnownLogin(
  txn: Transaction,
  userId: string,
  network: string,
  { isNewProof = false }: { isNewProof?: boolean } = {},
): Promise<void> {
  if (isNewProof) await forgetNetworks(txn.tx, userId)
  await noteNetwork(txn.tx, userId, txn.services.encryptor.macs(network, purpose)[0], txn.clock.date())
}

/** Half a second of work is waiting already: anyone who comes now is better told so. */
export function tooManyHashes(): DomainError {
  return new DomainError(
    'THROTTLED',
    'Too many passwords are being checked at the moment; try again in a second',
    {
      retryAfterS: 1,
    },
  )
}
