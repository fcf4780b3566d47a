import type { CallInput } from '@copydesk/client'
import { checkedTitle, readBrief, titleOf } from './brief.ts'
import { UsageError } from './invocation.ts'
import type { Input } from './operation.ts'

export type NewCampaign = CallInput<'dashboard', 'POST /campaigns'>['body']
type Deliverable = NewCampaign['deliverables'][number]

/** The types of deliverables that the server knows. */
const types = {
  blog_post: true,
  social_post: true,
  gbp_post: true,
  ad_copy: true,
  email_newsletter: true,
  backlink: true,
  website_audit: true,
  performance_report: true,
} as const satisfies Record<Deliverable['type'], true>
export const deliverableTypes = Object.keys(types) as ReadonlyArray<Deliverable['type']>

/** Limits of the server. */
const mostPieces = 200
const mostDeliverables = 50
const mostUsd = 1_000_000_000

/** The input to create a campaign. */
export const campaignParameters = {
  brief: {
    kind: 'text',
    value: 'file',
    required: true,
    summary: 'file with the brief; `-` reads it from stdin',
  },
  deliverable: {
    kind: 'list',
    value: 'type=count',
    required: true,
    summary:
      'type and quantity per period, such as blog_post=2 or social_post=4@photo_network; may be repeated',
  },
  title: { kind: 'text', value: 'text', summary: 'default: the first heading of the brief' },
  budget: { kind: 'text', value: 'usd', summary: 'start no new runs once it has cost this much' },
  start: { kind: 'text', value: 'day', summary: 'start on this day, such as 2026-04-01' },
  end: { kind: 'text', value: 'day', summary: 'the last day' },
  attach: { kind: 'list', value: 'link', summary: 'links for the brief' },
} as const

/** The campaign from the options. @throws UsageError that names the invalid option */
export async function newCampaign(input: Input<typeof campaignParameters>): Promise<NewCampaign> {
  const { budget, start, end, attach, title } = input
  const deliverables = deliverablesIn(input.deliverable)
  const budgetCapUsd = budget === undefined ? undefined : amount(budget)
  const startDate = start === undefined ? undefined : day('start', start)
  const endDate = end === undefined ? undefined : day('end', end)
  if (startDate && endDate && endDate < startDate)
    throw new UsageError(`--end must not be before --start, which is ${startDate}`, 'end')
  const given = title === undefined ? undefined : checkedTitle(title)
  const brief = await readBrief(input.brief)
  return {
    name: given ?? titleOf(brief),
    brief,
    deliverables,
    ...(budgetCapUsd !== undefined && { budgetCapUsd }),
    ...(startDate && { startDate }),
    ...(endDate && { endDate }),
    ...(attach && { attachments: attach }),
  }
}

/** Deliverables from words such as `blog_post=2`, with platforms after `@`. @throws UsageError */
export function deliverablesIn(words: readonly string[]): Deliverable[] {
  const fault = (what: string) => new UsageError(`--deliverable ${what}`, 'deliverable')
  if (words.length > mostDeliverables) throw fault(`can be given at most ${mostDeliverables} times`)
  return words.map((word) => {
    const [promise = '', ...places] = word.split('@')
    const [type = '', count, ...rest] = promise.split('=')
    if (!isType(type))
      throw fault(`${word}: there is no type “${type}”; known types are ${deliverableTypes.join(', ')}`)
    if (count === undefined || rest.length > 0)
      throw fault(`${word}: add the quantity per period, such as ${type}=2`)
    const quantity = Number(count)
    if (!/^\d+$/.test(count) || quantity < 1 || quantity > mostPieces)
      throw fault(`${word}: the quantity must be a whole number from 1 to ${mostPieces}`)
    const platformIds = places
      .join('@')
      .split('+')
      .filter((each) => each !== '')
    return { type, quantity, ...(platformIds.length > 0 && { platformIds }) }
  })
}

const isType = (name: string): name is Deliverable['type'] => Object.hasOwn(types, name)

/** An amount of a budget. @param of the currency, in words @throws UsageError */
export function amount(text: string, of = 'US dollars'): number {
  const value = Number(text)
  if (/^\d+(?:\.\d{1,6})?$/.test(text) && value <= mostUsd) return value
  throw new UsageError(
    `--budget must be an amount of ${of} from 0 to ${mostUsd}, such as 250 or 99.50`,
    'budget',
  )
}

/** @throws UsageError for what is no day */
export function day(name: 'start' | 'end', text: string): string {
  const date = new Date(`${text}T00:00:00Z`)
  // A day that does not exist, such as 31 April, would be parsed as another day.
  if (
    /^\d{4}-\d{2}-\d{2}$/.test(text) &&
    !Number.isNaN(date.getTime()) &&
    date.toISOString().startsWith(text)
  )
    return text
  throw new UsageError(`--${name} must be a day, such as 2026-04-01`, name)
}
