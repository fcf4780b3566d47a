import { sha256Hex } from '../../platform/crypto/hash.ts'
import type { Ctx } from '../context.ts'
import { inThread } from '../in-thread.ts'
import { checkContent } from './checks.ts'
import { brandToCheck } from './queries.ts'
import type { ContentCheck } from './schemas.ts'

/** A text that was held against the brand of its tenant. Only such a text becomes a version. */
export interface CheckedText {
  text: string
  sha256: string
  checks: ContentCheck[]
}

/** Texts with phrases of up to this many characters together are checked at once: a thread would take longer. */
const shortCheck = 10_000

/**
 * Holds a text against the brand of a tenant as it is now. Called before a transaction is begun: long texts take a while, which
 * they spend in a thread.
 * @throws DomainError `THROTTLED` when the caller has too many texts checked at the same time
 */
export async function checkText(ctx: Ctx, tenantId: string, text: string): Promise<CheckedText> {
  const brand = await brandToCheck(ctx, tenantId)
  const sha256 = sha256Hex(text)
  const { bannedPhrases = [], claims = [] } = brand ?? {}
  const phrases = [...bannedPhrases, ...claims.map(({ phrase }) => phrase)]
  if (phrases.length === 0) return { text, sha256, checks: [] }
  const size = phrases.reduce((sum, one) => sum + one.length, text.length)
  const held = { bannedPhrases, claims }
  const checks =
    size > shortCheck ? await inThread(ctx, 'checks', { text, brand: held }) : checkContent(text, held)
  return { text, sha256, checks }
}
