import type { Row } from '../../platform/database/database.ts'
import { asInstant, asJson, asNumber } from '../../platform/database/row.ts'
import { preview } from '../content/preview.ts'
import type { Ctx } from '../context.ts'
import { equals, readOffset, where } from '../paging-queries.ts'
import { within } from '../scope.ts'
import type { ApprovalStatus, ApprovalType, RiskLevel } from './entities.ts'
import type {
  MobileApproval,
  MobileApprovalItem,
  MobileApprovalPage,
  MobileApprovalQuery,
} from './mobile-schemas.ts'
import { rankOf } from './policy.ts'
import { getApproval } from './queries.ts'

const columns = `select a.id, a.title, a.type, a.risk_level, a.status, a.description, a.options, a.expires_at, a.created_on,
  (select count(*) from approval_links l where l.approval_id = a.id) as links from approvals a`

/** How much of a text the app shows, characters. */
const shown = 800

const hour = 3_600_000

/** A tenant's approvals in few words, high risk first, then the oldest. Serves `GET /mobile/v1/approvals`. */
export async function listForApp(ctx: Ctx, query: MobileApprovalQuery): Promise<MobileApprovalPage> {
  const risk = query['filter.riskLevel']
  const [page, counts] = await Promise.all([
    readOffset(
      ctx.sql,
      {
        select: columns,
        from: 'approvals a',
        condition: where(
          within(ctx.scope, 'a.tenant_id'),
          equals('a.status', query['filter.status']),
          // The rank stands in the index, the level does not.
          equals('a.risk_rank', risk && rankOf(risk)),
        ),
        orderBy: 'a.risk_rank, a.id',
        request: query,
      },
      (row: Row) => toItem(row, ctx.clock.now()),
    ),
    pendingCounts(ctx),
  ])
  return { ...page, ...counts }
}

/**
 * One approval with the beginnings of what it is about. Serves `GET /mobile/v1/approvals/:approvalId`.
 * @throws DomainError `NOT_FOUND`
 */
export async function getForApp(ctx: Ctx, id: string): Promise<MobileApproval> {
  const { linkedActivities, createdBy, ...approval } = await getApproval(ctx, id)
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
  }
}

async function pendingCounts(ctx: Ctx) {
  const scope = within(ctx.scope, 'tenant_id')
  const row = await ctx.sql.get<Row>(
    `select count(*) as pending, count(case when risk_rank = ? then 1 end) as high
     from approvals where ${scope.sql} and status = 'pending'`,
    [rankOf('high'), ...scope.params],
  )
  return { pendingCount: asNumber(row?.pending), highRiskCount: asNumber(row?.high) }
}

function toItem(row: Row, now: number): MobileApprovalItem {
  const options = asJson<string[]>(row.options)
  const expiresAt = asInstant(row.expires_at)
  return {
    id: row.id as string,
    title: row.title as string,
    type: row.type as ApprovalType,
    riskLevel: row.risk_level as RiskLevel,
    status: row.status as ApprovalStatus,
    ...(row.description ? { description: row.description as string } : {}),
    ...(options ? { options } : {}),
    expiresAt,
    expiresInH: hoursUntil(expiresAt, now),
    createdOn: asInstant(row.created_on),
    linkedActivitiesCount: asNumber(row.links),
  }
}

/** Whole hours, so that an answer stays the same for a while and need not be sent again. */
function hoursUntil(instant: Date, now: number): number {
  return Math.max(0, Math.ceil((instant.getTime() - now) / hour))
}
