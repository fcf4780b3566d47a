import type { ConsentStatus } from './schemas.ts'

/** What has become of a consent by `now`. */
export function statusOf(
  { agreed, usedOn, expiresAt }: { agreed: boolean | null; usedOn: Date | null; expiresAt: Date },
  now: Date,
): ConsentStatus {
  if (usedOn) return 'used'
  if (agreed === false) return 'declined'
  if (expiresAt <= now) return 'expired'
  return agreed ? 'agreed' : 'pending'
}
