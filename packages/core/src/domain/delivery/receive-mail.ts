import type { Ctx } from '../../kernel/context.ts'
import { answeredMessages } from '../../platform/mail/answer.ts'
import type { BounceOutcome } from '../people/mail/bounces/note-bounce.ts'
import { receiveBounceReport } from '../people/mail/bounces/receive.ts'
import { noteAnswer } from './sequences/answers.ts'

/**
 * Takes a mail that came to the address which mails are sent from: a report that one could not be delivered, or an answer to a mail of a sequence. Any
 * other is left alone.
 * @returns what became of it, with the mail of ours that it is about
 */
export async function receiveMail(
  ctx: Ctx,
  raw: Uint8Array,
): Promise<{ outcome: BounceOutcome | 'answered' | 'other'; mailId: string | null }> {
  const report = await receiveBounceReport(ctx, raw)
  if (report.outcome !== 'no_report') return { ...report, outcome: report.outcome }
  const mailId = await noteAnswer(ctx, answeredMessages(raw))
  return { outcome: mailId === null ? 'other' : 'answered', mailId }
}
