import type { Ctx } from '../../../../kernel/context.ts'
import { addDays, dayIn } from '../../../../kernel/periods.ts'
import { transact } from '../../../../kernel/transact.ts'
import { OutboundError } from '../../../../platform/http/outbound-error.ts'
import { lockCampaign } from '../../../work/campaigns/change.ts'
import { answerOf } from '../../publishing/links.ts'
import type { MappingRow } from '../entities.ts'
import { type CheckPages, checkPagesJob } from '../jobs.ts'
import type { PlatformPage } from '../platform.ts'
import { withMapping } from '../sync.ts'
import { CampaignRecommendation } from './entities.ts'
import { markApplied } from './follow-set.ts'
import { keepAdvice } from './keep-advice.ts'
import { brokenPage, type PageFault, pageSubject, pagesOf } from './page-policy.ts'

/** Pages of one campaign that are asked for, the dearest ones, and how many at a time. */
const mostPages = 20
const atOnce = 4
/** How long one answer is waited for, and all of them together, milliseconds. */
const answerMs = 10_000
const allMs = 120_000
/** When a page that fails is asked for once more, milliseconds: a server that starts again is not broken. */
const againMs = 5 * 60_000

/**
 * Opens the pages that enabled ads lead to, as a reader would: the job `ads.pages`. One that fails is asked for again a while later, and what
 * fails twice is told. A recommendation about a page that answers again, or that no ad leads to any more, is done.
 */
export async function checkPages(ctx: Ctx, payload: CheckPages, signal: AbortSignal): Promise<void> {
  const { mappingId, seen } = payload
  await withMapping(ctx, mappingId, checkPagesJob, signal, async (platform, call, mapping, address) => {
    // Nobody is sent to the pages of a campaign that does not run.
    if (!platform.search || mapping.externalStatus !== platform.words.enabled) return
    const to = addDays(dayIn(ctx.clock.date(), mapping.timezone), -1)
    const span = { from: addDays(to, -29), to }
    const pages = pagesOf(await platform.search.pages(call, address, span))
    const first = new Map(seen.map((fault) => [fault.url, fault]))
    const asked = pages.filter(({ url }) => seen.length === 0 || first.has(url)).slice(0, mostPages)
    const states = await askAll(ctx, asked, signal)
    const faults = states.flatMap(({ fault }) => fault ?? [])
    if (seen.length > 0) await advisePages(ctx, mapping, pages, { first, faults, ...span })
    else {
      await settlePages(ctx, mapping, pages, states)
      if (faults.length > 0) await askAgain(ctx, mapping, faults)
    }
  })
}

/** `fault` is undefined for a page that answers, and for one whose server treats programs otherwise than people. */
interface PageState {
  url: string
  isFine: boolean
  fault?: PageFault | undefined
}

async function askAll(ctx: Ctx, pages: readonly PlatformPage[], signal: AbortSignal): Promise<PageState[]> {
  const all = AbortSignal.any([signal, AbortSignal.timeout(allMs)])
  const states: PageState[] = []
  for (let at = 0; at < pages.length; at += atOnce)
    states.push(...(await Promise.all(pages.slice(at, at + atOnce).map(({ url }) => askPage(ctx, url, all)))))
  return states
}

async function askPage(ctx: Ctx, url: string, signal: AbortSignal): Promise<PageState> {
  const faulty = (words: string): PageState => {
    const at = ctx.clock.date().toISOString()
    return { url, isFine: false, fault: { url, words, at } }
  }
  try {
    const status = await answerOf(ctx, url, { signal, timeoutMs: answerMs })
    const isBroken = status === 404 || status === 410 || status >= 500
    return isBroken ? faulty(`it answered ${status}`) : { url, isFine: status < 400 }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return error.reason === 'dns' ? faulty('its name did not resolve') : { url, isFine: false }
  }
}

function askAgain(ctx: Ctx, { id, tenantId }: MappingRow, seen: PageFault[]): Promise<void> {
  return transact(ctx, async (txn) => {
    txn.enqueue(checkPagesJob, {
      tenantId,
      payload: { mappingId: id, seen },
      runAt: new Date(txn.clock.now() + againMs),
      uniqueKey: `${checkPagesJob.kind}:${id}:again`,
    })
  })
}

function advisePages(
  ctx: Ctx,
  mapping: MappingRow,
  pages: readonly PlatformPage[],
  seen: { first: ReadonlyMap<string, PageFault>; faults: readonly PageFault[]; from: string; to: string },
): Promise<void> {
  const { first, faults, from, to } = seen
  const found = faults.map((again) => {
    const costMicros = pages.find(({ url }) => url === again.url)?.costMicros ?? 0
    const answers = [first.get(again.url) ?? again, again]
    return brokenPage({ answers, costMicros, from, to, currency: mapping.currency })
  })
  return transact(ctx, async (txn) => {
    await lockCampaign(txn, mapping.campaignId)
    await keepAdvice(txn, mapping, found)
  })
}

/** People have put these pages right, or their ads. */
function settlePages(
  ctx: Ctx,
  { campaignId, platform }: MappingRow,
  pages: readonly PlatformPage[],
  states: readonly PageState[],
): Promise<void> {
  const used = new Set(pages.map(({ url }) => pageSubject(url)))
  const fine = new Set(states.filter(({ isFine }) => isFine).map(({ url }) => pageSubject(url)))
  return transact(ctx, async (txn) => {
    await lockCampaign(txn, campaignId)
    const status = { $nin: ['skipped' as const, 'applied' as const] }
    const open = await txn.em.find(CampaignRecommendation, {
      campaignId,
      platform,
      kind: 'broken_page',
      status,
    })
    for (const row of open) if (fine.has(row.subject) || !used.has(row.subject)) markApplied(txn, row, null)
  })
}
