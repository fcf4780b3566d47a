import type { Named } from './names.ts'
import type { Said } from './said.ts'
import type { Request } from './scene.ts'
import type { Slots } from './slots.ts'

/** What is asked, where it is known already and no words have to be understood. */
export function requestOf(
  said: Partial<Said> & { tenant?: Named | undefined },
  slots: Partial<Slots> = {},
  note?: string,
): Request {
  const { tenant, ...rest } = said
  return {
    said: {
      raw: '',
      text: '',
      ids: [],
      quotes: [],
      partOfName: [],
      besides: [],
      tenantsAt: { start: 0, end: 0 },
      roles: [],
      acts: [],
      corrections: [],
      negated: false,
      afterNames: 0,
      beforeNames: 0,
      tenants: tenant ? [tenant] : [],
      ...rest,
    },
    slots: {
      risks: [],
      overdue: false,
      paused: false,
      all: false,
      title: [],
      phrase: [],
      claims: { words: [], by: [] },
      ...slots,
    },
    ...(note !== undefined && { note }),
  }
}
