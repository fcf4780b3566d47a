import type { Ctx } from '../../../kernel/context.ts'
import { where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { select, table } from '../../../platform/database/read.ts'
import { Approval } from './entities.ts'
import { getApproval } from './queries.ts'
import type { NextApproval } from './schemas.ts'

const a = table(Approval, 'a')
const next = select({ id: a.id })

/**
 * What a reviewer should look at now: of the highest risk what is due first, without what others look at and what is with the
 * client. It only looks: to keep it for oneself, claim it. Serves `GET /dm/v1/approvals/next`.
 */
export async function nextApproval(ctx: Ctx): Promise<NextApproval> {
  const now = ctx.clock.date()
  const condition = where(
    within(ctx.scope, 'a.tenant_id'),
    {
      sql: `a.status = 'pending' and a.expires_at > ? and a.forwarded_from is null`,
      params: [now],
    },
    {
      sql: 'a.claimed_until is null or a.claimed_until <= ? or a.claimed_by_id = ?',
      params: [now, ctx.actor.id],
    },
    {
      sql: `a.forwarded_to is null or not exists (select 1 from approvals f where f.id = a.forwarded_to
        and f.status = 'pending' and f.expires_at > ?)`,
      params: [now],
    },
  )
  const row = await next.get(
    ctx.sql,
    `from ${a} where ${condition.sql} order by a.risk_rank, a.due_at, a.id limit 1`,
    condition.params,
  )
  return { approval: row ? await getApproval(ctx, row.id) : null }
}
