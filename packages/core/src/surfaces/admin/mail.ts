import { receiveServiceEvent } from '../../domain/people/mail/bounces/receive.ts'
import { publicAccess } from '../../gateway/access.ts'
import { raw } from '../../gateway/raw.ts'

export const webhook = raw({
  id: 'admin.mail.webhook',
  route: 'POST /mail/webhook',
  summary: 'Events of the mail service, signed over the raw body',
  description:
    'Takes what the mail service tells of mails that came back, signed as Standard Webhooks have it (`svix-id`, `svix-timestamp`, `svix-signature`), or as a message of the configured topic of Amazon SNS. Events that say nothing of an address are answered alike.',
  access: publicAccess,
  reply: { 200: 'application/json' },
  maxBodyBytes: 256 * 1024,
  errors: ['UNAUTHORIZED', 'NOT_FOUND', 'UNPROCESSABLE'],
}).handle(async (ctx, { body, header }) => ({
  body: JSON.stringify(await receiveServiceEvent(ctx, { body, header })),
}))
