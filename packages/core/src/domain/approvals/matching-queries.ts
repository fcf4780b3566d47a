import type { Row } from '../../platform/database/database.ts'
import { asInstant, asJson, placeholders } from '../../platform/database/row.ts'
import type { Ctx } from '../context.ts'
import { type Condition, equals, where } from '../paging-queries.ts'
import { within } from '../scope.ts'
import type { ApprovalRow } from './entities.ts'
import type { MatchingVerdict } from './matching-schemas.ts'
import { rankOf } from './policy.ts'

/** An approval with what decides whether a verdict on it is possible. */
export interface Candidate
  extends Pick<
    ApprovalRow,
    | 'id'
    | 'title'
    | 'status'
    | 'resolution'
    | 'resolvedByName'
    | 'replacedBy'
    | 'expiresAt'
    | 'options'
    | 'contentHash'
  > {
  tenantName: string
  /** SHA-256 of the newest version of the text that it is about; null where there is none. */
  present: string | null
  /** The one at the client, or the one that it was sent there from: both are decided together. */
  otherHalf: string | null
}

const select = `select a.id, a.title, a.status, a.resolution, a.resolved_by_name, a.replaced_by, a.expires_at, a.options,
  a.content_hash, coalesce(a.forwarded_to, a.forwarded_from) as other_half, t.name as tenant_name,
  (select o.sha256 from outputs o where o.activity_id = a.content_of order by o.version desc limit 1) as present
  from approvals a join tenants t on t.id = a.tenant_id`

/** Those of some approvals that are in scope, by id. */
export async function namedCandidates(
  ctx: Ctx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Candidate>> {
  const condition = where(within(ctx.scope, 'a.tenant_id'), {
    sql: `a.id in (${placeholders(ids)})`,
    params: [...ids],
  })
  const rows = await ctx.sql.all<Row>(`${select} where ${condition.sql}`, condition.params)
  return new Map(rows.map((row) => [row.id as string, toCandidate(row)]))
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
    equals('a.type', type),
    equals('a.risk_rank', riskLevel && rankOf(riskLevel)),
    equals('a.tenant_id', tenantId),
    older,
  )
  const rows = await ctx.sql.all<Row>(
    `${select} where ${condition.sql} order by a.risk_rank, a.due_at, a.id limit ?`,
    [...condition.params, limit],
  )
  return rows.map(toCandidate)
}

function toCandidate(row: Row): Candidate {
  return {
    id: row.id as string,
    title: row.title as string,
    tenantName: row.tenant_name as string,
    status: row.status as Candidate['status'],
    resolution: row.resolution as Candidate['resolution'],
    resolvedByName: row.resolved_by_name as string | null,
    replacedBy: row.replaced_by as string | null,
    expiresAt: asInstant(row.expires_at),
    options: asJson<string[]>(row.options),
    contentHash: row.content_hash as string | null,
    present: row.present as string | null,
    otherHalf: row.other_half as string | null,
  }
}
