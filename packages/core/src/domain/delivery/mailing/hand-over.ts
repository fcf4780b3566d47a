import type { Ctx } from '../../../kernel/context.ts'
import { knownAgainMs, type Mail, MailError } from '../../../platform/mail/mail.ts'
import { handOverMail } from '../../people/mail/send-email.ts'

/** How long a mail that is being handed over counts as alive, milliseconds. */
export const handOverMs = 10 * 60_000
/** How often a mail is tried that was certainly not taken. */
const mostMailAttempts = 8
/** How long a mail waits whose campaign or tenant stands still, milliseconds. */
export const idleMs = 10 * 60_000

const waits = [60, 300, 900, 3_600, 3_600, 7_200, 14_400]

/** How long a mail waits after so many tries, milliseconds. */
const mailRetryMs = (attempts: number) => (waits[Math.min(attempts, waits.length) - 1] ?? 60) * 1_000

/** What has become of a mail that was handed over. */
export type Outcome =
  | { status: 'sent' }
  | { status: 'suppressed' }
  | { status: 'unknown' | 'failed' | 'waiting' | 'doubtful'; error: string }

/** Hands a mail to strangers or leads over to its end, also while the process is told to stop: half of a mail would be in doubt. */
export function tryMail(ctx: Ctx, mail: Mail, tenantId: string): Promise<Outcome> {
  return handOverMail(ctx, mail, tenantId).then(
    (messageId): Outcome => ({ status: messageId === undefined ? 'suppressed' : 'sent' }),
    (error: unknown): Outcome => {
      // What is no answer of a mail server says nothing about what has become of the mail.
      if (!(error instanceof MailError)) return { status: 'unknown', error: (error as Error).message }
      if (error.unknown) return { status: 'unknown', error: error.message }
      const status = error.final ? 'failed' : error.inDoubt ? 'doubtful' : 'waiting'
      return { status, error: error.message }
    },
  )
}

/** A service that may have taken a mail is not asked again as late as this, milliseconds: a request takes a while. */
const repeatableMs = knownAgainMs - 3_600_000

/** Since when a mail is in doubt, if it is. */
export const doubtOf = ({ status, at }: { status: string; at: Date }): Date | null =>
  status === 'doubtful' ? at : null

/** Whether a mail in doubt could be sent a second time by another try. @param ms how long it can be repeated */
export const isForgotten = (since: Date, now: Date, ms = repeatableMs): boolean =>
  now.getTime() - since.getTime() >= ms

/** What is said of a mail that {@link isForgotten}. */
export const forgottenWords =
  'The answer of the mail service was lost, and it does not know the mail again any more'

/**
 * What an outcome makes of the intent of a mail: what was certainly not taken waits for another try, up to eight within half a day, and so does
 * what its service knows again. What may have been taken once never counts as failed.
 * @param attempts how often it was tried
 * @param doubtSince see {@link doubtOf}
 */
export function settled(
  outcome: Outcome,
  { attempts, doubtSince }: { attempts: number; doubtSince: Date | null },
  now: Date,
) {
  const { status: given } = outcome
  const error = 'error' in outcome ? outcome.error : null
  const isTriedAgain = (given === 'waiting' || given === 'doubtful') && attempts < mostMailAttempts
  const isInDoubt = doubtSince !== null || given === 'doubtful'
  if (isTriedAgain) {
    const until = new Date(now.getTime() + mailRetryMs(attempts))
    return isInDoubt
      ? ({ status: 'doubtful', until, at: doubtSince ?? now, error } as const)
      : ({ status: 'waiting', until, at: now, error } as const)
  }
  const isEnd = given === 'sent' || given === 'suppressed' || given === 'unknown'
  const status = isEnd ? given : isInDoubt ? 'unknown' : 'failed'
  return { status, until: null, at: now, error } as const
}
