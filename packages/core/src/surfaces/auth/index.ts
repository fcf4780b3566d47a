import { publicAccess } from '../../gateway/access.ts'
import { endpointsOf, surface } from '../../gateway/surface.ts'
import * as invitations from './invitations.ts'
import * as login from './login.ts'
import * as mailbox from './mailbox.ts'
import * as oauth from './oauth.ts'
import * as password from './password.ts'
import * as plans from './plans.ts'
import * as profile from './profile.ts'
import * as register from './register.ts'

/** Accounts of all apps: sessions, profiles, passwords, invitations, plans and registration. */
export const auth = surface({
  name: 'auth',
  prefix: '/auth/v1',
  access: publicAccess,
  tenant: 'none',
  limits: { perMinute: 60, burst: 0, by: 'ip' },
  endpoints: endpointsOf(invitations, login, mailbox, oauth, password, plans, profile, register),
})
