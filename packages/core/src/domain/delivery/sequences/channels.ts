import type { Ctx } from '../../../kernel/context.ts'
import { SmsError } from '../../../platform/sms/sms.ts'
import { emailKeyOf, phoneKeyOf } from '../leads/policy.ts'
import type { Outcome } from '../mailing/hand-over.ts'
import { type ContactValues, fillPlaceholders } from '../mailing/word-mail.ts'

/** By what the steps of a sequence go out. */
export const sequenceChannels = ['email', 'sms'] as const
export type SequenceChannel = (typeof sequenceChannels)[number]

/** A number as networks dial it from anywhere, of 7 to 15 digits. */
const international = /^\+[1-9]\d{6,14}$/

/**
 * The address under which a lead is in a sequence: an e-mail address in lower case, or a phone number with the code of its country.
 * Null where it has none by which it can be reached.
 */
export function addressFor(
  channel: SequenceChannel,
  { email, phone }: { email: string | null; phone: string | null },
): string | null {
  if (channel === 'email') return email === null ? null : emailKeyOf(email)
  const key = phone === null ? null : phoneKeyOf(phone)
  return key !== null && international.test(key) ? key : null
}

/** The most characters of a text that goes out as a text message, which is told in three or four parts at the most. */
export const longestSms = 480

/** A text as one reader gets it by phone, with its sender and the way out of it. */
export function wordSms(
  body: string,
  { values, from, link }: { values: ContactValues; from: string; link: string },
): string {
  return `${fillPlaceholders(body, values).trim()}\n${from}. Stop: ${link}`
}

/** Hands a text message over, once. @returns what has become of it, as of a mail */
export async function trySms(ctx: Ctx, message: { to: string; text: string }): Promise<Outcome> {
  const { sms } = ctx.services
  // It was there when people ordered the texts, and may be again.
  if (!sms) return { status: 'waiting', error: 'No provider of text messages is configured any more' }
  try {
    await sms.send(message)
    return { status: 'sent' }
  } catch (error) {
    const said = (error as Error).message
    // What a provider does not explain says nothing about what has become of the message.
    if (!(error instanceof SmsError)) return { status: 'unknown', error: said }
    if (error.outcome === 'optedOut') return { status: 'suppressed' }
    const outcomes = { refused: 'failed', transient: 'waiting', unknown: 'unknown' } as const
    return { status: outcomes[error.outcome], error: said }
  }
}
