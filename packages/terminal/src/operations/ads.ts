import { ApiError } from '@copydesk/client'
import { row, span } from '../render/row.ts'
import { amount } from './campaign-input.ts'
import { changeSetLines, outsideLines } from './change-set-rows.ts'
import { UsageError } from './invocation.ts'
import { type OperationContext, operation } from './operation.ts'

const campaign = {
  kind: 'argument',
  required: true,
  summary: 'id of the campaign',
  completes: 'campaign',
} as const
const set = { kind: 'argument', required: true, summary: 'id of the change set' } as const

const micros = (amount: number) => Math.round(amount * 1_000_000)

/** @throws UsageError for anything but `KEYWORD=AMOUNT` */
function bidOf(text: string) {
  const [, keywordId, amount] = /^([0-9A-Z]{26})=(\d+(?:\.\d{1,6})?)$/.exec(text) ?? []
  if (keywordId === undefined || amount === undefined)
    throw new UsageError(`“${text}” is no bid; write the id of a keyword and an amount, such as 01J…=1.20.`)
  return { kind: 'keyword_bid' as const, keywordId, bidMicros: micros(Number(amount)) }
}

interface AdFlags {
  ad?: string | undefined
  adGroup?: string | undefined
  url?: string | undefined
}

/** @throws UsageError for some of the three without the others, and for an ad group that there is not */
async function adOf(
  context: OperationContext,
  campaignId: string,
  { ad: activityId, adGroup, url }: AdFlags,
) {
  if (activityId === undefined && adGroup === undefined && url === undefined) return []
  if (activityId === undefined || adGroup === undefined || url === undefined)
    throw new UsageError('An ad needs all three: --ad ACTIVITY --ad-group GROUP --url URL.')
  const adGroupId = await groupOf(context, campaignId, adGroup)
  return [{ kind: 'add_ad' as const, activityId, adGroupId, finalUrl: url }]
}

/** People know ad groups by their names. */
async function groupOf({ client }: OperationContext, campaignId: string, named: string): Promise<string> {
  if (/^[0-9A-HJKMNP-TV-Z]{26}$/.test(named)) return named
  const { data } = await client.call('tenant', 'GET /campaigns/:campaignId/ad-groups', {
    params: { campaignId },
    query: { limit: 100 },
  })
  const found = data.filter(({ name, status }) => name === named && status !== 'removed')
  if (found.length === 1 && found[0]) return found[0].id
  const names = data.map(({ name }) => name).join(', ')
  throw new UsageError(
    found.length > 1
      ? `There are ${found.length} ad groups “${named}”: give an id.`
      : `There is no ad group “${named}”; there are: ${names || 'none, so run ads sync first'}.`,
  )
}

export const adsPlan = operation({
  name: 'ads plan',
  summary: 'plan changes of a paid campaign; nothing is done until an admin approves the digest',
  effect: 'steers',
  audience: ['admin', 'member'],
  params: {
    campaign,
    budget: { kind: 'text', value: 'amount', summary: 'what it may spend on a day, such as 25 or 25.50' },
    bid: { kind: 'list', value: 'KEYWORD=amount', summary: 'the bid for a keyword, by its id: ads keywords' },
    pause: { kind: 'list', value: 'KEYWORD', summary: 'keywords that are to be paused, by their ids' },
    negative: { kind: 'list', value: 'words', summary: 'searches for which no ad is shown (exact)' },
    status: { kind: 'choice', choices: ['enabled', 'paused'], summary: 'of the whole campaign' },
    ad: {
      kind: 'text',
      value: 'activity',
      summary: 'approved ad copy that becomes a paused ad, with --ad-group and --url',
    },
    adGroup: { kind: 'text', value: 'group', summary: 'name or id of the ad group that it is made in' },
    url: { kind: 'text', value: 'url', summary: 'the page that the ad leads to' },
    platform: {
      kind: 'choice',
      choices: ['search_ads', 'social_ads', 'professional_ads'],
      summary: 'where, if the campaign runs at several platforms',
    },
  },
  examples: [
    'ads plan 01J9ZX6T4QH8C3V5N7M2K0B1AD --budget 25',
    'ads plan 01J9ZX6T4QH8C3V5N7M2K0B1AD --negative "free bread" --pause 01J9ZX6T4QH8C3V5N7M2K0B1AE',
    'ads plan 01J9ZX6T4QH8C3V5N7M2K0B1AD --ad 01J9ZX6T4QH8C3V5N7M2K0B1AE --ad-group Bread --url https://oats.example/rye',
  ],
  run: async (context, input) => {
    const { campaign: campaignId, budget, status, platform, bid = [], pause = [], negative = [] } = input
    const words = 'the account’s currency'
    const changes = [
      ...(budget === undefined
        ? []
        : [{ kind: 'daily_budget' as const, dailyBudgetMicros: micros(amount(budget, words)) }]),
      ...(status === undefined ? [] : [{ kind: 'campaign_status' as const, status }]),
      ...bid.map(bidOf),
      ...pause.map((keywordId) => ({
        kind: 'keyword_status' as const,
        keywordId,
        status: 'paused' as const,
      })),
      ...negative.map((keyword) => ({
        kind: 'add_negative' as const,
        keyword,
        matchType: 'exact' as const,
      })),
      ...(await adOf(context, campaignId, input)),
    ]
    if (changes.length === 0) throw new UsageError('Name what is to be changed, such as --budget 25.')
    return context.client.call('tenant', 'POST /campaigns/:campaignId/change-sets', {
      params: { campaignId },
      body: { changes, ...(platform !== undefined && { platform }) },
    })
  },
  print: changeSetLines,
})

export const adsShow = operation({
  name: 'ads show',
  summary:
    'show a change set of a paid campaign with before and after, or its latest ones and what was changed outside',
  effect: 'reads',
  audience: ['admin', 'member'],
  params: { campaign, set: { ...set, required: false } },
  examples: [
    'ads show 01J9ZX6T4QH8C3V5N7M2K0B1AD',
    'ads show 01J9ZX6T4QH8C3V5N7M2K0B1AD 01J9ZX6T4QH8C3V5N7M2K0B1AE',
  ],
  run: async (context, { campaign: campaignId, set: changeSetId }) => {
    if (changeSetId !== undefined)
      return { data: [await readSet(context, campaignId, changeSetId)], outside: [] }
    const route = 'GET /campaigns/:campaignId/change-sets'
    const { data, outside } = await context.client.call('tenant', route, {
      params: { campaignId },
      query: { limit: 10 },
    })
    return { data, outside }
  },
  print: ({ data, outside }) =>
    data.length + outside.length === 0
      ? [row(span('Nothing was changed yet.', 'dim'))]
      : [...data.flatMap(changeSetLines), ...outsideLines(outside)],
})

const readSet = ({ client }: OperationContext, campaignId: string, changeSetId: string) =>
  client.call('tenant', 'GET /campaigns/:campaignId/change-sets/:changeSetId', {
    params: { campaignId, changeSetId },
  })

export const adsApprove = operation({
  name: 'ads approve',
  summary: 'approve a change set by its digest; it is applied at the platform at once',
  effect: 'steers',
  audience: ['admin'],
  params: {
    campaign,
    set,
    digest: { kind: 'text', value: 'digest', required: true, summary: 'as ads show prints it' },
  },
  examples: [
    'ads approve 01J9ZX6T4QH8C3V5N7M2K0B1AD 01J9ZX6T4QH8C3V5N7M2K0B1AE --digest 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ],
  run: (context, { campaign: campaignId, set: changeSetId, digest }) =>
    context.client.call('tenant', 'POST /campaigns/:campaignId/change-sets/:changeSetId/approve', {
      params: { campaignId, changeSetId },
      body: { digest },
    }),
  print: changeSetLines,
})

/** What people look for who have planned something. */
export const adsApply = operation({
  ...adsApprove,
  name: 'ads apply',
  summary: 'the same as ads approve: what is approved is applied at once, and tried again by itself',
  examples: adsApprove.examples.map((example) => example.replace('approve', 'apply')),
})

export const adsUndo = operation({
  name: 'ads undo',
  summary: 'plan the way back of a change set; what was changed elsewhere since is left as it is',
  effect: 'steers',
  audience: ['admin', 'member'],
  params: { campaign, set },
  examples: ['ads undo 01J9ZX6T4QH8C3V5N7M2K0B1AD 01J9ZX6T4QH8C3V5N7M2K0B1AE'],
  run: (context, { campaign: campaignId, set: changeSetId }) =>
    context.client.call('tenant', 'POST /campaigns/:campaignId/change-sets/:changeSetId/undo', {
      params: { campaignId, changeSetId },
    }),
  print: changeSetLines,
})

export const adsSync = operation({
  name: 'ads sync',
  summary: 'fetch figures and keywords of a paid campaign from its platform',
  effect: 'steers',
  audience: ['admin', 'member'],
  params: { campaign },
  examples: ['ads sync 01J9ZX6T4QH8C3V5N7M2K0B1AD'],
  run: async (context, { campaign: campaignId }) => {
    const params = { campaignId }
    const asked = await context.client.call('tenant', 'POST /campaigns/:campaignId/metrics/sync', { params })
    await context.client
      .call('tenant', 'POST /campaigns/:campaignId/keywords/sync', { params })
      .catch((error: unknown) => {
        // Not every platform has keywords.
        if (!(error instanceof ApiError && error.code === 'BAD_REQUEST')) throw error
      })
    return asked
  },
  print: ({ queued }) => [
    row(span('✔ ', 'good'), `${queued} ${queued === 1 ? 'platform is' : 'platforms are'} asked`),
  ],
})
