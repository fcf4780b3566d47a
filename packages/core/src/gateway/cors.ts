import type { CorsOptions } from './ports.ts'

/** What the allow-list of origins adds to answers. */
export interface Cors {
  /** Headers for an answer to a page of `origin`; empty when nothing is allowed. */
  headers(origin: string | undefined): readonly string[]
  /** Headers for a preflight, or undefined when the origin is not on the list. */
  preflight(origin: string | undefined, methods: string): string[] | undefined
}

const requestHeaders =
  'Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, X-Tenant-Id, X-Request-Id'
const exposed =
  'X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Idempotent-Replayed, ETag, Deprecation, Sunset, Content-Disposition'

/** Without options no origin is allowed and no header is added. */
export function createCors(options: CorsOptions | undefined): Cors {
  if (!options || options.origins.length === 0) return { headers: () => [], preflight: () => undefined }
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
