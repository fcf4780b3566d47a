import type { IdempotencyClaim } from '../../../kernel/context.ts'
import { claimKey, completeClaim, dropClaim } from '../../../kernel/idempotency-queries.ts'
import type { Clock, NewId } from '../../../platform/clock.ts'
import type { Encryptor } from '../../../platform/crypto/encryptor.ts'
import type { Database } from '../../../platform/database/database.ts'

const keptMs = 24 * 3_600_000

/** How long a key is held by a request that does not answer; its acts cannot commit once another has taken it over. */
const heldMs = 60_000

export type ClaimResult =
  | { state: 'new'; claim: IdempotencyClaim }
  /** The first request is running. */
  | { state: 'running' }
  /** The key belongs to another request. */
  | { state: 'other' }
  /** The first request was carried out, and its server died before it could keep the answer. */
  | { state: 'unanswered' }
  | { state: 'done'; status: number; body: string }

const purpose = 'idempotency body'

/**
 * First answers by idempotency key, for 24 hours. They may hold tokens, so they are kept sealed; what was asked is kept as a keyed hash, so that
 * a copy of the database does not help to guess it.
 */
export function createIdempotencyStore({
  db,
  clock,
  newId,
  encryptor,
}: {
  db: Database
  clock: Clock
  newId: NewId
  encryptor: Encryptor
}) {
  return {
    async begin(key: string, hash: string): Promise<ClaimResult> {
      const claim = { key, id: newId(), hash }
      const isSame = (stored: string) => encryptor.matchesMac(stored, hash, purpose)
      const found = await claimKey(db, claim, {
        hash: encryptor.macs(hash, purpose)[0],
        isSame,
        now: clock.date(),
        claimedUntil: new Date(clock.now() + heldMs),
        expiresAt: new Date(clock.now() + keptMs),
      })
      if (!found) return { state: 'new', claim }
      if (found.status !== null && found.response !== null) {
        const kept = encryptor.decrypt(found.response, key)
        if (kept.slice(0, hash.length) !== hash) return { state: 'other' }
        return { state: 'done', status: found.status, body: kept.slice(hash.length) }
      }
      if (!isSame(found.hash)) return { state: 'other' }
      const over = found.committed && found.claimedUntil.getTime() <= clock.now()
      return { state: over ? 'unanswered' : 'running' }
    },
    /** What was asked is sealed with the answer: the keyed hash is no use any more once its key has been retired. */
    complete: (claim: IdempotencyClaim, answer: { status: number; body: string }) =>
      completeClaim(db, claim, answer.status, encryptor.encrypt(`${claim.hash}${answer.body}`, claim.key)),
    abandon: (claim: IdempotencyClaim) => dropClaim(db, claim),
  }
}
