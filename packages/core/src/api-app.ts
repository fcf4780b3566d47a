import type { z } from 'zod'
import { members, rule } from './api-rules.ts'
import { check } from './domain/check.ts'
import { getHome } from './domain/home/home.ts'
import { inboxPage } from './domain/notifications/inbox-queries.ts'
import { getPreferences, putPreferences } from './domain/notifications/preferences.ts'
import { markRead } from './domain/notifications/read.ts'
import { Preferences } from './domain/notifications/schemas.ts'
import { changeDevice, registerDevice, removeDevice } from './domain/push/devices.ts'
import { NewDevice } from './domain/push/schemas.ts'

/** What the app of a person shows, and how the person is told. */
export const appServices = {
  home: { get: rule(members, getHome) },
  notifications: {
    list: rule(members, inboxPage),
    markRead: rule(members, markRead),
    preferences: rule(members, getPreferences),
    setPreferences: rule(members, (ctx, preferences: z.input<typeof Preferences>) =>
      putPreferences(ctx, check(Preferences, preferences)),
    ),
  },
  pushDevices: {
    register: rule(members, (ctx, device: z.input<typeof NewDevice>) =>
      registerDevice(ctx, check(NewDevice, device)),
    ),
    change: rule(members, changeDevice),
    remove: rule(members, removeDevice),
  },
}
