import { z } from 'zod'
import type {
  PlatformAnswer,
  PlatformCall,
  PlatformRequest,
  PlatformRules,
} from '../../../../accounts/channels/platform-call.ts'
import { addressOf, bearerOf, readAs } from '../requests.ts'

/** A version lives for a year; without one nothing is answered. */
const version = '202610'

const Refused = z
  .object({
    message: z.string().optional(),
    errorDetails: z
      .object({ inputErrors: z.array(z.object({ code: z.string().optional() })).catch([]) })
      .optional()
      .catch(undefined),
  })
  .catch({})

export const linkedinRules: PlatformRules = {
  refusalOf({ status, headers, body }, now) {
    const { message: words, errorDetails } = Refused.parse(body)
    if (errorDetails?.inputErrors.some(({ code }) => code === 'DUPLICATE_POST'))
      return { kind: 'duplicate', words }
    if (status === 426)
      return {
        kind: 'policy',
        words:
          'The platform no longer serves this version of its API: the operator has to name a newer one (apiVersion)',
      }
    // It says neither how much is left nor, mostly, until when; its counters begin at midnight.
    if (status === 429 && !headers.has('retry-after'))
      return { words, until: new Date((Math.floor(now.getTime() / 86_400_000) + 1) * 86_400_000) }
    return { words }
  },
}

export const linkedinUrl = ({ urls }: PlatformCall, path: string): URL =>
  addressOf(`https://api.linkedin.com${path}`, urls.baseUrl)

export const linkedinHeaders = (call: PlatformCall) => ({
  ...bearerOf(call),
  'linkedin-version': call.urls.apiVersion ?? version,
  'x-restli-protocol-version': '2.0.0',
})

/** A request to the versioned API. */
export function askRest(call: PlatformCall, request: PlatformRequest): Promise<PlatformAnswer> {
  return call.request({ ...request, headers: { ...linkedinHeaders(call), ...request.headers } })
}

/** A read of the versioned API. */
export async function readRest<S extends z.ZodType>(
  call: PlatformCall,
  path: string,
  schema: S,
  headers: Record<string, string> = {},
): Promise<z.output<S>> {
  return readAs(await askRest(call, { url: linkedinUrl(call, path), headers, effect: 'read' }), schema)
}
