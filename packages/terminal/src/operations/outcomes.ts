import type { Reply } from '@copydesk/client'
import { emptyRow, row, type StyledLine, span } from '../render/row.ts'
import { operation } from './operation.ts'

type Outcomes = Reply<'cli', 'GET /approvals/outcomes'>
type Piece = Outcomes['data'][number]
type Place = Piece['places'][number]

export const outcomes = operation({
  name: 'outcomes',
  summary: 'show what became of the ten pieces that you approved last',
  effect: 'reads',
  audience: ['staff', 'admin', 'member'],
  params: {},
  examples: ['outcomes', 'outcomes --json'],
  run: ({ client }) => client.call('cli', 'GET /approvals/outcomes'),
  print: ({ data }) =>
    data.length === 0
      ? [row(span('You have approved no text yet.', 'dim'))]
      : data.flatMap((piece, at) => [...(at === 0 ? [] : [emptyRow]), ...pieceRows(piece)]),
})

const minute = (instant: string) => instant.slice(0, 16).replace('T', ' ')

function pieceRows({ title, tenantName, activityId, approvedAt, places }: Piece): StyledLine[] {
  return [
    row(span(title, 'strong'), span(`  ${activityId}`, 'accent')),
    row(span(`${tenantName}, approved ${minute(approvedAt)} UTC`, 'dim')),
    ...(places.length === 0 ? [row(span('  goes nowhere yet', 'dim'))] : places.map(placeRow)),
  ]
}

const figures = {
  impressions: 'impressions',
  responses: 'responses',
  clicks: 'clicks',
  deliveries: 'delivered',
  opens: 'opened',
  views: 'views',
  searchClicks: 'from search',
} as const

/** Where a piece went, and what has been counted there. */
export function placeRow(place: Place): StyledLine {
  const counted = Object.entries(figures).flatMap(([name, words]) => {
    const value = place[name as keyof typeof figures]
    return value === null ? [] : [`${value} ${words}`]
  })
  const isOut = place.status === 'published' || place.status === 'sent'
  return row(
    `  ${place.channelType ?? 'leads'}  `,
    span(`${place.status.replaceAll('_', ' ')} ${minute(place.at)}`, isOut ? 'good' : 'warn'),
    counted.length === 0 ? span('  nothing counted', 'dim') : `  ${counted.join(', ')}`,
  )
}
