import type { Reply } from '@copydesk/client'
import { type Column, row, type StyledLine, span, type Tone } from '../render/row.ts'

export type ChangeSet = Reply<'tenant', 'GET /campaigns/:campaignId/change-sets/:changeSetId'>
type ChangeItem = ChangeSet['items'][number]

const tones: Readonly<Record<ChangeItem['state'], Tone>> = {
  planned: 'warn',
  refused: 'bad',
  rejected: 'dim',
  applied: 'good',
  drifted: 'bad',
  failed: 'bad',
}

/** To the last digit: what is approved is what is shown. */
const amount = (value: number, currency: string) =>
  `${value.toFixed(6).replace(/(\.\d\d\d*?)0+$/, '$1')} ${currency}`

/** What followed a change, beside what was before it. */
function outcomeLine({ days, before, after, otherSets }: ChangeSet['outcomes'][number]): StyledLine {
  const { currency } = before
  const each = ({ costPerConversion }: typeof before) =>
    costPerConversion === null ? 'none' : amount(costPerConversion, currency)
  return row(
    span(`after ${days} days  `, 'dim'),
    `spend ${amount(before.spend, currency)} → ${amount(after.spend, currency)}, clicks ${before.clicks} → ${after.clicks}, `,
    `conversions ${before.conversions} → ${after.conversions}, each ${each(before)} → ${each(after)}`,
    span(
      otherSets === 0 ? '' : `  (with ${otherSets} other ${otherSets === 1 ? 'change' : 'changes'})`,
      'dim',
    ),
  )
}

export type OutsideChange = Reply<'tenant', 'GET /campaigns/:campaignId/change-sets'>['outside'][number]

/** What others have changed at the platform, and when; it is shown, and never undone. */
export function outsideLines(outside: readonly OutsideChange[]): StyledLine[] {
  return outside.flatMap(({ at, who, via, currency, changes }) => {
    const shown = (value: string | number | null) =>
      typeof value === 'number' ? amount(value / 1_000_000, currency) : value
    return [
      row(
        span('made outside  ', 'warn'),
        `${at.slice(0, 16).replace('T', ' ')} UTC`,
        span(`  by ${who ?? 'someone'}${via === null ? '' : `, ${via}`}`, 'dim'),
      ),
      ...changes.map(({ label, before, after }) =>
        row(
          before === null && after === null
            ? `  ${label}`
            : `  ${label}: ${shown(before) ?? 'nothing'} → ${shown(after) ?? 'nothing'}`,
        ),
      ),
    ]
  })
}

const setTones: Readonly<Partial<Record<ChangeSet['status'], Tone>>> = {
  planned: 'warn',
  applied: 'good',
  failed: 'bad',
  unknown: 'bad',
}

export const changeSetColumns: ReadonlyArray<Column<ChangeSet>> = [
  { title: 'planned', cell: ({ createdOn }) => createdOn.slice(0, 10), tone: () => 'dim' },
  {
    title: 'status',
    cell: ({ status }) => status.replaceAll('_', ' '),
    tone: ({ status }) => setTones[status] ?? 'plain',
  },
  { title: 'changes', cell: ({ items }) => String(items.length), align: 'right' },
  { title: 'title', cell: ({ title }) => title, least: 12, enough: 60 },
  { title: 'planned by', cell: ({ requestedBy }) => requestedBy, tone: () => 'dim', rank: 1 },
]

/** Every letter of an ad, as readers see it. */
const adLines = ({ headlines, descriptions, finalUrl }: NonNullable<ChangeItem['ad']>): StyledLine[] =>
  [
    ...headlines.map((text) => ['headline', text] as const),
    ...descriptions.map((text) => ['description', text] as const),
    ['leads to', finalUrl] as const,
  ].map(([name, text]) => row(span(`  ${name.padEnd(11)}  `, 'dim'), text))

/** A change set with what is changed from what to what, and the digest to approve it by. */
export function changeSetLines(one: ChangeSet): StyledLine[] {
  const shown = (value: ChangeItem['before']) =>
    typeof value === 'number' ? amount(value / 1_000_000, one.currency) : (value ?? 'nothing')
  return [
    row(span(one.title, 'strong'), span(`  ${one.id}`, 'accent'), `  ${one.status}`),
    ...one.items.flatMap(({ label, before, after, ad, state, reason, requestId }) => [
      row(span(`${state}  `, tones[state]), `${label}: ${shown(before)} → ${shown(after)}`),
      ...(ad === null ? [] : adLines(ad)),
      ...(reason === null ? [] : [row(span(`  ${reason}`, 'dim'))]),
      ...(requestId === null || state === 'applied' ? [] : [row(span(`  request ${requestId}`, 'dim'))]),
    ]),
    ...(one.error === null ? [] : [row(span(one.error, 'bad'))]),
    ...(one.status === 'planned' ? [row(span(`digest ${one.digest}`, 'dim'))] : []),
    ...one.outcomes.map(outcomeLine),
  ]
}
