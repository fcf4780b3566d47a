import type { Ctx } from '../../../kernel/context.ts'
import { equals, readOffset, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { preview } from '../../../kernel/text.ts'
import { count, pick, type RowOf, select, table } from '../../../platform/database/read.ts'
import { Approval } from './entities.ts'
import type {
  MobileApproval,
  MobileApprovalItem,
  MobileApprovalPage,
  MobileApprovalQuery,
} from './mobile-schemas.ts'
import { rankOf } from './policy.ts'
import { getApproval } from './queries.ts'

const a = table(Approval, 'a')
const item = select({
  ...pick(
    a,
    'id',
    'title',
    'type',
    'riskLevel',
    'status',
    'description',
    'options',
    'expiresAt',
    'createdOn',
  ),
  linkedActivitiesCount: count('(select count(*) from approval_links l where l.approval_id = a.id)'),
})

/** How much of a text the app shows, characters. */
const shown = 800

const hour = 3_600_000

/** A tenant's approvals in few words, high risk first, then the oldest. Serves `GET /mobile/v1/approvals`. */
export async function listApprovalsForApp(ctx: Ctx, query: MobileApprovalQuery): Promise<MobileApprovalPage> {
  const risk = query['filter.riskLevel']
  const [page, counts] = await Promise.all([
    readOffset(
      ctx.sql,
      {
        select: item,
        from: 'approvals a',
        condition: where(
          within(ctx.scope, 'a.tenant_id'),
          equals(a.status, query['filter.status']),
          // The rank stands in the index, the level does not.
          equals(a.riskRank, risk && rankOf(risk)),
        ),
        orderBy: 'a.risk_rank, a.id',
        request: query,
      },
      (row) => toItem(row, ctx.clock.now()),
    ),
    pendingCounts(ctx),
  ])
  return { ...page, ...counts }
}

/**
 * One approval with the beginnings of what it is about. Serves `GET /mobile/v1/approvals/:approvalId`.
 * @throws DomainError `NOT_FOUND`
 */
export async function getApprovalForApp(ctx: Ctx, id: string): Promise<MobileApproval> {
  const { linkedActivities, createdBy, sources, ...approval } = await getApproval(ctx, id)
  return {
    ...approval,
    expiresInH: hoursUntil(approval.expiresAt, ctx.clock.now()),
    createdBy: { name: createdBy.name, type: createdBy.type },
    linkedActivities: linkedActivities.map(({ id, title, outputRef, output }) => ({
      id,
      title,
      ...(outputRef !== undefined && { outputRef }),
      ...(output !== undefined && { outputPreview: preview(output, shown) }),
    })),
    ...(sources && { sources: sources.map((each) => ({ ...each, text: preview(each.text, shown) })) }),
  }
}

const pending = select({
  pendingCount: count('count(*)'),
  highRiskCount: count('count(case when risk_rank = ? then 1 end)'),
})

async function pendingCounts(ctx: Ctx): Promise<RowOf<typeof pending>> {
  const scope = within(ctx.scope, 'tenant_id')
  const found = await pending.get(ctx.sql, `from approvals where ${scope.sql} and status = 'pending'`, [
    rankOf('high'),
    ...scope.params,
  ])
  return { pendingCount: 0, highRiskCount: 0, ...found }
}

function toItem({ description, options, ...row }: RowOf<typeof item>, now: number): MobileApprovalItem {
  return {
    ...row,
    ...(description && { description }),
    ...(options && { options }),
    expiresInH: hoursUntil(row.expiresAt, now),
  }
}

/** Whole hours, so that an answer stays the same for a while and need not be sent again. */
function hoursUntil(instant: Date, now: number): number {
  return Math.max(0, Math.ceil((instant.getTime() - now) / hour))
}
