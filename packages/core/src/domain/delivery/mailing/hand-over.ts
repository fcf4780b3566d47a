import type { Ctx } from '../../../kernel/context.ts'
import { type Mail, MailError } from '../../../platform/mail/mail.ts'
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
  | { status: 'unknown' | 'failed' | 'waiting'; error: string }

/** Hands a mail to strangers or leads over to its end, also while the process is told to stop: half of a mail would be in doubt. */
export function tryMail(ctx: Ctx, mail: Mail, tenantId: string): Promise<Outcome> {
  return handOverMail(ctx, mail, tenantId).then(
    (messageId): Outcome => ({ status: messageId === undefined ? 'suppressed' : 'sent' }),
    (error: unknown): Outcome => {
      // What is no answer of a mail server says nothing about what has become of the mail.
      if (!(error instanceof MailError)) return { status: 'unknown', error: (error as Error).message }
      const status = error.unknown ? 'unknown' : error.final ? 'failed' : 'waiting'
      return { status, error: error.message }
    },
  )
}

/**
 * What an outcome makes of the intent of a mail: what was certainly not taken waits for another try, up to eight within half a day.
 * @param attempts how often it was tried
 */
export function settled(outcome: Outcome, attempts: number, now: Date) {
  const isLast = outcome.status === 'waiting' && attempts >= mostMailAttempts
  const status = isLast ? 'failed' : outcome.status
  const until = status === 'waiting' ? new Date(now.getTime() + mailRetryMs(attempts)) : null
  return { status, until, at: now, error: 'error' in outcome ? outcome.error : null } as const
}
