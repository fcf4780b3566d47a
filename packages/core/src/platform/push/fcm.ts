import { SignJWT } from 'jose'
import type { Clock } from '../clock.ts'
import type { HttpClient, OutboundResponse } from '../http/client.ts'
import { OutboundError } from '../http/outbound-error.ts'
import { PushError, type PushMessage, type PushSender, readKey } from './push.ts'

export interface AndroidPushOptions {
  /** The service account of the project: the JSON that its console hands out. */
  serviceAccount: string
  /** Default `https://fcm.googleapis.com`. */
  baseUrl?: string
  /** Where access tokens come from; default: as the service account says. */
  tokenUrl?: string
}

interface ServiceAccount {
  project: string
  email: string
  privateKey: string
  keyId: string | undefined
  tokenUrl: string
}

interface Access {
  token: string
  /** Milliseconds since the Unix epoch. */
  until: number
}

const limits = { redirect: 'manual', timeoutMs: 15_000, maxBytes: 65_536 } as const
/** How long an access token is asked for, and how long before its end another one is, seconds. */
const tokenSeconds = { wanted: 3_600, spare: 120 }
/** How long the platform keeps a message for a device that is off, seconds. */
const ttlSeconds = 86_400

/** Sends by FCM's HTTP v1 interface. @throws TypeError when the service account is none */
export function createFcmSender(parts: {
  options: AndroidPushOptions
  http: HttpClient
  clock: Clock
}): PushSender {
  const { options, http, clock } = parts
  const account = readAccount(options.serviceAccount)
  const key = readKey(account.privateKey, 'RS256', 'push.android.serviceAccount: private_key')
  const baseUrl = (options.baseUrl ?? 'https://fcm.googleapis.com').replace(/\/+$/, '')
  const tokenUrl = options.tokenUrl ?? account.tokenUrl
  const sendUrl = `${baseUrl}/v1/projects/${encodeURIComponent(account.project)}/messages:send`
  let access: Promise<Access> | undefined

  const askForToken = async (): Promise<Access> => {
    const iat = Math.floor(clock.now() / 1_000)
    const assertion = await new SignJWT({
      iss: account.email,
      scope: 'https://www.googleapis.com/auth/firebase.messaging',
      aud: account.tokenUrl,
      iat,
      exp: iat + tokenSeconds.wanted,
    })
      .setProtectedHeader({
        typ: 'JWT',
        alg: 'RS256',
        ...(account.keyId !== undefined && { kid: account.keyId }),
      })
      .sign(key)
    const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }
    const form = { method: 'POST', body: new URLSearchParams(grant).toString() }
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    try {
      const response = await http.request(tokenUrl, { ...limits, ...form, headers })
      const text = await response.text()
      if (response.status !== 200) throw new Error(`it answers ${response.status} ${oauthError(text)}`)
      const answer = JSON.parse(text) as { access_token?: string; expires_in?: number | string }
      if (typeof answer.access_token !== 'string') throw new Error('it answers without a token')
      const seconds = Number(answer.expires_in ?? tokenSeconds.wanted) - tokenSeconds.spare
      return { token: answer.access_token, until: clock.now() + Math.max(0, seconds) * 1_000 }
    } catch (error) {
      const why = error instanceof SyntaxError ? 'it answers with no JSON' : (error as Error).message
      throw new PushError('transient', `No access to the push service of Android: ${why}`, { cause: error })
    }
  }
  const renew = (): Promise<Access> => {
    const asked = askForToken()
    access = asked
    asked.catch(() => {
      if (access === asked) access = undefined
    })
    return asked
  }
  const accessToken = async (): Promise<string> => {
    const { token, until } = await (access ?? renew())
    return until > clock.now() ? token : (await renew()).token
  }
  const post = async (message: PushMessage, signal: AbortSignal): Promise<OutboundResponse> => {
    const authorization = `Bearer ${await accessToken()}`
    const headers = { authorization, 'content-type': 'application/json' }
    const body = JSON.stringify({ message: toFcm(message) })
    try {
      return await http.request(sendUrl, { ...limits, method: 'POST', headers, body, signal })
    } catch (error) {
      const sent = !(error instanceof OutboundError) || error.maybeSent
      const why = (error as Error).message
      throw new PushError(sent ? 'unknown' : 'transient', `The push service of Android: ${why}`, {
        cause: error,
      })
    }
  }
  return {
    async send(message, signal) {
      let response = await post(message, signal)
      if (response.status === 401) {
        access = undefined
        response = await post(message, signal)
      }
      if (response.status === 200) return
      throw refusal(response.status, await response.text().catch(() => ''))
    },
    async check() {
      await accessToken()
      return `the push service of Android gives access to the project ${account.project}`
    },
    async close() {},
  }
}

/** @throws TypeError */
function readAccount(text: string): ServiceAccount {
  const wrong = new TypeError('push.android.serviceAccount: must be the JSON of a service account')
  let given: Record<string, unknown>
  try {
    given = JSON.parse(text) as Record<string, unknown>
  } catch {
    throw wrong
  }
  const {
    project_id: project,
    client_email: email,
    private_key: privateKey,
    private_key_id: keyId,
  } = given ?? {}
  const tokenUrl = given?.['token_uri'] ?? 'https://oauth2.googleapis.com/token'
  if (typeof project !== 'string' || typeof email !== 'string' || typeof privateKey !== 'string') throw wrong
  if (typeof tokenUrl !== 'string' || !URL.canParse(tokenUrl)) throw wrong
  return { project, email, privateKey, keyId: typeof keyId === 'string' ? keyId : undefined, tokenUrl }
}

function toFcm({ token, id, title, body, data }: PushMessage) {
  return {
    token,
    notification: { title, body },
    data,
    android: { priority: 'high', ttl: `${ttlSeconds}s`, collapse_key: id, notification: { tag: id } },
  }
}

/** What a refusal says of the message, of the device, or of us. */
function refusal(status: number, text: string): PushError {
  const { code, reason } = readRefusal(text)
  const what = `The push service of Android answers ${status} ${code || reason}`.trim()
  if (code === 'UNREGISTERED') return new PushError('unregistered', what)
  // A gateway on the way gave up waiting; what stands behind it may have the message.
  if (status === 502 || status === 504) return new PushError('unknown', what)
  const aboutUs = status === 401 || (status === 403 && code !== 'SENDER_ID_MISMATCH')
  return new PushError(aboutUs || status === 429 || status >= 500 ? 'transient' : 'refused', what)
}

function readRefusal(text: string): { code: string; reason: string } {
  try {
    const { error } = JSON.parse(text) as {
      error?: { status?: string; details?: Array<{ errorCode?: string }> }
    }
    const code = error?.details?.find(({ errorCode }) => errorCode !== undefined)?.errorCode ?? ''
    return { code: code.slice(0, 80), reason: (error?.status ?? '').slice(0, 80) }
  } catch {
    return { code: '', reason: '' }
  }
}

function oauthError(text: string): string {
  return /"error"\s*:\s*"([\w-]{1,80})"/.exec(text)?.[1] ?? ''
}
