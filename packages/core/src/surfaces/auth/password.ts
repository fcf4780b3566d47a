import { z } from 'zod'
import { changePassword } from '../../domain/accounts/identity/password-change.ts'
import { forgotPassword, resetPassword } from '../../domain/accounts/identity/password-reset.ts'
import {
  ForgotPassword,
  PasswordChange,
  PasswordChanged,
  ResetPassword,
} from '../../domain/accounts/identity/schemas.ts'
import { publicAccess } from '../../gateway/access.ts'
import { countedAs } from '../../gateway/client-ip.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { anybody } from './access.ts'

export const change = endpoint({
  id: 'auth.password.change',
  route: 'PATCH /me/password',
  summary: 'Change your password; your other sessions end',
  access: anybody,
  takesCredential: true,
  body: PasswordChange,
  reply: { 200: PasswordChanged },
  audit: 'auth.password.change',
  // A stolen access token must not allow to guess the password.
  limit: { requests: 10, perSeconds: 900, by: 'user' },
}).handle((ctx, { body }) => changePassword(ctx, body))

export const forgot = endpoint({
  id: 'auth.password.forgot',
  route: 'POST /forgot-password',
  summary: 'Ask for a mail with a link to choose a new password',
  description:
    'Answers the same whether the e-mail has an account or not. Further requests for one e-mail within 20 minutes bring no further mail; the newest link counts, for an hour and once.',
  access: publicAccess,
  takesCredential: true,
  body: ForgotPassword,
  reply: { 204: z.void() },
  audit: 'auth.password.forgot',
  limit: { requests: 5, perSeconds: 900, by: 'ip', fieldWithoutAddress: 'email' },
}).handle((ctx, { body }) => forgotPassword(ctx, body.email))

export const reset = endpoint({
  id: 'auth.password.reset',
  route: 'POST /reset-password',
  summary: 'Choose a new password with the token of a mailed link; all sessions end',
  access: publicAccess,
  takesCredential: true,
  body: ResetPassword,
  reply: { 204: z.void() },
  errors: ['THROTTLED'],
  audit: 'auth.password.reset',
  limit: { requests: 10, perSeconds: 900, by: 'ip' },
}).handle((ctx, { body, ip }) => resetPassword(ctx, body, countedAs(ip)))
