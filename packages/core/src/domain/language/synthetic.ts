import type { NamedThing } from './names.ts'
import type { ParsedQuery } from './parsed-query.ts'
import type { LanguageRequest } from './query-context.ts'
import type { Slots } from './slots.ts'

/** What is asked, where it is known already and no words have to be understood. */
export function requestOf(
  said: Partial<ParsedQuery> & { tenant?: NamedThing | undefined },
  slots: Partial<Slots> = {},
  note?: string,
): LanguageRequest {
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
