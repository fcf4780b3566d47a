import { ApiError, createClient } from '@copydesk/client'
import { exitCodes, Failure } from '../shell/failure.ts'
import { changeProfiles, type Profile } from './profiles.ts'

/**
 * An access token is renewed this long before it expires, milliseconds: a request takes a moment to arrive.
 */
const earlyMs = 30_000

/** Whether an access token is still valid. @param now milliseconds since the epoch */
function isFresh(token: string, now: number): boolean {
  try {
    const [, claims = ''] = token.split('.')
    const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')) as { exp?: unknown }
    return typeof exp === 'number' && exp * 1_000 - earlyMs > now
  } catch {
    return false
  }
}

/**
 * Returns the access token of a profile's session, renewed before it expires. Of several processes one renews
 * it and the others read what it saved, so that no refresh token is lost.
 */
export function tokenOf(
  { file, name, url, fetch }: { file: string; name: string; url: string; fetch: typeof globalThis.fetch },
  session: NonNullable<Profile['session']>,
  now: () => number,
): () => Promise<string> {
  let held = session
  return async () => {
    if (isFresh(held.accessToken, now())) return held.accessToken
    held = await changeProfiles(file, async ({ profiles }) => {
      const kept = profiles[name]?.session
      if (!kept)
        throw new Failure(`The profile ${name} has been logged out.`, { exitCode: exitCodes.forbidden })
      if (!isFresh(kept.accessToken, now())) {
        const { refreshToken } = kept
        // A server may rotate the refresh token, which invalidates the previous one.
        const renewed: { accessToken: string; refreshToken?: string } = await createClient({
          baseUrl: url,
          fetch,
        })
          .call('auth', 'POST /refresh', { body: { refreshToken } })
          .catch((error: unknown) => {
            throw error instanceof ApiError && error.status === 401 ? ended(name, url) : error
          })
        Object.assign(kept, renewed)
      }
      return { ...kept }
    })
    return held.accessToken
  }
}

function ended(name: string, url: string): Failure {
  return new Failure(
    `The session of the profile ${name} has ended. Log in again with \`copydesk login ${url} --profile ${name}\`.`,
    { exitCode: exitCodes.forbidden },
  )
}
