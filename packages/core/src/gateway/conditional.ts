import { createHash } from 'node:crypto'
import type { AnyEndpoint } from './definition.ts'
import type { AnySurface } from './surface.ts'

/** True where the answer carries an `ETag` and may be 304: the endpoint says so, or its surface for everything it reads. */
export function isConditional(surface: AnySurface, endpoint: AnyEndpoint): boolean {
  const reads = endpoint.method === 'GET' && endpoint.kind === 'json'
  return endpoint.conditional || (reads && surface.conditional === true)
}

/** A weak validator of a body: the same JSON has the same one, on every server. */
export function entityTag(body: string): string {
  return `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`
}

/**
 * True when the caller has that version: weak comparison with a list of tags, or `*` (RFC 9110, 13.1.2).
 * @param ifNoneMatch the header as it came
 */
export function isKnown(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  const opaque = tag.slice(2)
  // A tag may hold a comma, ours never do.
  return ifNoneMatch.split(',').some((entry) => entry.trim().replace(/^W\//, '') === opaque)
}
