import { isUlid } from '../../platform/clock.ts'
import type { Row } from '../../platform/database/database.ts'
import { asInstant, asJson } from '../../platform/database/row.ts'
import type { DeadLetter as DeadJob } from '../../platform/jobs/queries.ts'
import type { Ctx, Scope } from '../context.ts'
import { cursorRow } from '../page-queries.ts'
import { afterId, type Condition, equals, type Page, type PageRequest, where } from '../paging-queries.ts'
import { within } from '../scope.ts'
import type { FailureFamily, RunFailure } from './entities.ts'
import type { DeadLetter, DeadLetterQuery } from './queue-schemas.ts'

/** Work that was given up, runs and jobs, newest first. Serves `GET /admin/v1/system/errors`. */
export async function listDeadLetters(
  ctx: Ctx,
  given: Partial<DeadLetterQuery> = {},
): Promise<Page<DeadLetter>> {
  const query = { limit: 25, order: 'desc' as const, ...given }
  const { limit, order } = query
  const tenantId = query['filter.tenantId']
  const role = query['filter.agentRole']
  const { cursor } = query
  if (cursor !== undefined) await checkCursor(ctx, cursor, tenantId)
  const after = cursor === undefined ? undefined : afterId('r.id', cursor, order)
  const [runs, jobs] = await Promise.all([
    deadRuns(ctx, where(equals('r.tenant_id', tenantId), equals('r.agent_role', role), after), query),
    role === undefined ? deadJobs(ctx, { ...query, ...(tenantId !== undefined && { tenantId }) }) : [],
  ])
  const sign = order === 'asc' ? 1 : -1
  const all = [...runs, ...jobs].toSorted((a, b) => (a.id < b.id ? -sign : sign))
  const data = all.slice(0, limit)
  const hasMore = all.length > limit
  return { data, pagination: { hasMore, nextCursor: hasMore ? (data.at(-1)?.id ?? null) : null } }
}

/** One dead letter by the id of its run or job; undefined when there is none. */
export async function findDeadLetter(ctx: Ctx, id: string): Promise<DeadLetter | undefined> {
  const one = { limit: 1, order: 'desc' as const }
  const [run] = await deadRuns(ctx, { sql: 'r.id = ?', params: [id] }, one)
  return run ?? (await deadJobs(ctx, { ...one, id }))[0]
}

/** What was given up may have been tried again since: any run or job of the tenants is as good. */
async function checkCursor(ctx: Ctx, cursor: string, tenantId: string | undefined): Promise<void> {
  const ofJobs = { tenants: tenantsOf(ctx, tenantId), id: cursor }
  if (isUlid(cursor) && (await ctx.services.jobs.exists(ofJobs))) return
  const rows = where(within(ctx.scope, 'r.tenant_id'), equals('r.tenant_id', tenantId))
  await cursorRow(ctx, { select: 'select r.id from runs r', id: 'r.id', rows }, cursor)
}

function tenantsOf({ scope }: Ctx, tenantId: string | undefined): Scope {
  if (tenantId === undefined) return scope
  return scope === 'all' || scope.includes(tenantId) ? [tenantId] : []
}

async function deadRuns(ctx: Ctx, wanted: Condition, { limit, order }: PageRequest): Promise<DeadLetter[]> {
  const condition = where(within(ctx.scope, 'r.tenant_id'), wanted)
  const rows = await ctx.sql.all<Row>(
    `select r.id, r.tenant_id, t.name as tenant_name, r.agent_role, r.activity_id, x.title, r.error, r.error_family,
       r.failures, r.dead_lettered_at, r.created_on
     from runs r join tenants t on t.id = r.tenant_id join activities x on x.id = r.activity_id
     where r.dead_lettered_at is not null and ${condition.sql} order by r.id ${order} limit ?`,
    [...condition.params, limit + 1],
  )
  return rows.map((row) => ({
    id: row.id as string,
    kind: 'run' as const,
    name: row.agent_role as string,
    tenantId: row.tenant_id as string,
    tenantName: row.tenant_name as string,
    agentRole: row.agent_role as string,
    activityId: row.activity_id as string,
    activityTitle: row.title as string,
    message: (row.error as string | null) ?? '',
    family: row.error_family as FailureFamily | null,
    history: (asJson<RunFailure[]>(row.failures) ?? []).map((failure) => ({
      ...failure,
      at: new Date(failure.at),
    })),
    failedAt: asInstant(row.dead_lettered_at),
    createdOn: asInstant(row.created_on),
  }))
}

async function deadJobs(
  ctx: Ctx,
  { limit, order, cursor, id, tenantId }: PageRequest & { id?: string; tenantId?: string },
): Promise<DeadLetter[]> {
  const jobs = await ctx.services.jobs.deadLetters({
    tenants: tenantsOf(ctx, tenantId),
    order,
    cursor,
    limit: limit + 1,
    ...(id !== undefined && { id }),
  })
  const names = await tenantNames(ctx, jobs)
  return jobs.map((job) => {
    // What it was asked to do may hold secrets and is not shown.
    const last = job.failures.at(-1)
    return {
      id: job.id,
      kind: 'job' as const,
      name: job.kind,
      tenantId: job.tenantId,
      tenantName: names.get(job.tenantId) ?? null,
      agentRole: null,
      activityId: null,
      activityTitle: null,
      message: last?.error ?? '',
      family: last?.family ?? null,
      history: job.failures.map(({ attempt, at, error, family }) => ({
        attempt,
        at: new Date(at),
        error,
        family: family ?? null,
      })),
      failedAt: job.finishedAt,
      createdOn: job.createdAt,
    }
  })
}

async function tenantNames(ctx: Ctx, jobs: readonly DeadJob[]): Promise<Map<string | null, string>> {
  const ids = [...new Set(jobs.flatMap(({ tenantId }) => tenantId ?? []))]
  const named = within(ids, 'id')
  const rows =
    ids.length === 0
      ? []
      : await ctx.sql.all<Row>(`select id, name from tenants where ${named.sql}`, named.params)
  return new Map(rows.map((row) => [row.id as string, row.name as string]))
}
