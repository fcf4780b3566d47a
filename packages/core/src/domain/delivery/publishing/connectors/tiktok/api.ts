import { z } from 'zod'
import type { PlatformCall, PlatformRules } from '../../../../accounts/channels/platform-call.ts'
import type { FailureKind } from '../../../../accounts/channels/platform-error.ts'
import { addressOf, bearerOf, readAs } from '../requests.ts'

const Refused = z
  .object({ error: z.object({ code: z.string(), message: z.string().default('') }) })
  .optional()
  .catch(undefined)

const Answer = z
  .object({ data: z.unknown(), error: z.object({ code: z.string() }).optional() })
  .catch({ data: undefined })

const kinds: Readonly<Record<string, FailureKind>> = {
  access_token_invalid: 'auth',
  scope_not_authorized: 'policy',
  rate_limit_exceeded: 'quota',
  spam_risk_too_many_posts: 'quota',
  spam_risk_too_many_pending_share: 'quota',
  reached_active_user_cap: 'quota',
  internal_error: 'transient',
}
const dayMs = 86_400_000

export const tiktokRules: PlatformRules = {
  isRefusal({ body }) {
    const code = Refused.parse(body)?.error.code
    return code !== undefined && code !== 'ok'
  },
  refusalOf({ body }, now) {
    const error = Refused.parse(body)?.error
    if (!error) return undefined
    const kind = kinds[error.code]
    const waitMs = error.code === 'rate_limit_exceeded' ? 60_000 : dayMs
    return {
      ...(kind && { kind }),
      ...(kind === 'quota' && { until: new Date(now.getTime() + waitMs) }),
      words: error.message || error.code,
    }
  },
}

const api = 'https://open.tiktokapis.com/v2'

/** A method of the API and the data of its answer. */
export async function callTikTok<S extends z.ZodType>(
  call: PlatformCall,
  path: string,
  json: object,
  effect: 'read' | 'repeatable' | 'once',
  data: S,
): Promise<z.output<S>> {
  const url = addressOf(`${api}${path}`, call.urls.baseUrl)
  const answer = await call.request({ method: 'POST', url, headers: bearerOf(call), json, effect })
  const { data: given, error } = Answer.parse(withSafeNumbers(answer.text))
  return readAs({ ...answer, body: error?.code === 'ok' ? given : undefined }, data)
}

/** Ids of posts come as numbers that are too long for one. */
function withSafeNumbers(text: string): unknown {
  try {
    return JSON.parse(text.replace(/([[:,]\s*)(\d{16,20})(?=\s*[,\]}])/g, '$1"$2"'))
  } catch {
    return undefined
  }
}
