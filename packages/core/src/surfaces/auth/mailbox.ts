import { confirmMailbox } from '../../domain/accounts/identity/proof.ts'
import { ConfirmMailbox, MailboxConfirmed } from '../../domain/accounts/identity/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { anybody } from './access.ts'

export const confirm = endpoint({
  id: 'auth.mailbox.confirm',
  route: 'POST /me/mailbox',
  summary: 'Confirm your e-mail address with the token of the mailed link',
  description:
    'For accounts that came by a link which was handed over, and for those of registered tenants; a new password by the link of a mail confirms the address as well. What the account was given meanwhile counts from then on.',
  access: anybody,
  takesCredential: true,
  body: ConfirmMailbox,
  reply: { 200: MailboxConfirmed },
  audit: 'auth.mailbox.confirm',
}).handle((ctx, { body }) => confirmMailbox(ctx, body.token))
