import { z } from 'zod'
import type {
  PlatformAnswer,
  PlatformRefusal,
  PlatformRules,
} from '../../../../accounts/channels/platform-call.ts'

const Detail = z
  .object({ data: z.object({ status: z.int() }) })
  .optional()
  .catch(undefined)
const Refused = z
  .object({
    /** `/wp/v2/*` names a code, `/rest/*` of WordPress.com an error. */
    code: z.string().optional(),
    error: z.string().optional(),
    message: z.string().optional(),
    /** What is wrong with each parameter. */
    data: z
      .object({ details: z.record(z.string(), Detail) })
      .optional()
      .catch(undefined),
  })
  .catch({})

/** The login is not good any more, in the words of some versions and of WordPress.com. */
const deadGrants = new Set([
  'incorrect_password',
  'invalid_username',
  'invalid_email',
  'invalid_token',
  'application_passwords_disabled',
  'application_passwords_disabled_for_user',
])

const unknownLogin =
  'The site does not know the login: the application password is wrong or was revoked, or the site’s server drops the Authorization header'

/** What the API means with its refusals. All of its requests can be repeated, so that none leaves us in doubt. */
export const rules: PlatformRules = {
  refusalOf(answer: PlatformAnswer): PlatformRefusal | undefined {
    const { status, body } = answer
    if (body === undefined && status !== 429)
      return { kind: 'transient', words: `Something before the site answered ${status}` }
    const { code, error, message, data } = Refused.parse(body)
    const what = code ?? error ?? ''
    const words = message
    if (deadGrants.has(what)) return { kind: 'auth', words }
    // WordPress answers a login that it does not know as it does a stranger, even about a parameter that is for editors only.
    const faults = Object.values(data?.details ?? {}).map((detail) => detail?.data.status)
    if (what.startsWith('rest_') && (status === 401 || faults.includes(401)))
      return { kind: 'auth', words: unknownLogin }
    // A refused type of file is a failure of the server to WordPress, and a missing right a faulty request.
    if (what === 'rest_upload_sideload_error') return { kind: 'validation', words }
    if (status === 401 || status === 403 || what.startsWith('rest_cannot_')) return { kind: 'policy', words }
    return { words }
  },
}
