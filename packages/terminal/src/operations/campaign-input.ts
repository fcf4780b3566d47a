import type { CallInput } from '@copydesk/client'
import { checkedTitle, readBrief, titleOf } from './brief.ts'
import { LineFault } from './line.ts'
import type { Input } from './operation.ts'

export type NewCampaign = CallInput<'dashboard', 'POST /campaigns'>['body']
type Deliverable = NewCampaign['deliverables'][number]

/** What can be promised, as the server knows it. */
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

/** Bounds of the server. */
const mostPieces = 200
const mostDeliverables = 50
const mostUsd = 1_000_000_000

/** What a campaign is started with. */
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
      'what is made and how many in each period, such as blog_post=2 or social_post=4@photo_network; may be given several times',
  },
  title: { kind: 'text', value: 'text', summary: 'default: the first heading of the brief' },
  budget: { kind: 'text', value: 'usd', summary: 'stop new runs when it has cost so much' },
  start: { kind: 'text', value: 'day', summary: 'begin on this day, such as 2026-04-01' },
  end: { kind: 'text', value: 'day', summary: 'the last day' },
  attach: { kind: 'list', value: 'link', summary: 'links that belong to the brief' },
} as const

/** The campaign that is meant. @throws LineFault that names the option at fault */
export async function newCampaign(input: Input<typeof campaignParameters>): Promise<NewCampaign> {
  const { budget, start, end, attach, title } = input
  const deliverables = deliverablesIn(input.deliverable)
  const budgetCapUsd = budget === undefined ? undefined : amount(budget)
  const startDate = start === undefined ? undefined : day('start', start)
  const endDate = end === undefined ? undefined : day('end', end)
  if (startDate && endDate && endDate < startDate)
    throw new LineFault(`--end must not be before --start, which is ${startDate}`, 'end')
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

/** Promises from words such as `blog_post=2`, behind `@` the platforms. @throws LineFault */
export function deliverablesIn(words: readonly string[]): Deliverable[] {
  const fault = (what: string) => new LineFault(`--deliverable ${what}`, 'deliverable')
  if (words.length > mostDeliverables) throw fault(`can be given ${mostDeliverables} times at the most`)
  return words.map((word) => {
    const [promise = '', ...places] = word.split('@')
    const [type = '', count, ...rest] = promise.split('=')
    if (!isType(type))
      throw fault(`${word}: there is no type “${type}”; known are ${deliverableTypes.join(', ')}`)
    if (count === undefined || rest.length > 0)
      throw fault(`${word}: write how many there are in each period, such as ${type}=2`)
    const quantity = Number(count)
    if (!/^\d+$/.test(count) || quantity < 1 || quantity > mostPieces)
      throw fault(`${word}: the count must be a whole number from 1 to ${mostPieces}`)
    const platformIds = places
      .join('@')
      .split('+')
      .filter((each) => each !== '')
    return { type, quantity, ...(platformIds.length > 0 && { platformIds }) }
  })
}

const isType = (name: string): name is Deliverable['type'] => Object.hasOwn(types, name)

function amount(text: string): number {
  const value = Number(text)
  if (/^\d+(?:\.\d{1,6})?$/.test(text) && value <= mostUsd) return value
  throw new LineFault(
    `--budget must be an amount of US dollars from 0 to ${mostUsd}, such as 250 or 99.50`,
    'budget',
  )
}

function day(name: 'start' | 'end', text: string): string {
  const date = new Date(`${text}T00:00:00Z`)
  // A day that does not exist, such as 31 April, would become another one.
  if (
    /^\d{4}-\d{2}-\d{2}$/.test(text) &&
    !Number.isNaN(date.getTime()) &&
    date.toISOString().startsWith(text)
  )
    return text
  throw new LineFault(`--${name} must be a day, such as 2026-04-01`, name)
}
