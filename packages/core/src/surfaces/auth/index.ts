import { publicAccess } from '../../gateway/access.ts'
import { surface } from '../../gateway/surface.ts'
import { accept, view } from './invitations.ts'
import { login, logout, refresh } from './login.ts'
import { confirm } from './mailbox.ts'
import { oauthCallback } from './oauth.ts'
import { change, forgot, reset } from './password.ts'
import { plans } from './plans.ts'
import { changeMe, me } from './profile.ts'
import { company, complete, place, progress, start } from './register.ts'

/** Accounts of all apps: sessions, profiles, passwords, invitations, plans and registration. */
export const auth = surface({
  name: 'auth',
  prefix: '/auth/v1',
  access: publicAccess,
  tenant: 'none',
  limits: { perMinute: 60, burst: 0, by: 'ip' },
  endpoints: [
    login,
    logout,
    me,
    refresh,
    changeMe,
    change,
    confirm,
    forgot,
    reset,
    view,
    accept,
    oauthCallback,
    plans,
    start,
    company,
    place,
    complete,
    progress,
  ],
})
