import type { Ctx, Scope } from '../../../../kernel/context.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { cursorRow } from '../../../../kernel/page-queries.ts'
import {
  afterId,
  type Condition,
  equals,
  type Page,
  type PageRequest,
  where,
} from '../../../../kernel/paging-queries.ts'
import { within } from '../../../../kernel/scope.ts'
import { isUlid } from '../../../../platform/clock.ts'
import { like, select, table, text } from '../../../../platform/database/read.ts'
import type { DeadJob } from '../../../../platform/jobs/queries.ts'
import { Tenant } from '../../../accounts/tenants/entities.ts'
import { Activity } from '../../activities/entities.ts'
import { Run } from '../entities.ts'
import type { DeadLetter, DeadLetterQuery } from './queue-schemas.ts'

const r = table(Run, 'r')
const t = table(Tenant, 't')
const x = table(Activity, 'x')

const deadRun = select({
  id: r.id,
  name: r.agentRole,
  tenantId: r.tenantId,
  tenantName: t.name,
  agentRole: r.agentRole,
  activityId: r.activityId,
  activityTitle: x.title,
  message: text("coalesce(r.error, '')"),
  family: r.errorFamily,
  failures: r.failures,
  failedAt: like(r.createdOn, 'r.dead_lettered_at'),
  createdOn: r.createdOn,
})
const anyRun = select({ id: r.id })
const tenant = select({ id: t.id, name: t.name })

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
    deadRuns(ctx, where(equals(r.tenantId, tenantId), equals(r.agentRole, role), after), query),
    role === undefined ? deadJobs(ctx, { ...query, ...(tenantId !== undefined && { tenantId }) }) : [],
  ])
  const sign = order === 'asc' ? 1 : -1
  const all = [...runs, ...jobs].toSorted((a, b) => (a.id < b.id ? -sign : sign))
  const data = all.slice(0, limit)
  const hasMore = all.length > limit
  return { data, pagination: { hasMore, nextCursor: hasMore ? (data.at(-1)?.id ?? null) : null } }
}

/** One dead letter with its history, by the id of its run or job. @throws DomainError `NOT_FOUND` */
export async function getDeadLetter(ctx: Ctx, id: string): Promise<DeadLetter> {
  const one = { limit: 1, order: 'desc' as const }
  const [run] = await deadRuns(ctx, { sql: 'r.id = ?', params: [id] }, one)
  const letter = run ?? (await deadJobs(ctx, { ...one, id }))[0]
  if (!letter) throw notFound('dead letter')
  return letter
}

/** What was given up may have been tried again since: any run or job of the tenants is as good. */
async function checkCursor(ctx: Ctx, cursor: string, tenantId: string | undefined): Promise<void> {
  const ofJobs = { tenants: tenantsOf(ctx, tenantId), id: cursor }
  if (isUlid(cursor) && (await ctx.services.jobs.exists(ofJobs))) return
  const rows = where(within(ctx.scope, 'r.tenant_id'), equals(r.tenantId, tenantId))
  await cursorRow(ctx, { select: anyRun, from: `from ${r}`, id: r.id, rows }, cursor)
}

function tenantsOf({ scope }: Ctx, tenantId: string | undefined): Scope {
  if (tenantId === undefined) return scope
  return scope === 'all' || scope.includes(tenantId) ? [tenantId] : []
}

async function deadRuns(ctx: Ctx, wanted: Condition, { limit, order }: PageRequest): Promise<DeadLetter[]> {
  const condition = where(within(ctx.scope, 'r.tenant_id'), wanted)
  const rows = await deadRun.all(
    ctx.sql,
    `from ${r} join ${t} on t.id = r.tenant_id join ${x} on x.id = r.activity_id
     where r.dead_lettered_at is not null and ${condition.sql} order by r.id ${order} limit ?`,
    [...condition.params, limit + 1],
  )
  return rows.map(({ failures, ...run }) => ({
    ...run,
    kind: 'run',
    history: (failures ?? []).map((failure) => ({ ...failure, at: new Date(failure.at) })),
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
  const named = within(ids, 't.id')
  const rows = ids.length === 0 ? [] : await tenant.all(ctx.sql, `from ${t} where ${named.sql}`, named.params)
  return new Map(rows.map(({ id, name }) => [id, name]))
}
