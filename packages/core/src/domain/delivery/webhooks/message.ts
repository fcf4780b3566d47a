import { createHmac } from 'node:crypto'
import { randomToken } from '../../../platform/crypto/hash.ts'

const prefix = 'whsec_'

/** A new secret of 256 bits, in the form that libraries for receivers take. */
export function newSecret(): string {
  return prefix + Buffer.from(randomToken(), 'base64url').toString('base64')
}

/** A message as it is sent: what happened, when, and what there is to say about it. */
export function webhookBody(type: string, at: Date, data: unknown): string {
  return JSON.stringify({ type, timestamp: at.toISOString(), data })
}

/**
 * The headers of a signed message, as Standard Webhooks words them: the signature stands for id, time and body together.
 * @param secrets one signature each; a receiver that knows one of them takes the message
 * @param at of this attempt: receivers refuse what is too old
 */
export function signedHeaders(
  secrets: readonly string[],
  { messageId, body }: { messageId: string; body: string },
  at: Date,
): Record<string, string> {
  const id = `msg_${messageId}`
  const timestamp = String(Math.floor(at.getTime() / 1_000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
