import { z } from 'zod'
import type { PlatformCall, PlatformRules } from '../../../../accounts/channels/platform-call.ts'

const Refused = z.object({ error: z.string().optional(), error_description: z.string().optional() }).catch({})

/** When the limit of requests is whole again, which comes as ISO 8601. */
function resetOf(headers: Headers): Date | undefined {
  const at = Date.parse(headers.get('x-ratelimit-reset') ?? '')
  return Number.isNaN(at) ? undefined : new Date(at)
}

export const mastodonRules: PlatformRules = {
  refusalOf({ body, status, headers }) {
    const { error, error_description: description } = Refused.parse(body)
    const isQuota = status === 429 && !headers.has('retry-after')
    return { words: description ?? error, ...(isQuota && { until: resetOf(headers) }) }
  },
  limitsOf({ headers }): Record<string, { left: number; until: Date }> {
    const left = Number(headers.get('x-ratelimit-remaining') ?? Number.NaN)
    const until = resetOf(headers)
    return until && Number.isInteger(left) ? { requests: { left, until } } : {}
  },
}

/** A route of the account's server. */
export function mastodonUrl(call: PlatformCall, path: string, query: Record<string, string> = {}): URL {
  const url = new URL((call.account['server'] ?? '') + path)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url
}
