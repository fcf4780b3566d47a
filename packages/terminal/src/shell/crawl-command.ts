import type { Command } from 'commander'
import { withTenant } from '../account/own-tenant.ts'
import { checkedInput, checkInput, optionName, UsageError } from '../operations/invocation.ts'
import { datasetsNamed } from '../operations/knowledge.ts'
import { crawledPages, crawlState, kbCrawl } from '../operations/knowledge-crawl.ts'
import { pageRows, stateRows } from '../operations/knowledge-crawl-rows.ts'
import { type CrawlInput, crawlSite } from './crawl-site.ts'
import { Failure } from './failure.ts'
import { givenTo, narrowed } from './input.ts'
import { requireRight } from './run-command.ts'
import { connectionOf, onStdout, outputOf, renderOptionsNow } from './session.ts'

/** The dataset that websites are read into. */
const usualDataset = 'website-content'

/**
 * Reads a website into a dataset and follows that to its end, or shows the last crawl and its pages.
 * @throws Failure when the crawl fails or Ctrl-C ends the waiting; UsageError for options that do not go together
 */
export async function crawlCommand(command: Command): Promise<void> {
  const output = outputOf(command)
  const given = await givenTo(kbCrawl, command)
  requireFitting(checkedInput(kbCrawl, given))
  const connection = await connectionOf(command, output)
  const { context } = connection
  requireRight(context, kbCrawl)
  const meant = narrowed(kbCrawl, given, connection.tenantId)
  const input = checkedInput(kbCrawl, checkInput(kbCrawl, await withTenant(kbCrawl, context, meant)))
  const [dataset] = await datasetsNamed(context.client, input.tenant, [input.dataset ?? usualDataset])
  if (!dataset) throw new UsageError('The tenant has no datasets', 'tenant')
  const place = { tenant: input.tenant, datasetId: dataset.id, name: dataset.name }
  const { url } = input
  if (url !== undefined) return crawlSite(context, { ...input, url }, place, output)
  const state = await crawlState(context.client, place)
  if (!input.pages && !input.failed && !input.skipped) {
    const { now } = renderOptionsNow()
    return output.data(state, () => onStdout(stateRows(place.name, state, now)))
  }
  if (!state.lastCrawl) throw new Failure(`${place.name} was never read from a website.`)
  const found = await crawledPages(context.client, place, state.lastCrawl.id, statusesOf(input))
  output.data(found, () => onStdout(pageRows(found, renderOptionsNow().width)))
}

function statusesOf({ failed, skipped }: CrawlInput) {
  if (!failed && !skipped) return undefined
  return [...(failed ? (['failed'] as const) : []), ...(skipped ? (['skipped'] as const) : [])]
}

const ofStart = ['maxPages', 'maxDepth', 'path', 'schedule', 'at', 'noWait'] as const
const ofLast = ['status', 'pages', 'failed', 'skipped'] as const

/** @throws UsageError */
function requireFitting(input: CrawlInput): void {
  const name = (input.url === undefined ? ofStart : ofLast).find((each) => input[each])
  if (name === undefined) return
  const why =
    input.url === undefined ? 'needs the URL of a website' : 'is for the last crawl: leave out the URL'
  throw new UsageError(`--${optionName(name)} ${why}`, name)
}
