import type { Row, Sql } from '../../platform/database/database.ts'
import { asDate, asInstant, asJson, placeholders } from '../../platform/database/row.ts'
import type { Ctx } from '../context.ts'
import { notFound } from '../errors.ts'
import { readPage } from '../page-queries.ts'
import { type Condition, equals, type Page, where } from '../paging-queries.ts'
import { within } from '../scope.ts'
import type { Audience, RecurringStatus } from './entities.ts'
import { scheduleOf } from './schedule.ts'
import type { RecurringItem, RecurringQuery } from './schemas.ts'

const columns = `select r.id, r.title, r.agent_role, r.cron, r.prompt_template, r.variables, r.apply_to_tenants, r.tenant_ids,
  r.plan_ids, r.status, r.last_run_at, r.created_on, r.updated_on from recurring_templates r`

type Found = Omit<RecurringItem, 'nextRunAt'>

/** What recurs, newest first. Serves `GET /admin/v1/recurring-templates`. */
export async function listRecurring(
  ctx: Ctx,
  given: Partial<RecurringQuery> = {},
): Promise<Page<RecurringItem>> {
  const query = { limit: 25, order: 'desc' as const, ...given }
  const found = await readPage<Row, Found>(
    ctx,
    {
      select: columns,
      id: 'r.id',
      // They belong to the installation.
      rows: where(),
      filters: [equals('r.status', query['filter.status'])],
      request: query,
    },
    toFound,
  )
  return { ...found, data: await Promise.all(found.data.map((one) => withNext(ctx, one))) }
}

/** One as it stands in the list. @throws DomainError `NOT_FOUND` */
export async function recurringItem(ctx: Ctx, id: string): Promise<RecurringItem> {
  const row = await ctx.sql.get<Row>(`${columns} where r.id = ?`, [id])
  if (!row) throw notFound('recurring template')
  return withNext(ctx, toFound(row))
}

async function withNext(ctx: Ctx, found: Found): Promise<RecurringItem> {
  const zones = found.status === 'active' ? await zonesOf(ctx, audienceOf(found), working) : []
  const now = ctx.clock.date()
  const next = zones
    .flatMap((zone) => scheduleOf(found.cron, zone).next(now) ?? [])
    .toSorted((a, b) => a.getTime() - b.getTime())
  return { ...found, nextRunAt: next[0] ?? null }
}

/** A template that may be due, as it is kept. */
export interface ActiveTemplate {
  id: string
  cron: string
  agentRole: string
  activeSince: Date
  updatedOn: Date
  audience: Condition
}

export async function activeTemplates(sql: Sql): Promise<ActiveTemplate[]> {
  const rows = await sql.all<Row>(
    `select r.id, r.cron, r.agent_role, r.active_since, r.updated_on, r.apply_to_tenants, r.tenant_ids, r.plan_ids
     from recurring_templates r where r.status = 'active' order by r.id`,
  )
  return rows.map((row) => ({
    id: row.id as string,
    cron: row.cron as string,
    agentRole: row.agent_role as string,
    activeSince: asInstant(row.active_since),
    updatedOn: asInstant(row.updated_on),
    audience: audienceOf(targets(row)),
  }))
}

const working: Condition = { sql: `t.status in ('active', 'trial')`, params: [] }

/** The zones of the tenants that some conditions on `t` (tenants) match. */
export async function zonesOf(ctx: Ctx, ...conditions: Condition[]): Promise<string[]> {
  const condition = where(within(ctx.scope, 't.id'), ...conditions)
  const rows = await ctx.sql.all<Row>(
    `select distinct t.timezone from tenants t where ${condition.sql}`,
    condition.params,
  )
  return rows.map((row) => row.timezone as string)
}

/** Tenants of a zone for which a slot is due and not taken yet, whatever their state. */
export async function dueTenants(
  ctx: Ctx,
  template: ActiveTemplate,
  { zone, slot }: { zone: string; slot: Date },
): Promise<string[]> {
  const condition = where(within(ctx.scope, 't.id'), template.audience, {
    sql: 't.timezone = ? and t.created_on < ? and (s.slot is null or s.slot < ?)',
    params: [zone, slot, slot],
  })
  const rows = await ctx.sql.all<Row>(
    `select t.id from tenants t left join recurring_slots s on s.template_id = ? and s.tenant_id = t.id
     where ${condition.sql} order by t.id`,
    [template.id, ...condition.params],
  )
  return rows.map((row) => row.id as string)
}

/** Takes a slot for a tenant. @returns false when it, or a later one, was taken before */
export async function takeSlot(tx: Sql, templateId: string, tenantId: string, slot: Date): Promise<boolean> {
  const taken = await tx.run(
    `insert into recurring_slots (template_id, tenant_id, slot) values (?, ?, ?)
     on conflict (template_id, tenant_id) do update set slot = excluded.slot where recurring_slots.slot < excluded.slot`,
    [templateId, tenantId, slot],
  )
  return taken > 0
}

/** True while the work that came of an earlier slot has not had its turn: another piece of it would only wait behind. */
export async function isStillQueued(tx: Sql, templateId: string, tenantId: string): Promise<boolean> {
  const row = await tx.get(
    `select 1 as one from recurring_slots s join runs r on r.activity_id = s.activity_id
     where s.template_id = ? and s.tenant_id = ? and r.open = ?`,
    [templateId, tenantId, true],
  )
  return row !== undefined
}

/** Writes down what came of a slot. */
export async function noteActivity(
  tx: Sql,
  given: { templateId: string; tenantId: string; activityId: string },
): Promise<void> {
  await tx.run('update recurring_slots set activity_id = ? where template_id = ? and tenant_id = ?', [
    given.activityId,
    given.templateId,
    given.tenantId,
  ])
}

export async function noteRun(tx: Sql, templateId: string, at: Date): Promise<void> {
  await tx.run('update recurring_templates set last_run_at = ? where id = ?', [at, templateId])
}

interface Targets {
  applyToTenants: Audience
  tenantIds?: string[] | undefined
  planIds?: string[] | undefined
}

function audienceOf({ applyToTenants, tenantIds = [], planIds = [] }: Targets): Condition {
  if (applyToTenants === 'all') return { sql: '1 = 1', params: [] }
  if (applyToTenants === 'specific')
    return { sql: `t.id in (${placeholders(tenantIds)})`, params: [...tenantIds] }
  const marks = placeholders(planIds)
  return {
    sql: `t.plan in (${marks}) or t.plan in (select p.name from plans p where p.id in (${marks}))
      or t.id in (select s.tenant_id from subscriptions s where s.status <> 'cancelled' and s.price_id in (${marks}))`,
    params: [...planIds, ...planIds, ...planIds],
  }
}

function targets(row: Row): Targets {
  const tenantIds = asJson<string[]>(row.tenant_ids)
  const planIds = asJson<string[]>(row.plan_ids)
  return {
    applyToTenants: row.apply_to_tenants as Audience,
    ...(tenantIds && { tenantIds }),
    ...(planIds && { planIds }),
  }
}

function toFound(row: Row): Found {
  return {
    id: row.id as string,
    title: row.title as string,
    agentRole: row.agent_role as string,
    cron: row.cron as string,
    promptTemplate: row.prompt_template as string,
    variables: asJson<Record<string, string>>(row.variables) ?? {},
    ...targets(row),
    status: row.status as RecurringStatus,
    lastRunAt: asDate(row.last_run_at),
    createdOn: asInstant(row.created_on),
    updatedOn: asInstant(row.updated_on),
  }
}
