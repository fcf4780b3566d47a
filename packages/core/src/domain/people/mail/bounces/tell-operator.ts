import type { Ctx } from '../../../../kernel/context.ts'
import { shownName } from '../../../../kernel/names.ts'
import type { MailPayload } from '../jobs.ts'
import { sendEmail } from '../send-email.ts'
import { defineMail, mailOf } from '../templates/kinds.ts'
import { activeOperator } from './queries.ts'

export const suppressedMail = defineMail({
  slug: 'address-off',
  name: 'Address turned off',
  category: 'alert',
  variables: {
    name: { description: 'Name of the super-admin who gets the mail', required: true },
    address: { description: 'The address that takes no e-mails', required: true },
    detail: { description: 'What its mail server has said', required: true },
  },
  subject: 'Copydesk sends no more e-mails to an address',
  message: {
    greeting: 'Hello {{ name }},',
    paragraphs: ['E-mails to {{ address }} come back, so Copydesk sends no more of them.'],
    quote: { from: 'The mail server says:', paragraphs: ['{{ detail }}'] },
    closing: [
      'You get one such e-mail a day. All addresses are listed by: copydesk mail suppressed list',
      'An address that works again is turned on by: copydesk mail suppressed remove',
    ],
  },
})

/** Tells a super-admin that an address is off. The job `mail.suppressed`. */
export async function mailSuppressed(
  ctx: Ctx,
  payload: MailPayload & { userId: string; address: string; detail: string },
  signal: AbortSignal,
): Promise<void> {
  const { userId, address, detail } = payload
  const operator = await activeOperator(ctx.sql, userId)
  if (!operator) return
  const mail = mailOf(suppressedMail, { name: shownName(operator.name), address, detail })
  await sendEmail(ctx, payload, { to: operator.email, tenantId: null, mail }, signal)
}
