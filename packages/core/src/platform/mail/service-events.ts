import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { equalText } from '../crypto/hash.ts'
import type { Bounce, BounceKind } from './bounce-report.ts'
import { oneLine } from './text.ts'

/** A call of the webhook, as it came. */
export interface ServiceCall {
  body: Uint8Array
  /** A request header, by lower-case name. */
  header(name: string): string | undefined
}

/** What a secret looks like: base64 after a prefix. */
export const webhookSecret = /^whsec_[A-Za-z0-9+/]{16,}={0,2}$/

/** How far the time of a signature may be away, in ms. */
const toleranceMs = 5 * 60_000

/**
 * True when a call is signed as Standard Webhooks have it, with one of the secrets (`whsec_…`) and not long ago. All are compared, so that
 * the time does not tell which one it was.
 */
export function isSignedByService(
  { body, header }: ServiceCall,
  { secrets, now }: { secrets: readonly string[]; now: number },
): boolean {
  const [id, at, given] = ['id', 'timestamp', 'signature'].map(
    (part) => header(`svix-${part}`) ?? header(`webhook-${part}`),
  )
  if (id === undefined || at === undefined || given === undefined || !/^\d{1,12}$/.test(at)) return false
  const signatures = given.split(' ').slice(0, 10)
  const own = secrets.map((secret) =>
    createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
      .update(`${id}.${at}.`)
      .update(body)
      .digest('base64'),
  )
  const isOurs = own.flatMap((one) => signatures.map((other) => equalText(`v1,${one}`, other))).includes(true)
  return isOurs && Math.abs(now - Number(at) * 1_000) <= toleranceMs
}

const Event = z.object({
  type: z.string(),
  data: z.object({
    tags: z.object({ mail_id: z.string().regex(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/) }),
    bounce: z
      .object({ type: z.string(), subType: z.string().default(''), message: z.string().default('') })
      .optional(),
  }),
})

/** What an event of the mail service says of an address; undefined for all that says nothing of one, or of a mail of ours. */
export function readServiceEvent(body: Uint8Array): Bounce | undefined {
  const { data: event } = Event.safeParse(parsed(body))
  if (!event) return undefined
  const { type, data } = event
  const mailId = data.tags.mail_id
  if (type === 'email.complained')
    return { mailId, kind: 'complaint', detail: 'Its reader has marked it as unwanted' }
  if (type === 'email.suppressed')
    return { mailId, kind: 'hard', detail: 'The mail service sends nothing to this address any more' }
  if (type !== 'email.bounced') return undefined
  const { type: how = '', subType = '', message = '' } = data.bounce ?? {}
  const kind = bounceKindOf(how, subType)
  return kind && { mailId, kind, detail: oneLine(`${how} ${subType}: ${message}`).slice(0, 300) }
}

/** What the mail itself was refused for says nothing of its address. */
const aboutTheMail = new Set(['MessageTooLarge', 'ContentRejected', 'AttachmentRejected'])

/** @param how `Permanent` for an address that is none, as SES has it, and so those who send by it */
export function bounceKindOf(how: string, subType: string): BounceKind | undefined {
  if (aboutTheMail.has(subType)) return undefined
  return how === 'Permanent' ? 'hard' : 'soft'
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}
