import type { CorsOptions } from './ports.ts'

/** What the allow-list of origins adds to answers. */
export interface Cors {
  /** Headers for an answer to a page of `origin`; empty when nothing is allowed. */
  headers(origin: string | undefined): readonly string[]
  /** Headers for a preflight, or undefined when the origin is not on the list. */
  preflight(origin: string | undefined, methods: string): string[] | undefined
}

const requestHeaders =
  'Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, X-Tenant-Id, X-Request-Id, X-Copydesk-Assistant'
const exposed =
  'X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Idempotent-Replayed, ETag, Deprecation, Sunset, Link, Content-Disposition'

/**
 * Without options no origin is allowed and no header is added. An origin is on the list only as the whole of what is
 * written there. Credentials are never allowed: tokens travel in `Authorization`, which a page adds itself.
 * @throws Error on an entry that no browser sends, `*` and `null` among them
 */
export function createCors(options: CorsOptions | undefined): Cors {
  if (!options || options.origins.length === 0) return { headers: () => [], preflight: () => undefined }
  for (const origin of options.origins) {
    if (!isOrigin(origin)) {
      throw new Error(`corsOrigins: "${origin}" is no origin; write it as https://app.example.com`)
    }
  }
  const vary = ['Vary', 'Origin']
  const byOrigin = new Map(
    options.origins.map((origin) => [
      origin,
      ['Access-Control-Allow-Origin', origin, 'Access-Control-Expose-Headers', exposed, ...vary],
    ]),
  )
  const maxAge = String(options.maxAgeSeconds ?? 600)
  return {
    headers: (origin) => (origin === undefined ? vary : (byOrigin.get(origin) ?? vary)),
    preflight: (origin, methods) =>
      origin === undefined || !byOrigin.has(origin)
        ? undefined
        : [
            'Access-Control-Allow-Methods',
            methods,
            'Access-Control-Allow-Headers',
            requestHeaders,
            'Access-Control-Max-Age',
            maxAge,
          ],
  }
}

/** As browsers send it: lower-case, without a path or the scheme's own port; apps have schemes of their own. */
function isOrigin(text: string): boolean {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\sA-Z/?#@*]+$/.test(text) || !URL.canParse(text)) return false
  return !/^https?:/.test(text) || new URL(text).origin === text
}
