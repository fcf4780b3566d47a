import { z } from 'zod'
import type { PlatformRules } from '../../../accounts/channels/platform-call.ts'

const Refused = z
  .object({
    error: z.object({
      message: z.string().optional(),
      details: z
        .array(z.object({ metadata: z.record(z.string(), z.string()).optional() }))
        .optional()
        .catch(undefined),
    }),
  })
  .optional()
  .catch(undefined)

/** What the APIs of Google mean with their refusals; their statuses say it, but for one. */
export const googleRules: PlatformRules = {
  refusalOf({ status, body }) {
    const error = Refused.parse(body)?.error
    // Nothing at all is allowed to a project that was not approved: no waiting helps.
    const isClosed = error?.details?.some(({ metadata }) => metadata?.['quota_limit_value'] === '0')
    if (status === 429 && isClosed)
      return {
        kind: 'policy',
        words: 'Google has not approved the operator’s project for this API: apply for access there',
      }
    return { words: error?.message }
  },
}
