import { password } from './app.ts'
import type { InputExamples } from './input.ts'

/** Inputs of logins, invitations and registrations that schemas and names alone do not lead to. */
export const accountExamples: InputExamples = {
  'auth.login': ({ ours }) => ({ body: { email: ours.email, password, app: 'dashboard' } }),
  'auth.refresh': ({ refreshToken }) => ({ body: { refreshToken } }),
  'auth.password.change': () => ({ body: { currentPassword: password, newPassword: 'Another-horse-2' } }),
  'auth.mailbox.confirm': ({ tokens, ours }) => ({
    body: { token: tokens.sign('mailbox', { sub: ours.adminId }) },
  }),
  'auth.password.reset': ({ tokens, resetRequest }) => ({
    body: { token: tokens.sign('reset', resetRequest), newPassword: 'Another-horse-2' },
  }),
  'auth.invitations.get': ({ invitation }) => ({ params: { token: invitation } }),
  'auth.invitations.accept': ({ invitation }) => ({ params: { token: invitation }, body: { password } }),
  'auth.oauth.callback': ({ callback }) => ({ params: { platform: 'search_ads' }, query: callback }),
  'auth.register.place': () => ({ body: { state: 'BE', timezone: 'Europe/Berlin' } }),
  'auth.register.complete': () => ({ body: { plan: 'free' } }),
}
