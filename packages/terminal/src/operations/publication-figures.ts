import type { Reply } from '@copydesk/client'
import { type Column, columnsFitting, row, type StyledLine, tableOf } from '../render/row.ts'

export type ShownPublication = Reply<'dashboard', 'GET /publications/:publicationId'>

/** Days that are shown, the newest first. */
const shownDays = 14

const ofPost = {
  impressions: 'impressions',
  reach: 'reach',
  reactions: 'reactions',
  comments: 'comments',
  shares: 'shares',
  clicks: 'clicks',
  deliveries: 'deliveries',
  opens: 'opens',
  unsubscribes: 'unsubscribes',
}
const ofPage = {
  views: 'views',
  sessions: 'sessions',
  visitors: 'visitors',
  keyEvents: 'key events',
  searchImpressions: 'in search',
  searchClicks: 'from search',
  searchPlace: 'place',
}

/** What became of a publication: the totals of the post until each of the last days, and the figures of its page on each of them. */
export function publicationFigures({ metrics, pageDays }: ShownPublication, width: number): StyledLine[] {
  return [
    ...figureTable('until (UTC)', metrics, ofPost, width),
    ...figureTable('page on', pageDays, ofPage, width),
  ]
}

type Counted<N extends string> = { day: string } & Record<N, number | null>

/** As far as they are counted, each figure under its title. */
function figureTable<N extends string>(
  title: string,
  all: ReadonlyArray<Counted<NoInfer<N>>>,
  titles: Record<N, string>,
  width: number,
): StyledLine[] {
  const days = all.slice(0, shownDays)
  if (days.length === 0) return []
  const names = Object.keys(titles) as N[]
  const counted = names.filter((name) => days.some((day) => day[name] !== null))
  const table: ReadonlyArray<Column<Counted<N>>> = [
    { title, cell: ({ day }) => day },
    ...counted.map((name, n) => ({
      title: titles[name],
      cell: (day: Counted<N>) => String(day[name] ?? '·'),
      rank: n + 1,
    })),
  ]
  return [row(''), ...tableOf(columnsFitting(table, days, width), days, width)]
}
