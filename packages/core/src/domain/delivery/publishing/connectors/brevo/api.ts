import { z } from 'zod'
import type {
  PlatformCall,
  PlatformRequest,
  PlatformRules,
} from '../../../../accounts/channels/platform-call.ts'
import { type FailureKind, PlatformError } from '../../../../accounts/channels/platform-error.ts'
import { addressOf, readAs } from '../requests.ts'

const Refused = z.object({ code: z.string().optional(), message: z.string().optional() }).catch({})
const kinds: Readonly<Record<string, FailureKind>> = {
  unauthorized: 'auth',
  permission_denied: 'policy',
  account_under_validation: 'policy',
  not_enough_credits: 'policy',
  campaign_sent: 'duplicate',
  campaign_processing: 'duplicate',
  duplicate_request: 'duplicate',
  // Of a key by which a mail was taken before.
  duplicate_parameter: 'duplicate',
}

export const brevoRules: PlatformRules = {
  refusalOf({ body, status }) {
    const { code = '', message: words } = Refused.parse(body)
    // A key that may be used from certain addresses only is good: the operator has to name ours.
    const isBound = status === 401 && /\bIP\b/.test(words ?? '')
    // One that is not verified any more: it says `invalid_parameter`, as of an address that it does not take.
    const isOfSender = status === 400 && /\bsender\b/i.test(words ?? '')
    const kind = isBound || isOfSender || status === 402 ? 'policy' : kinds[code]
    return { ...(kind && { kind }), words }
  },
  limitsOf({ headers }, now): Record<string, { left: number; until: Date }> {
    const left = Number(headers.get('x-sib-ratelimit-remaining') ?? Number.NaN)
    // Seconds from now, not a date.
    const seconds = Number(headers.get('x-sib-ratelimit-reset') ?? Number.NaN)
    const isTold = Number.isInteger(left) && seconds > 0 && seconds < 86_400
    return isTold ? { requests: { left, until: new Date(now.getTime() + seconds * 1_000) } } : {}
  },
}

export const brevoUrl = ({ urls }: PlatformCall, path: string, query: Record<string, string> = {}): URL =>
  addressOf(`https://api.brevo.com/v3${path}`, urls.baseUrl, query)

export function askBrevo(call: PlatformCall, request: PlatformRequest) {
  return call.request({ ...request, headers: brevoLogin(call) })
}

export function brevoLogin({ secrets: { accessToken, secret = '' } }: PlatformCall): Record<string, string> {
  return accessToken === undefined ? { 'api-key': secret } : { authorization: `Bearer ${accessToken}` }
}

const Senders = z.object({
  senders: z.array(z.object({ id: z.int(), active: z.boolean().default(true) })).default([]),
})

/** The id of the first sender that the account has verified. @throws PlatformError `policy` where there is none */
export async function verifiedSender(call: PlatformCall): Promise<string> {
  const { senders } = readAs(
    await askBrevo(call, { url: brevoUrl(call, '/senders'), effect: 'read' }),
    Senders,
  )
  const sender = senders.find(({ active }) => active)
  if (!sender) throw new PlatformError('policy', 'No sender is verified at the platform')
  return String(sender.id)
}
