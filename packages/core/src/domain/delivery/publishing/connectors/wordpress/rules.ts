import { z } from 'zod'
import type {
  PlatformAnswer,
  PlatformRefusal,
  PlatformRules,
} from '../../../../accounts/channels/platform-call.ts'

/** `/wp/v2/*` names a code, `/rest/*` of WordPress.com an error. */
const Refused = z
  .object({ code: z.string().optional(), error: z.string().optional(), message: z.string().optional() })
  .catch({})

/** The login is not good any more. */
const deadGrants = new Set([
  'incorrect_password',
  'invalid_username',
  'invalid_email',
  'invalid_token',
  'application_passwords_disabled',
  'application_passwords_disabled_for_user',
])

/** What the API means with its refusals. All of its requests can be repeated, so that none leaves us in doubt. */
export const rules: PlatformRules = {
  refusalOf(answer: PlatformAnswer): PlatformRefusal | undefined {
    const { status, body } = answer
    if (body === undefined && status !== 429)
      return { kind: 'transient', words: `Something before the site answered ${status}` }
    const { code, error, message } = Refused.parse(body)
    const what = code ?? error ?? ''
    const words = message
    if (deadGrants.has(what)) return { kind: 'auth', words }
    if (what === 'rest_not_logged_in')
      return {
        kind: 'policy',
        words: 'The site did not see the login: its server drops the Authorization header',
      }
    // A refused type of file is a failure of the server to WordPress, and a missing right a faulty request.
    if (what === 'rest_upload_sideload_error') return { kind: 'validation', words }
    if (status === 401 || status === 403 || what.startsWith('rest_cannot_')) return { kind: 'policy', words }
    return { words }
  },
}
