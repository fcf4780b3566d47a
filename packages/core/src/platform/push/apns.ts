import { SignJWT } from 'jose'
import type { Clock } from '../clock.ts'
import { createH2Channel } from './h2-channel.ts'
import { PushError, type PushMessage, type PushSender, readKey } from './push.ts'

export interface IosPushOptions {
  keyId: string
  teamId: string
  /** The signing key, PEM. */
  key: string
  /** The app's bundle id. */
  topic: string
  /** Default `https://api.push.apple.com`. */
  baseUrl?: string
  /** Who vouches for the server beside the system's own authorities, PEM. */
  ca?: string
}

/** A provider token is good for an hour, and may not be changed more often than every 20 minutes. */
const tokenMs = { renew: 45 * 60_000, soonest: 20 * 60_000 }
/** How long the platform keeps a message for a device that is off, seconds. */
const ttlSeconds = 86_400

/** Sends by APNs over HTTP/2. @throws TypeError when the key is none */
export function createApnsSender({ options, clock }: { options: IosPushOptions; clock: Clock }): PushSender {
  const { keyId, teamId, topic, ca } = options
  const key = readKey(options.key, 'ES256', 'push.ios.key')
  const channel = createH2Channel({
    baseUrl: options.baseUrl ?? 'https://api.push.apple.com',
    name: 'The push service of iOS',
    ...(ca !== undefined && { ca }),
  })
  let provider: { token: Promise<string>; at: number } | undefined

  const providerToken = (olderThan: number): Promise<string> => {
    const now = clock.now()
    if (!provider || now - provider.at >= olderThan) {
      const iat = Math.floor(now / 1_000)
      const token = new SignJWT({ iss: teamId, iat })
        .setProtectedHeader({ alg: 'ES256', kid: keyId })
        .sign(key)
      provider = { token, at: now }
    }
    return provider.token
  }
  const post = (message: PushMessage, token: string, signal: AbortSignal) =>
    channel.post(
      `/3/device/${encodeURIComponent(message.token)}`,
      {
        authorization: `bearer ${token}`,
        'apns-topic': topic,
        'apns-push-type': 'alert',
        'apns-priority': '10',
        'apns-expiration': String(Math.floor(clock.now() / 1_000) + ttlSeconds),
        'apns-collapse-id': message.id,
        'content-type': 'application/json',
      },
      toApns(message),
      signal,
    )
  return {
    async send(message, signal) {
      const first = await providerToken(tokenMs.renew)
      let answer = await post(message, first, signal)
      if (answer.status === 403 && readAnswer(answer.text).reason === 'ExpiredProviderToken') {
        const next = await providerToken(tokenMs.soonest)
        if (next !== first) answer = await post(message, next, signal)
      }
      if (answer.status !== 200) throw refusal(answer.status, answer.text)
    },
    async check() {
      await channel.ping()
      return `the push service of iOS answers; messages go out for ${topic}`
    },
    close: () => channel.close(),
  }
}

function toApns({ title, body, data }: PushMessage): string {
  return JSON.stringify({ aps: { alert: { title, body }, sound: 'default' }, ...data })
}

/** What a refusal says of the message, of the device, or of us. */
function refusal(status: number, text: string): PushError {
  const { reason, timestamp } = readAnswer(text)
  const what = `The push service of iOS answers ${status} ${reason}`.trim()
  if (status === 410) {
    return new PushError(
      'unregistered',
      what,
      typeof timestamp === 'number' ? { since: new Date(timestamp) } : {},
    )
  }
  // 403 speaks of our key: anyone who fixes that wants the message to go out.
  return new PushError(status === 403 || status === 429 || status >= 500 ? 'transient' : 'refused', what)
}

function readAnswer(text: string): { reason: string; timestamp: unknown } {
  try {
    const { reason, timestamp } = JSON.parse(text) as { reason?: string; timestamp?: number }
    return { reason: (reason ?? '').slice(0, 80), timestamp }
  } catch {
    return { reason: '', timestamp: undefined }
  }
}
