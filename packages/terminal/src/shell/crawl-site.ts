import { setTimeout as pause } from 'node:timers/promises'
import { ApiError, type Client } from '@copydesk/client'
import { instantOf } from '../operations/instant.ts'
import { shellLine } from '../operations/invocation.ts'
import { tenantHeader } from '../operations/knowledge.ts'
import {
  type CrawlProgress,
  crawledPages,
  crawlProgress,
  type DatasetPlace,
  kbCrawl,
} from '../operations/knowledge-crawl.ts'
import { crawlSummary, progressRow, reasonsOf } from '../operations/knowledge-crawl-rows.ts'
import type { Input, OperationContext } from '../operations/operation.ts'
import { exitCodes, explain, Failure } from './failure.ts'
import type { CliOutput } from './output.ts'
import { progressLine } from './progress-line.ts'
import { interruption, onStdout, renderOptionsNow } from './session.ts'

export type CrawlInput = Input<(typeof kbCrawl)['params']>

/** A dataset with what people call it. */
type NamedPlace = DatasetPlace & { name: string }

/**
 * Has a website read into a dataset, and waits for the end unless it begins later or is not to be waited for.
 * @throws Failure when the crawl fails, or Ctrl-C ends the waiting
 */
export async function crawlSite(
  context: OperationContext,
  input: CrawlInput & { url: string },
  place: NamedPlace,
  output: CliOutput,
): Promise<void> {
  const { client } = context
  const { tenant, dataset, at, noWait } = input
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(input.url) ? input.url : `https://${input.url}`
  const scheduleFor = at === undefined ? null : instantOf('at', at, context.now())
  const look = `\`${shellLine(kbCrawl, { status: true, tenant, dataset })}\``
  const { crawlJobId, status } = await start(client, input, { ...place, url, scheduleFor }).catch(
    (error: unknown) => {
      throw refusedStart(error, look)
    },
  )
  if (noWait || scheduleFor !== null) {
    const when = scheduleFor === null ? 'waits for its turn' : `begins at ${scheduleFor}`
    const begun = { crawlJobId, datasetId: place.datasetId, status, scheduleFor }
    return output.data(begun, () => `The crawl of ${url} into ${place.name} ${when}: ${look} shows it.`)
  }
  output.info(`${url} is read into ${place.name}.`)
  const end = await endOf(client, place, { crawlJobId, url }, output)
  if (!end)
    throw new Failure(`It is waited for no longer, but the crawl goes on: ${look} shows how far it is.`)
  const found = await crawledPages(client, place, crawlJobId, ['failed', 'skipped'])
  const reasons = reasonsOf(found.data)
  const told = { ...end, datasetId: place.datasetId, counts: found.counts, reasons }
  output.data(told, () => onStdout(crawlSummary(end, found, reasons, renderOptionsNow().width)))
  if (end.status === 'failed') throw new Failure(end.errorMessage ?? 'The crawl has failed.')
  await tellWhatIsLeft(client, place, output)
}

function start(
  client: Client,
  { maxPages, maxDepth, path, schedule }: CrawlInput,
  { tenant, datasetId, url, scheduleFor }: DatasetPlace & { url: string; scheduleFor: string | null },
) {
  return client.call('tenant', 'POST /knowledge/datasets/:datasetId/crawl', {
    params: { datasetId },
    ...tenantHeader(tenant),
    body: {
      startUrl: url,
      scheduleFor,
      ...(maxPages !== undefined && { maxPages }),
      ...(maxDepth !== undefined && { maxDepth }),
      ...(path !== undefined && { urlPathFilter: path }),
      ...(schedule !== undefined && { schedule }),
    },
  })
}

/** What to do about a crawl that the server does not begin. */
function refusedStart(error: unknown, look: string): unknown {
  if (!(error instanceof ApiError)) return error
  if (error.status === 409) return new Failure(`${error.message}: ${look} shows it.`, { cause: error })
  if (error.status !== 403) return error
  return new Failure(
    `${error.message}. Crawls are begun by the users of the tenant; ${look} shows the last one to you as well.`,
    { exitCode: exitCodes.forbidden, cause: error },
  )
}

const shortMs = 1_000
const longMs = 3_000
/** How often it is asked after a short time; small sites are read by then. */
const shortLooks = 10

/**
 * Shows how far a crawl is until it has ended, also while the server cannot be reached.
 * @returns undefined after Ctrl-C
 * @throws errors that another try cannot fix
 */
async function endOf(
  client: Client,
  place: DatasetPlace,
  { crawlJobId, url }: { crawlJobId: string; url: string },
  output: CliOutput,
): Promise<CrawlProgress | undefined> {
  const signal = interruption()
  const line = progressLine(output)
  let isAway = false
  try {
    for (let looks = 0; !signal.aborted; looks += 1) {
      try {
        const progress = await crawlProgress(client, place, crawlJobId, signal)
        if (progress.completedAt !== null) return progress
        isAway = false
        line.show(progressRow(progress, url))
      } catch (error) {
        if (signal.aborted) break
        if (isFinal(error)) throw error
        line.clear()
        if (!isAway) output.warn(`${explain(error).message} Trying again.`)
        isAway = true
      }
      await pause(looks < shortLooks ? shortMs : longMs, undefined, { signal }).catch(() => undefined)
    }
    return undefined
  } finally {
    line.clear()
  }
}

function isFinal(error: unknown): boolean {
  if (error instanceof ApiError) return error.status < 500 && error.status !== 429
  return explain(error).exitCode !== exitCodes.failed
}

/** Pages are read into search after they were fetched. */
async function tellWhatIsLeft(
  client: Client,
  { tenant, datasetId }: DatasetPlace,
  output: CliOutput,
): Promise<void> {
  const { data } = await client.call('tenant', 'GET /knowledge/datasets', tenantHeader(tenant))
  if (data.find(({ id }) => id === datasetId)?.status === 'building')
    output.info(
      'Some pages cannot be searched yet, because their text is still being read: `copydesk kb files` shows them.',
    )
}
