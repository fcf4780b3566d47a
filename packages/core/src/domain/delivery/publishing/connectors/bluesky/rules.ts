import { z } from 'zod'
import type {
  PlatformCall,
  PlatformRefusal,
  PlatformRules,
} from '../../../../accounts/channels/platform-call.ts'
import { addressOf } from '../requests.ts'

const Refused = z.object({ error: z.string().optional(), message: z.string().optional() }).catch({})

/** The protocol answers 400 to nearly everything; the name of the error tells it apart. */
const kinds: Readonly<Record<string, PlatformRefusal['kind']>> = {
  ExpiredToken: 'auth',
  InvalidToken: 'auth',
  AuthenticationRequired: 'auth',
  AuthMissing: 'auth',
  AccountTakedown: 'policy',
  AccountDeactivated: 'policy',
  // There is a record under this key already, and it is ours alone.
  InvalidSwap: 'duplicate',
}

/** When the limit is whole again, which comes in seconds since the epoch. */
function resetOf(headers: Headers): Date | undefined {
  const at = Number(headers.get('ratelimit-reset') ?? Number.NaN)
  return Number.isInteger(at) && at > 0 ? new Date(at * 1_000) : undefined
}

export const blueskyRules: PlatformRules = {
  refusalOf({ body, status, headers }) {
    const { error = '', message } = Refused.parse(body)
    const kind = kinds[error]
    const isQuota = status === 429 && !headers.has('retry-after')
    return { ...(kind && { kind }), words: message || error, ...(isQuota && { until: resetOf(headers) }) }
  },
  limitsOf({ headers }): Record<string, { left: number; until: Date }> {
    const left = Number(headers.get('ratelimit-remaining') ?? Number.NaN)
    const until = resetOf(headers)
    return until && Number.isInteger(left) ? { requests: { left, until } } : {}
  },
}

/** A method of the server that holds the account's data. */
export function blueskyUrl(call: PlatformCall, method: string, query: Record<string, string> = {}): URL {
  const server = call.account['server'] ?? 'https://bsky.social'
  return addressOf(`${server}/xrpc/${method}`, call.urls.baseUrl, query)
}
