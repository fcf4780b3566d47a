import type { Clock } from '../../platform/clock.ts'
import type { Box } from '../../platform/crypto/box.ts'
import type { Database } from '../../platform/database/database.ts'
import { claimKey, completeKey, dropKey } from './idempotency-queries.ts'

const keptMs = 24 * 3_600_000

export type Claimed =
  | { state: 'new' }
  | { state: 'running' }
  | { state: 'other' }
  | { state: 'done'; status: number; body: string }

/** First answers by idempotency key, for 24 hours. They may hold tokens, so they are kept sealed. */
export function createIdempotencyStore({ db, clock, box }: { db: Database; clock: Clock; box: Box }) {
  return {
    async begin(key: string, hash: string): Promise<Claimed> {
      const found = await claimKey(db, {
        key,
        hash,
        now: clock.date(),
        expiresAt: new Date(clock.now() + keptMs),
      })
      if (!found) return { state: 'new' }
      if (found.hash !== hash) return { state: 'other' }
      if (found.status === null) return { state: 'running' }
      return {
        state: 'done',
        status: found.status,
        body: found.response === null ? '' : box.open(found.response, key),
      }
    },
    complete: (key: string, answer: { status: number; body: string }) =>
      completeKey(db, key, answer.status, box.seal(answer.body, key)),
    abandon: (key: string) => dropKey(db, key),
  }
}
