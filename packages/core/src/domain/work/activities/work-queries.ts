import type { Ctx } from '../../../kernel/context.ts'
import { cursorRow, unknownCursor } from '../../../kernel/page-queries.ts'
import { narrowed } from '../../../kernel/scope.ts'
import { preview } from '../../../kernel/text.ts'
import { isUlid } from '../../../platform/clock.ts'
import { cancelledByPerson } from './state.ts'
import type { WorkRow } from './work-line-queries.ts'
import type { WorkItem, WorkQuery, WorkQueue, WorkState } from './work-schemas.ts'
import {
  countLines,
  readWorkItems,
  stateOf,
  type WorkFilter,
  type WorkPlace,
  type WorkRank,
  workItems,
  workRanks,
} from './work-source-queries.ts'

/** What waits for people. */
const usual: readonly WorkState[] = ['pending', 'blocked']

/** How much is said of why something stands still or has failed, characters. */
const reasonChars = 300

/**
 * The queue of work of all tenants in scope, read in pages over all its parts: questions that can still be decided, by risk
 * and then by when they are due; what is blocked, the oldest first; what is running or waits for its agent, the oldest first;
 * and what has failed or was cancelled, the newest first. Each part is read by its index and only as far as the page needs it; what comes
 * while someone reads moves no line to another page. `counts` are of everything that matches `type`, `agent` and the
 * tenant. Serves `GET /cli/v1/queue` and
 * `GET /dashboard/v1/queue`.
 * @throws DomainError `VALIDATION_ERROR` on `cursor`; `FORBIDDEN` for a tenant outside the scope
 */
export async function listWork(ctx: Ctx, query: Partial<WorkQuery> = {}): Promise<WorkQueue> {
  const { tenantId, status, limit = 50, cursor } = query
  const own = tenantId === undefined ? ctx : narrowed(ctx, tenantId)
  const filter: WorkFilter = { type: query.type, agent: query.agent }
  const wanted = ranksOf(status)
  const from = cursor === undefined ? undefined : await readCursor(own, wanted, filter, cursor)
  const [lines, counts] = await Promise.all([
    read(own, wanted, { filter, from, limit: limit + 1 }),
    countAll(own, filter),
  ])
  const shown = lines.slice(0, limit)
  const end = lines.length > limit ? shown.at(-1) : undefined
  const inState = (state: WorkState) =>
    shown.filter(({ rank }) => stateOf[rank] === state).map((line) => toItem(line, ctx.clock.now()))
  return {
    pending: inState('pending'),
    running: inState('running'),
    blocked: inState('blocked'),
    failed: inState('failed'),
    counts,
    pagination: { hasMore: end !== undefined, nextCursor: end ? writeCursor(end) : null },
  }
}

function ranksOf(status: WorkQuery['status']): WorkRank[] {
  if (status === 'all') return [...workRanks]
  return workRanks.filter((rank) => (status ? stateOf[rank] === status : usual.includes(stateOf[rank])))
}

interface Line {
  rank: WorkRank
  row: WorkRow
}

interface Start {
  rank: WorkRank
  place: WorkPlace
}

/** Rank by rank until there is enough. */
async function read(
  ctx: Ctx,
  wanted: readonly WorkRank[],
  { filter, from, limit }: { filter: WorkFilter; from: Start | undefined; limit: number },
): Promise<Line[]> {
  const lines: Line[] = []
  for (const rank of wanted.slice(from ? wanted.indexOf(from.rank) : 0)) {
    if (lines.length === limit) break
    const after = rank === from?.rank ? { after: from.place } : {}
    const rows = await readWorkItems(ctx, rank, { filter, limit: limit - lines.length, ...after })
    lines.push(...rows.map((row) => ({ rank, row })))
  }
  return lines
}

async function countAll(ctx: Ctx, filter: WorkFilter): Promise<WorkQueue['counts']> {
  const found = await Promise.all(workRanks.map((rank) => countLines(ctx, rank, filter)))
  const counts = { pending: 0, running: 0, blocked: 0, failed: 0 }
  for (const [i, rank] of workRanks.entries()) counts[stateOf[rank]] += found[i] ?? 0
  return counts
}

const form = /^([0-6])\.([0-9a-z]{1,9})\.([0-7][0-9A-HJKMNP-TV-Z]{25})$/

/** A place, not a line: what stood there may be done by the time the next page is asked for. */
function writeCursor({ rank, row }: Line): string {
  return [workRanks.indexOf(rank), row.place.getTime().toString(36), row.id].join('.')
}

/** The id of a line that is in the queue still is as good. */
async function readCursor(
  ctx: Ctx,
  wanted: readonly WorkRank[],
  filter: WorkFilter,
  text: string,
): Promise<Start> {
  const [, number = '', at = '', id = ''] = form.exec(text) ?? []
  const rank = number === '' ? undefined : workRanks[Number(number)]
  if (rank && wanted.includes(rank)) {
    await cursorRow(ctx, workItems(ctx, rank), id)
    return { rank, place: { at: new Date(Number.parseInt(at, 36)), id } }
  }
  for (const one of isUlid(text) ? wanted : []) {
    const [row] = await readWorkItems(ctx, one, { filter, id: text, limit: 1 })
    if (row) return { rank: one, place: { at: row.place, id: text } }
  }
  throw unknownCursor()
}

function toItem({ rank, row }: Line, now: number): WorkItem {
  const { place: _, blocker, failureReason, hold, claimedByName = null, claimedUntil, ...told } = row
  return {
    riskLevel: null,
    approvalId: null,
    approvalType: null,
    dueAt: null,
    expiresAt: null,
    ...told,
    status: stateOf[rank],
    ageMinutes: Math.max(0, Math.floor((now - row.since.getTime()) / 60_000)),
    claimedBy: claimedUntil && claimedUntil.getTime() > now ? claimedByName : null,
    reason: reasonOf(rank, { blocker, failureReason, hold }),
  }
}

function reasonOf(
  rank: WorkRank,
  { blocker, failureReason, hold }: Pick<WorkRow, 'blocker' | 'failureReason' | 'hold'>,
): string | null {
  if (rank !== 'blocked' && rank !== 'failed') return null
  if (rank === 'failed') {
    if (failureReason === cancelledByPerson) return 'Cancelled'
    return failureReason && preview(failureReason, reasonChars)
  }
  if (blocker?.description) return preview(blocker.description, reasonChars)
  if (!hold) return null
  // What is paused may keep the error of its last turn.
  return failureReason ? `Paused: ${preview(failureReason, reasonChars)}` : 'Paused'
}
