import type { Reply } from '@copydesk/client'
import { type Column, columnsFitting, row, type StyledLine, span, tableOf } from '../render/row.ts'
import { UsageError } from './invocation.ts'
import { type OperationContext, operation } from './operation.ts'

export type AdLimit = Reply<'tenant', 'GET /ads/limits'>['data'][number]

const money = (micros: number | null, currency: string) =>
  micros === null ? 'not known' : `${(micros / 1_000_000).toFixed(2)} ${currency}`

const columns: ReadonlyArray<Column<AdLimit>> = [
  { title: 'account', cell: ({ accountId }) => accountId, tone: () => 'accent' },
  { title: 'platform', cell: ({ platform }) => platform, rank: 2 },
  {
    title: 'limit a day',
    cell: ({ dailyLimitMicros, currency }) => money(dailyLimitMicros, currency),
    tone: ({ dailyLimitMicros }) => (dailyLimitMicros === null ? 'bad' : 'plain'),
    align: 'right',
  },
  { title: 'runs', cell: ({ runningMicros, currency }) => money(runningMicros, currency), align: 'right' },
  { title: 'planned', cell: ({ plannedMicros, currency }) => money(plannedMicros, currency), align: 'right' },
  {
    title: 'left',
    cell: ({ leftMicros, currency }) => money(leftMicros, currency),
    tone: ({ leftMicros }) => (leftMicros !== null && leftMicros > 0 ? 'good' : 'bad'),
    align: 'right',
  },
  { title: 'set by', cell: ({ setBy }) => setBy ?? 'proposed', tone: () => 'dim', rank: 1 },
]

/** The limit of an account in a line, above the change sets of a campaign. */
export const limitLine = ({
  accountId,
  platform,
  currency,
  dailyLimitMicros,
  runningMicros,
  plannedMicros,
  leftMicros,
}: AdLimit): StyledLine =>
  row(
    span(`account ${accountId} of ${platform}  `, 'dim'),
    dailyLimitMicros === null
      ? span('no daily limit is known: nothing that costs more is done', 'bad')
      : `at most ${money(dailyLimitMicros, currency)} a day`,
    span(
      `, ${money(runningMicros, currency)} running, ${money(plannedMicros, currency)} planned, ${money(leftMicros, currency)} left`,
      leftMicros !== null && leftMicros <= 0 ? 'bad' : 'dim',
    ),
  )

export const adsLimits = operation({
  name: 'ads limits',
  summary: 'list what each account may spend on a day, with what runs, what is planned and what is left',
  effect: 'reads',
  audience: ['admin', 'member'],
  params: {},
  examples: ['ads limits', 'ads limits --json'],
  run: ({ client }) => client.call('tenant', 'GET /ads/limits'),
  print: ({ data }, { width }) =>
    data.length === 0
      ? [row(span('No campaigns of a platform: `copydesk campaign import` takes them over.', 'dim'))]
      : tableOf(columnsFitting(columns, data, width), data, width),
})

interface LimitInput {
  account: string
  platform?: AdLimit['platform'] | undefined
  daily: string
  currency: string
}

export const adsSetLimit = operation({
  name: 'ads set-limit',
  summary: 'set what an account may spend on a day; the audit has what it was before',
  effect: 'decides',
  audience: ['admin'],
  params: {
    account: { kind: 'argument', required: true, summary: 'the account, as ads limits names it' },
    platform: {
      kind: 'choice',
      choices: ['search_ads', 'social_ads', 'professional_ads'],
      summary: 'where accounts of several platforms have this id',
    },
    daily: {
      kind: 'text',
      value: 'amount',
      required: true,
      summary: 'all daily budgets together, such as 250',
    },
    currency: { kind: 'text', value: 'currency', required: true, summary: 'of the account, such as EUR' },
  },
  examples: ['ads set-limit 2222222222 --daily 250 --currency EUR'],
  preview: async (context, input) => {
    const { dailyLimitMicros, currency, ...known } = await limitOf(context, input)
    return [
      limitLine({ dailyLimitMicros, currency, ...known }),
      row(
        `The limit becomes ${money(micros(input), input.currency)} a day; it is ${money(dailyLimitMicros, currency)}.`,
      ),
    ]
  },
  run: ({ client }, input) =>
    client.call('tenant', 'PUT /ads/limits', {
      body: {
        accountId: input.account,
        ...(input.platform && { platform: input.platform }),
        dailyLimitMicros: micros(input),
        currency: input.currency.toUpperCase(),
      },
    }),
  print: (limit) => [limitLine(limit)],
})

/** @throws UsageError for what is no amount above nothing */
function micros({ daily }: LimitInput): number {
  const amount = /^\d{1,9}(?:\.\d{1,6})?$/.test(daily) ? Math.round(Number(daily) * 1_000_000) : 0
  if (amount > 0) return amount
  throw new UsageError(`“${daily}” is no amount for --daily; write one such as 250 or 99.50.`)
}

/** @throws UsageError for an account that is not there, and for one of several */
async function limitOf({ client }: OperationContext, { account, platform }: LimitInput): Promise<AdLimit> {
  const { data } = await client.call('tenant', 'GET /ads/limits')
  const ofId = data.filter(({ accountId }) => accountId === account)
  const found = ofId.filter((one) => platform === undefined || one.platform === platform)
  const [first, second] = found
  if (second)
    throw new UsageError(
      `Accounts of ${found.map((one) => one.platform).join(' and ')} have this id; say which with --platform.`,
    )
  if (first) return first
  const names = data.map(({ accountId }) => accountId).join(', ')
  throw new UsageError(`There is no account “${account}”; there are: ${names || 'none'}.`)
}
