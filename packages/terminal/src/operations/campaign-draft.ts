import type { CallInput } from '@copydesk/client'
import { row, span } from '../render/row.ts'
import { checkedTitle } from './brief.ts'
import { amount, day } from './campaign-input.ts'
import { UsageError } from './invocation.ts'
import { operation } from './operation.ts'

type Draft = CallInput<'tenant', 'POST /campaigns'>['body']

const types = {
  content_marketing: true,
  paid_ads: true,
  email_marketing: true,
  review_generation: true,
  social_media: true,
  seo: true,
  backlink_outreach: true,
} as const satisfies Record<Draft['type'], true>
const campaignTypes = Object.keys(types) as ReadonlyArray<Draft['type']>

export const campaignDraft = operation({
  name: 'campaign draft',
  summary: 'begin a campaign of any type as a draft, which people review before it starts',
  effect: 'steers',
  audience: ['admin', 'member'],
  params: {
    title: { kind: 'text', value: 'text', required: true, summary: 'name of the campaign' },
    type: { kind: 'choice', choices: campaignTypes, required: true, summary: 'what is made and measured' },
    goal: { kind: 'text', value: 'text', required: true, summary: 'what it is for, such as "more orders"' },
    on: { kind: 'list', value: 'channel', summary: 'where it runs, such as search_ads or email' },
    budget: { kind: 'text', value: 'amount', summary: 'what it may cost on its channels, with --currency' },
    currency: { kind: 'text', value: 'currency', summary: 'of the budget, such as EUR (USD)' },
    start: { kind: 'text', value: 'day', summary: 'start on this day once the client has approved it' },
    end: { kind: 'text', value: 'day', summary: 'the last day' },
  },
  examples: [
    'campaign draft --title "Rye at night" --type email_marketing --goal "more orders" --on email',
    'campaign draft --title "Spring ads" --type paid_ads --goal leads --on search_ads --budget 500 --currency EUR --start 2026-04-01',
  ],
  run: (context, { title, type, goal, on = [], budget, currency, start, end }) => {
    if (currency !== undefined && budget === undefined)
      throw new UsageError('--currency is of a --budget', 'currency')
    const startDate = start === undefined ? undefined : day('start', start)
    const endDate = end === undefined ? undefined : day('end', end)
    return context.client.call('tenant', 'POST /campaigns', {
      body: {
        name: checkedTitle(title),
        type,
        goal,
        channel: on,
        ...(budget !== undefined && { budget: amount(budget, 'the budget’s currency') }),
        ...(currency !== undefined && { budgetCurrency: currency.toUpperCase() }),
        ...(startDate !== undefined && { startDate }),
        ...(endDate !== undefined && { endDate }),
      },
    })
  },
  print: ({ id, name }) => [
    row(span('✔ ', 'good'), `“${name}” is a draft, as campaign `, span(id, 'accent')),
    row(span(`Have its brief written with: campaign brief ${id} --for "its audience"`, 'dim')),
  ],
})
