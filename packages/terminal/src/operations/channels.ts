import type { Reply } from '@copydesk/client'
import { type Column, columnsFitting, row, type StyledLine, span, type Tone, tableOf } from '../render/row.ts'
import { operation } from './operation.ts'

type Channel = Reply<'dashboard', 'GET /channels'>['data'][number]
type Health = Reply<'dashboard', 'GET /channels/:channelId/health'>

export const channelTones: Readonly<Record<Channel['status'], Tone>> = {
  connected: 'good',
  expired: 'bad',
  error: 'bad',
  disconnected: 'dim',
}

const toneOf = (score: number | undefined): Tone =>
  score === undefined ? 'dim' : score >= 80 ? 'good' : score >= 50 ? 'warn' : 'bad'

const columns: ReadonlyArray<Column<Channel>> = [
  { title: 'id', cell: ({ id }) => id, tone: () => 'accent' },
  { title: 'type', cell: ({ type }) => type },
  { title: 'account', cell: ({ accountName }) => accountName ?? '·', least: 10, enough: 30 },
  { title: 'status', cell: ({ status }) => status, tone: ({ status }) => channelTones[status] },
  {
    title: 'health',
    cell: ({ healthScore }) => (healthScore === undefined ? '·' : String(healthScore)),
    tone: ({ healthScore }) => toneOf(healthScore),
  },
  { title: 'connected by', cell: ({ connectedBy }) => connectedBy, rank: 1 },
]

const id = { kind: 'argument', required: true, summary: 'id of the channel' } as const

export const channelList = operation({
  name: 'channel list',
  summary: 'list the accounts at channels, and how well they are',
  effect: 'reads',
  audience: ['admin', 'member'],
  params: {},
  examples: ['channel list', 'channel list --json'],
  run: ({ client }) => client.call('dashboard', 'GET /channels'),
  print: ({ data }, { width }) =>
    data.length === 0
      ? [row(span('No channels: `copydesk channel connect` connects one.', 'dim'))]
      : tableOf(columnsFitting(columns, data, width), data, width),
})

export const channelHealth = operation({
  name: 'channel health',
  summary: 'show how well a channel is, why, and what to do',
  effect: 'reads',
  audience: ['admin', 'member'],
  params: { id },
  examples: ['channel health 01J9ZX6T4QH8C3V5N7M2K0B1AD'],
  run: ({ client }, { id: channelId }) =>
    client.call('dashboard', 'GET /channels/:channelId/health', { params: { channelId } }),
  print: healthRows,
})

function healthRows({
  healthScore,
  breakdown,
  measured,
  facts,
  advice,
  accountDays,
  lastPublishedAt,
}: Health): StyledLine[] {
  const parts = measured.map((part) => `${words[part]} ${breakdown[part]}`)
  const { published, failed, held, unanswered, engagement } = facts
  return [
    row(span(`${healthScore} of 100`, toneOf(healthScore)), span(`  ${parts.join(', ')}`, 'dim')),
    row(`In 30 days: ${published} published, ${failed} failed; ${held} held, ${unanswered} unanswered`),
    ...(engagement
      ? [
          row(
            `Answers per ${per[engagement.per]}: ${shown(engagement.recent)}, and ${shown(engagement.usual)} before`,
          ),
        ]
      : []),
    ...(lastPublishedAt ? [row(`Last published ${lastPublishedAt.slice(0, 16).replace('T', ' ')}`)] : []),
    ...accountRows(accountDays),
    ...advice.map(({ text, until }) =>
      row(
        span('→ ', 'warn'),
        text,
        span(until ? `  until ${until.slice(0, 16).replace('T', ' ')}` : '', 'dim'),
      ),
    ),
  ]
}

type AccountDay = Health['accountDays'][number]

const accountWords = {
  views: 'views',
  engagements: 'engagements',
  newFollowers: 'new followers',
  websiteClicks: 'clicks to the website',
  calls: 'calls',
  directions: 'requests for the way',
} as const

/** The sums of the days that are known of a page or a place; nothing where its platform counts none. */
function accountRows(days: readonly AccountDay[]): StyledLine[] {
  const counted = Object.entries(accountWords).flatMap(([name, what]) => {
    const values = days.flatMap((day) => day[name as keyof typeof accountWords] ?? [])
    return values.length === 0 ? [] : [`${values.reduce((sum, value) => sum + value, 0)} ${what}`]
  })
  return counted.length === 0 ? [] : [row(`In ${days.length} days: ${counted.join(', ')}`)]
}

const per = { deliveries: 'mail', impressions: 'view', posts: 'post' } as const
const shown = (value: number) => (value < 1 ? value.toFixed(3) : value.toFixed(1))

const words: Readonly<Record<Health['measured'][number], string>> = {
  completeness: 'completeness',
  activityScore: 'activity',
  engagement: 'engagement',
}

export const channelDisconnect = operation({
  name: 'channel disconnect',
  summary: 'give the tokens of a channel back and forget them; what waits for it is held',
  effect: 'decides',
  audience: ['admin'],
  params: { id },
  examples: ['channel disconnect 01J9ZX6T4QH8C3V5N7M2K0B1AD'],
  run: async ({ client }, { id: channelId }) => {
    await client.call('dashboard', 'DELETE /channels/:channelId', { params: { channelId } })
    return { channelId, status: 'disconnected' as const }
  },
  print: ({ channelId }) => [row(span('✔ ', 'good'), 'Disconnected  ', span(channelId, 'accent'))],
})
