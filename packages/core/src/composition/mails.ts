import { invoiceMail, overdueMail, reminderMail } from '../domain/accounts/billing/mails/kinds.ts'
import {
  invitationMail,
  mailboxProofMail,
  passwordChangedMail,
  passwordResetMail,
} from '../domain/accounts/identity/emails.ts'
import { reportMail } from '../domain/insight/reports/mail.ts'
import { suppressedMail } from '../domain/people/mail/bounces/tell-operator.ts'
import { type MailKind, testMail } from '../domain/people/mail/templates/kinds.ts'
import { notificationMails } from '../domain/people/notifications/mail.ts'
import { freePoolMail } from '../domain/work/runs/budget/free-pool.ts'

const kinds: readonly MailKind[] = [
  invitationMail,
  mailboxProofMail,
  passwordResetMail,
  passwordChangedMail,
  ...Object.values(notificationMails),
  reportMail,
  invoiceMail,
  reminderMail,
  overdueMail,
  freePoolMail,
  suppressedMail,
  testMail,
]

/** Every mail that the product sends, by the slug of its template. */
export const mailKinds: ReadonlyMap<string, MailKind> = new Map(kinds.map((kind) => [kind.slug, kind]))
