import type { Clock, NewId } from '../../platform/clock.ts'
import type { Box } from '../../platform/crypto/box.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Claim } from '../context.ts'
import { claimKey, completeClaim, dropClaim } from './idempotency-queries.ts'

const keptMs = 24 * 3_600_000

/** How long a key is held by a request that does not answer; its acts cannot commit once another has taken it over. */
const heldMs = 60_000

export type Claimed =
  | { state: 'new'; claim: Claim }
  /** The first request is at work. */
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
  box,
}: {
  db: Database
  clock: Clock
  newId: NewId
  box: Box
}) {
  return {
    async begin(key: string, hash: string): Promise<Claimed> {
      const claim = { key, id: newId(), hash }
      const isSame = (stored: string) => box.matchesMac(stored, hash, purpose)
      const found = await claimKey(db, claim, {
        hash: box.macs(hash, purpose)[0],
        isSame,
        now: clock.date(),
        claimedUntil: new Date(clock.now() + heldMs),
        expiresAt: new Date(clock.now() + keptMs),
      })
      if (!found) return { state: 'new', claim }
      if (found.status !== null && found.response !== null) {
        const kept = box.open(found.response, key)
        if (kept.slice(0, hash.length) !== hash) return { state: 'other' }
        return { state: 'done', status: found.status, body: kept.slice(hash.length) }
      }
      if (!isSame(found.hash)) return { state: 'other' }
      const over = found.committed && found.claimedUntil.getTime() <= clock.now()
      return { state: over ? 'unanswered' : 'running' }
    },
    /** What was asked is sealed with the answer: the keyed hash is no use any more once its key has been retired. */
    complete: (claim: Claim, answer: { status: number; body: string }) =>
      completeClaim(db, claim, answer.status, box.seal(`${claim.hash}${answer.body}`, claim.key)),
    abandon: (claim: Claim) => dropClaim(db, claim),
  }
}
