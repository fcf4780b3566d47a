import type { Ctx } from '../../../kernel/context.ts'
import { type Condition, equals, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { placeholders } from '../../../platform/database/database.ts'
import { like, nullable, pick, type RowOf, select, table, text } from '../../../platform/database/read.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import { Approval } from './entities.ts'
import type { MatchingVerdict } from './matching-schemas.ts'
import { rankOf } from './policy.ts'

const a = table(Approval, 'a')
const t = table(Tenant, 't')
const from = `from ${a} join ${t} on t.id = a.tenant_id`

const candidate = select({
  id: a.id,
  title: a.title,
  tenantName: t.name,
  ...pick(a, 'status', 'resolution', 'resolvedByName', 'replacedBy', 'expiresAt', 'options', 'contentHash'),
  /** SHA-256 of the newest version of the text that it is about; null where there is none. */
  present: nullable(
    text(
      '(select o.sha256 from outputs o where o.activity_id = a.content_of order by o.version desc limit 1)',
    ),
  ),
  /** The one at the client, or the one that it was sent there from: both are decided together. */
  otherHalf: like(a.forwardedTo, 'coalesce(a.forwarded_to, a.forwarded_from)'),
})
/** An approval with what decides whether a verdict on it is possible. */
export type Candidate = RowOf<typeof candidate>

/** Those of some approvals that are in scope, by id. */
export async function namedCandidates(
  ctx: Ctx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Candidate>> {
  const condition = where(within(ctx.scope, 'a.tenant_id'), {
    sql: `a.id in (${placeholders(ids)})`,
    params: [...ids],
  })
  const rows = await candidate.all(ctx.sql, `${from} where ${condition.sql}`, condition.params)
  return new Map(rows.map((row) => [row.id, row]))
}

/** What can still be decided and matches, in the order of the queue: by risk, and then by when it is due. */
export async function matchingCandidates(
  ctx: Ctx,
  { type, riskLevel, tenantId, ageMinutesGt }: NonNullable<MatchingVerdict['filter']>,
  limit: number,
): Promise<Candidate[]> {
  const now = ctx.clock.now()
  const older: Condition | undefined =
    ageMinutesGt === undefined
      ? undefined
      : { sql: 'a.created_on < ?', params: [new Date(now - ageMinutesGt * 60_000)] }
  const condition = where(
    within(ctx.scope, 'a.tenant_id'),
    { sql: `a.status = 'pending' and a.expires_at > ?`, params: [new Date(now)] },
    equals(a.type, type),
    equals(a.riskRank, riskLevel && rankOf(riskLevel)),
    equals(a.tenantId, tenantId),
    older,
  )
  return candidate.all(
    ctx.sql,
    `${from} where ${condition.sql} order by a.risk_rank, a.due_at, a.id limit ?`,
    [...condition.params, limit],
  )
}
