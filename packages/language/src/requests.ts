import type { NamedThing } from './names.ts'
import { bare, cutNote } from './notes.ts'
import { type ParsedQuery, withoutLabels } from './parsed-query.ts'
import { plain } from './plain.ts'
import type { Slots } from './slots.ts'

/** A request as it is understood before anything is looked up. */
export interface ReadRequest {
  said: ParsedQuery
  slots: Slots
  /** Why, or what to say along with it; of a task for an agent what it is to do. */
  note?: string
}

/**
 * Parts what is asked from the reason that comes along with it.
 * @param parse takes a request or a part of it apart
 */
export function partNote(
  words: string,
  parse: (words: string) => ParsedQuery,
): Pick<ReadRequest, 'said' | 'note'> {
  const raw = withoutLabels(plain(words))
  const whole = parse(raw)
  const [first] = whole.acts
  if (first === undefined) return { said: whole }
  const loose = first === 'reject' || first === 'revise' || first === 'cancel' || first === 'escalate'
  const { head, note } = cutNote(raw, loose)
  // What an agent is to do may be told in any words.
  if (first === 'run' && !/^\s*:/.test(raw.slice(head.length))) return { said: { ...whole, acts: ['run'] } }
  // Between two tenants of a list a comma begins no reason.
  if (whole.besides.length > 0 && whole.tenantsAt.start < head.length && whole.tenantsAt.end > head.length)
    return { said: whole }
  const said = parse(head)
  if (note !== undefined && isListOfIds(note)) return { said: whole }
  return note === undefined || said.acts.length === 0 ? { said: whole } : { said, note: bare(note) }
}

/** "These: …, … and …" names things and gives no reason. */
const isListOfIds = (note: string) =>
  note.replace(/\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b|\band\b|[\s,;&.]/gi, '') === ''

/** What is asked, where it is known already and no words have to be understood. */
export function requestOf(
  said: Partial<ParsedQuery> & { tenant?: NamedThing | undefined },
  slots: Partial<Slots> = {},
  note?: string,
): ReadRequest {
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
