import {
  type Column,
  columnsFitting,
  cutRow,
  emptyRow,
  row,
  type StyledLine,
  span,
  type Tone,
  tableOf,
} from '../render/row.ts'
import { ageOf, counted } from '../render/words.ts'
import type { CrawledPage, CrawledPages, CrawlProgress, CrawlState, PageStatus } from './knowledge-crawl.ts'

const pageTones: Readonly<Record<PageStatus, Tone>> = {
  indexed: 'good',
  unchanged: 'dim',
  skipped: 'warn',
  failed: 'bad',
}

const crawlTones: Readonly<Record<CrawlProgress['status'], Tone>> = {
  queued: 'dim',
  running: 'warn',
  completed: 'good',
  failed: 'bad',
}

export const pageColumns: ReadonlyArray<Column<CrawledPage>> = [
  { title: 'page', cell: ({ url }) => url, tone: () => 'accent', least: 16, enough: 28 },
  { title: 'status', cell: ({ status }) => status, tone: ({ status }) => pageTones[status] },
  { title: 'depth', cell: ({ depth }) => String(depth), align: 'right', rank: 1 },
  { title: 'reason', cell: ({ reason }) => reason ?? '', least: 10, enough: 24 },
]

/** The pages of a crawl as a table. */
export function pageRows({ data, hasMore }: CrawledPages, width: number): StyledLine[] {
  if (data.length === 0) return [row(span('No pages.', 'dim'))]
  return [
    ...tableOf(columnsFitting(pageColumns, data, width), data, width),
    ...(hasMore ? [row(span(`Only the first ${data.length} are shown.`, 'dim'))] : []),
  ]
}

/** What a dataset is read from, and how its last crawl went. */
export function stateRows(name: string, state: CrawlState, now: number): StyledLine[] {
  const { startUrl, maxPages, maxDepth, urlPathFilter, schedule, lastCrawl } = state
  if (startUrl === null) return [row(span(name, 'strong'), span('  was never read from a website', 'dim'))]
  const limits = [
    `at most ${counted(maxPages ?? 0, 'page')}`,
    `${counted(maxDepth ?? 0, 'link')} away`,
    ...(urlPathFilter === null ? [] : [`below ${urlPathFilter}`]),
    schedule === 'manual' ? 'not repeated' : `read ${schedule ?? ''}`,
  ]
  return [
    row(span(name, 'strong'), '  ', span(startUrl, 'accent')),
    row(span(limits.join(', '), 'dim')),
    ...(lastCrawl ? lastCrawlRows(lastCrawl, now) : []),
  ]
}

function lastCrawlRows(
  { status, pagesCrawled, pagesIndexed, pagesFailed, completedAt, errorMessage, id }: LastCrawl,
  now: number,
): StyledLine[] {
  const pages = `${counted(pagesCrawled, 'page')} crawled, ${pagesIndexed} indexed, ${pagesFailed ?? 0} failed`
  const age = completedAt === null ? '' : ` ${ageOf(completedAt, now)} ago`
  return [
    row('last crawl ', span(status + age, crawlTones[status]), `: ${pages}`, span(`  ${id}`, 'dim')),
    ...(errorMessage ? [row(span(errorMessage, status === 'failed' ? 'bad' : 'warn'))] : []),
  ]
}

type LastCrawl = NonNullable<CrawlState['lastCrawl']>

/** Addresses that are shown of one reason. */
const mostExamples = 3

/** Pages that were skipped or have failed for the same reason. */
export interface PageReason {
  status: PageStatus
  reason: string
  count: number
  /** The first of them. */
  examples: string[]
}

/** Why pages were not indexed: failures first, the most frequent reason first. */
export function reasonsOf(pages: readonly CrawledPage[]): PageReason[] {
  const missing = pages.filter(({ status }) => status === 'failed' || status === 'skipped')
  return [...Map.groupBy(missing, ({ status, reason }) => `${status} ${reason ?? ''}`).values()]
    .map((alike) => ({
      status: alike[0]?.status ?? 'failed',
      reason: alike[0]?.reason ?? '',
      count: alike.length,
      examples: alike
        .map(({ url }) => url)
        .toSorted()
        .slice(0, mostExamples),
    }))
    .toSorted((a, b) => a.status.localeCompare(b.status) || b.count - a.count)
}

/** How many pages had which outcome: `5 pages: 2 indexed, 1 unchanged, 1 skipped, 1 failed`. */
export function countsOf({ indexed, unchanged, skipped, failed }: CrawledPages['counts']): string {
  const all = counted(indexed + unchanged + skipped + failed, 'page')
  return `${all}: ${indexed} indexed, ${unchanged} unchanged, ${skipped} skipped, ${failed} failed`
}

/** What came of a crawl, with the reasons why pages are missing. */
export function crawlSummary(
  { status, errorMessage }: CrawlProgress,
  { counts }: Pick<CrawledPages, 'counts'>,
  reasons: readonly PageReason[],
  width: number,
): StyledLine[] {
  const head = row(status === 'failed' ? span('✘ ', 'bad') : span('✔ ', 'good'), countsOf(counts))
  return [
    head,
    ...(errorMessage !== null && status !== 'failed' ? [row(span(errorMessage, 'warn'))] : []),
    ...reasons.flatMap((each) => [
      emptyRow,
      row(span(`${each.count} ${each.status}`, pageTones[each.status]), `  ${each.reason}`),
      ...each.examples.map((url) => cutRow(row('  ', span(url, 'accent')), width)),
      ...(each.count > each.examples.length
        ? [row(span(`  … ${each.count - each.examples.length} more`, 'dim'))]
        : []),
    ]),
  ]
}

/** How far a crawl is, in one line. */
export function progressRow(
  { status, pagesCrawled, pagesIndexed, pagesFailed }: CrawlProgress,
  url: string,
): StyledLine {
  const done = `${counted(pagesCrawled, 'page')}, ${pagesIndexed} indexed, ${pagesFailed} failed  `
  return row(span(`${status}  `, crawlTones[status]), status === 'queued' ? '' : done, span(url, 'accent'))
}
