import type { Ctx } from '../../kernel/context.ts'
import { type Condition, where } from '../../kernel/paging-queries.ts'
import { within } from '../../kernel/scope.ts'
import { searched } from '../../kernel/search-queries.ts'
import { firstIdAt } from '../../platform/clock.ts'
import { type PieceFilter, pendingWhere, workWhere } from './piece-filter.ts'
import { activities, approvals, type Piece, type Source } from './piece-queries.ts'

/** How far back titles of work are looked for, days. */
const titleDays = 180

/** What has a title with all of these words, mistyped or not, the newest first: questions that wait, then work. */
export async function searchPieces(
  ctx: Ctx,
  search: string,
  filter: PieceFilter,
  { wanted, limit }: { wanted: 'approval' | 'activity' | 'any'; limit: number },
): Promise<Piece[]> {
  const request = { limit, order: 'desc' as const }
  const recent = { sql: 'x.id >= ?', params: [firstIdAt(new Date(ctx.clock.now() - titleDays * 86_400_000))] }
  const look = async (source: Source, key: 'a' | 'x', condition: Condition) => {
    const ids = await searched(ctx.sql, {
      id: `${key}.id`,
      texts: [`${key}.title`],
      from: source.from,
      condition,
      request,
      search,
      typos: true,
    })
    if (ids.params.length === 0) return []
    return source.read(ctx, where(condition, ids), `${key}.id desc`, limit)
  }
  const [questions, work] = await Promise.all([
    wanted === 'activity' ? [] : look(approvals, 'a', pendingWhere(ctx, filter)),
    wanted === 'approval' || (wanted === 'any' && isOfApprovals(filter))
      ? []
      : look(activities, 'x', where(workWhere(ctx, filter), recent)),
  ])
  return [...questions, ...work]
}

/** Whether a filter narrows by what only questions to people have. */
function isOfApprovals({ risks = [], approvalType, expiresBefore, dueBefore }: PieceFilter): boolean {
  return risks.length > 0 || [approvalType, expiresBefore, dueBefore].some((value) => value !== undefined)
}

/** Questions that are decided already and have a title with all of these words, the newest first. */
export async function searchDecided(ctx: Ctx, search: string, limit: number): Promise<Piece[]> {
  const since = firstIdAt(new Date(ctx.clock.now() - titleDays * 86_400_000))
  const condition = where(within(ctx.scope, 'a.tenant_id'), {
    sql: 'a.id >= ? and a.resolved_at is not null and a.forwarded_from is null',
    params: [since],
  })
  const request = { limit, order: 'desc' as const }
  const query = {
    id: 'a.id',
    texts: ['a.title'],
    from: approvals.from,
    condition,
    request,
    search,
    typos: true,
  }
  const ids = await searched(ctx.sql, query)
  return ids.params.length === 0 ? [] : approvals.read(ctx, where(condition, ids), 'a.id desc', limit)
}
