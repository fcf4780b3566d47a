import type { Reply } from '@copydesk/client'
import { type Column, columnsFitting, row, type StyledLine, span, tableOf } from '../render/row.ts'
import { counted } from '../render/words.ts'
import { UsageError } from './invocation.ts'
import { type OperationContext, operation } from './operation.ts'

type Live = Reply<'tenant', 'GET /campaigns/import'>['campaigns'][number]
type Imported = Reply<'tenant', 'POST /campaigns/import'>
type Platform = 'search_ads' | 'social_ads' | 'professional_ads'

/** Where ads run, by the type of the channel that opens it. */
const platforms: Readonly<Record<string, Platform>> = {
  search_ads: 'search_ads',
  social_ads: 'social_ads',
  professional_network: 'professional_ads',
}

interface AdsChannel {
  id: string
  platform: Platform
}

/** The channel that is meant, or the only one that ads run at. @throws UsageError with those that there are */
async function adsChannel({ client }: OperationContext, named: string | undefined): Promise<AdsChannel> {
  const { data } = await client.call('dashboard', 'GET /channels')
  const all = data.flatMap(({ id, type, status, accountName }) => {
    const platform = platforms[type]
    return platform === undefined || status !== 'connected'
      ? []
      : [{ id, platform, words: `${id} (${platform}${accountName === undefined ? '' : `, ${accountName}`})` }]
  })
  const meant = named === undefined ? all : all.filter(({ id }) => id === named)
  if (meant.length === 1 && meant[0]) return meant[0]
  const words = all.map((each) => each.words).join('; ')
  throw new UsageError(
    named === undefined && all.length > 1
      ? `There are several channels of ads. Name one: ${words}.`
      : `There is no such channel of ads that is connected; there are: ${words || 'none'}.`,
  )
}

const liveAt = async ({ client }: OperationContext, { id, platform }: AdsChannel): Promise<Live[]> =>
  (
    await client.call('tenant', 'GET /campaigns/import', {
      query: { channel: platform, connectedChannelId: id },
    })
  ).campaigns

/** @throws UsageError for one that the platform does not have */
function liveCampaign(live: readonly Live[], externalId: string): Live {
  const found = live.find(({ externalCampaignId }) => externalCampaignId === externalId)
  if (found) return found
  throw new UsageError(`The platform has no campaign ${externalId}; campaign import lists those it has.`)
}

const columns: ReadonlyArray<Column<Live>> = [
  { title: 'there', cell: ({ externalCampaignId }) => externalCampaignId, tone: () => 'accent' },
  { title: 'campaign', cell: ({ name }) => name, least: 12, enough: 40 },
  { title: 'status', cell: ({ status }) => status.toLowerCase() },
  {
    title: 'a day',
    cell: ({ budget, currency }) => (budget === undefined ? '·' : `${budget.toFixed(2)} ${currency}`),
    align: 'right',
  },
  { title: 'account', cell: ({ accountId }) => accountId, tone: () => 'dim', rank: 2 },
  {
    title: 'here',
    cell: ({ alreadyImported }) => (alreadyImported ? 'imported' : '·'),
    tone: ({ alreadyImported }) => (alreadyImported ? 'good' : 'dim'),
    rank: 1,
  },
]

const channel = {
  kind: 'text',
  value: 'id',
  summary: 'of the connected channel, where there are several of ads',
} as const

/** More campaigns than these one request does not take over. */
const mostAtOnce = 200

export const campaignImport = operation({
  name: 'campaign import',
  summary: 'list the campaigns that run at a connected platform, or take some of them over',
  effect: 'steers',
  audience: ['admin', 'member'],
  params: {
    take: { kind: 'list', value: 'ids', summary: 'those to take over, by the ids of the platform' },
    all: { kind: 'flag', summary: 'take over all that were not taken over yet' },
    channel,
  },
  examples: [
    'campaign import',
    'campaign import --take 9007199254740993',
    'campaign import --all --channel 01J9ZX6T4QH8C3V5N7M2K0B1AD',
  ],
  run: async (context, { take, all, channel: named }) => {
    if (take !== undefined && all) throw new UsageError('Give --take or --all, not both.')
    const meant = await adsChannel(context, named)
    const live = await liveAt(context, meant)
    const chosen = all
      ? live.filter(({ alreadyImported }) => !alreadyImported).slice(0, mostAtOnce)
      : take?.map((id) => liveCampaign(live, id))
    if (chosen === undefined) return { channelId: meant.id, live, imported: [] as Imported }
    if (chosen.length === 0) throw new UsageError('All campaigns of the platform are here already.')
    const imported = await context.client.call('tenant', 'POST /campaigns/import', {
      body: {
        connectedChannelId: meant.id,
        platform: meant.platform,
        campaigns: chosen.map(({ externalCampaignId, name }) => ({ externalCampaignId, name })),
      },
    })
    return { channelId: meant.id, live: [] as Live[], imported }
  },
  print: ({ live, imported }, { width }) =>
    imported.length > 0
      ? importedRows(imported)
      : live.length === 0
        ? [row(span('The platform has no campaigns.', 'dim'))]
        : tableOf(columnsFitting(columns, live, width), live, width),
})

const importedRows = (imported: Imported): StyledLine[] => [
  row(span('✔ ', 'good'), `${counted(imported.length, 'campaign')} taken over; figures are being fetched`),
  ...imported.map(({ id, name, mapping }) =>
    row(
      '  ',
      span(id, 'accent'),
      `  ${name}  `,
      span(`${mapping.platform} ${mapping.externalCampaignId}`, 'dim'),
    ),
  ),
]

export const campaignLink = operation({
  name: 'campaign link',
  summary: 'join a campaign of the type paid_ads to one that a connected platform has',
  effect: 'steers',
  audience: ['admin', 'member'],
  params: {
    id: { kind: 'argument', required: true, summary: 'id of the campaign', completes: 'campaign' },
    external: {
      kind: 'argument',
      required: true,
      summary: 'id of the one at the platform, as campaign import lists it',
    },
    channel,
  },
  examples: ['campaign link 01J9ZX6T4QH8C3V5N7M2K0B1AD 9007199254740993'],
  run: async (context, { id: campaignId, external, channel: named }) => {
    const { id: connectedChannelId, platform } = await adsChannel(context, named)
    const there = liveCampaign(await liveAt(context, { id: connectedChannelId, platform }), external)
    return context.client.call('tenant', 'POST /campaigns/:campaignId/link-external', {
      params: { campaignId },
      body: {
        connectedChannelId,
        platform,
        externalCampaignId: external,
        externalCampaignName: there.name,
      },
    })
  },
  print: ({ campaignId, platform, externalCampaignName }) => [
    row(
      span('✔ ', 'good'),
      'Joined to ',
      span(externalCampaignName, 'strong'),
      ` of ${platform}; figures are being fetched: ads show ${campaignId}`,
    ),
  ],
})
