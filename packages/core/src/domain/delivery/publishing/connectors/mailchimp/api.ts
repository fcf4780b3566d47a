import { z } from 'zod'
import type {
  PlatformAnswer,
  PlatformCall,
  PlatformRequest,
  PlatformRules,
} from '../../../../accounts/channels/platform-call.ts'
import { PlatformError } from '../../../../accounts/channels/platform-error.ts'
import { addressOf, readAs } from '../requests.ts'

const Refused = z
  .object({
    title: z.string().optional(),
    detail: z.string().optional(),
    errors: z.array(z.object({ field: z.string().default(''), message: z.string().default('') })).optional(),
  })
  .catch({})

export const mailchimpRules: PlatformRules = {
  refusalOf({ status, body }) {
    // The front door lets ten connections of a user in at once, and turns others away with a page.
    if (status === 403 && body === undefined) return { kind: 'quota', words: 'Too many requests at once' }
    const { title, detail, errors = [] } = Refused.parse(body)
    const [first] = errors
    return { words: first ? `${first.field}: ${first.message}` : (detail ?? title) }
  },
}

/** The data centre that an account lives in; a key ends with it. */
function centreOf({ account, secrets }: PlatformCall): string {
  const centre = account['centre'] ?? secrets.secret?.split('-').at(-1) ?? ''
  if (/^[a-z]{2}\d{1,3}$/.test(centre)) return centre
  throw new PlatformError(
    'validation',
    'The key does not say where the account is: it ends with a hyphen and a place such as us6',
  )
}

export function mailchimpUrl(call: PlatformCall, path: string, query: Record<string, string> = {}): URL {
  return addressOf(`https://${centreOf(call)}.api.mailchimp.com/3.0${path}`, call.urls.baseUrl, query)
}

export function mailchimpLogin({ secrets: { accessToken, secret = '' } }: PlatformCall): {
  authorization: string
} {
  if (accessToken !== undefined) return { authorization: `Bearer ${accessToken}` }
  return { authorization: `Basic ${Buffer.from(`copydesk:${secret}`).toString('base64')}` }
}

export function sendMailchimp(call: PlatformCall, request: PlatformRequest): Promise<PlatformAnswer> {
  return call.request({ ...request, headers: mailchimpLogin(call) })
}

export async function readMailchimp<S extends z.ZodType>(
  call: PlatformCall,
  url: URL,
  schema: S,
): Promise<z.output<S>> {
  return readAs(await sendMailchimp(call, { url, effect: 'read' }), schema)
}
