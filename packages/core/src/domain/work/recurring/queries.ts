import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { readPage } from '../../../kernel/page-queries.ts'
import { type Condition, equals, type Page, where } from '../../../kernel/paging-queries.ts'
import { within } from '../../../kernel/scope.ts'
import { placeholders, type Sql } from '../../../platform/database/database.ts'
import { exists, pick, type RowOf, select, selectDistinct, table } from '../../../platform/database/read.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import { RecurringSlot, RecurringTemplate } from './entities.ts'
import { scheduleOf } from './schedule.ts'
import type { RecurringItem, RecurringQuery } from './schemas.ts'

const r = table(RecurringTemplate, 'r')
const s = table(RecurringSlot, 's')
const t = table(Tenant, 't')

const targets = { applyToTenants: r.applyToTenants, tenantIds: r.tenantIds, planIds: r.planIds }
const listed = select({
  ...pick(r, 'id', 'title', 'agentRole', 'cron', 'promptTemplate', 'variables'),
  ...targets,
  ...pick(r, 'status', 'lastRunAt', 'createdOn', 'updatedOn'),
})
type Found = RowOf<typeof listed>
const active = select({
  ...pick(r, 'id', 'cron', 'agentRole', 'activeSince', 'updatedOn'),
  ...targets,
})
const zones = selectDistinct({ timezone: t.timezone })
const due = select({ id: t.id })

/** What recurs, newest first. Serves `GET /admin/v1/recurring-templates`. */
export async function listRecurring(
  ctx: Ctx,
  given: Partial<RecurringQuery> = {},
): Promise<Page<RecurringItem>> {
  const query = { limit: 25, order: 'desc' as const, ...given }
  const found = await readPage(
    ctx,
    {
      select: listed,
      from: `from ${r}`,
      id: r.id,
      // They belong to the installation.
      rows: where(),
      filters: [equals(r.status, query['filter.status'])],
      request: query,
    },
    (row) => row,
  )
  return { ...found, data: await Promise.all(found.data.map((one) => withNext(ctx, one))) }
}

/** One as it stands in the list. @throws DomainError `NOT_FOUND` */
export async function recurringItem(ctx: Ctx, id: string): Promise<RecurringItem> {
  const row = await listed.get(ctx.sql, `from ${r} where r.id = ?`, [id])
  if (!row) throw notFound('recurring template')
  return withNext(ctx, row)
}

async function withNext(ctx: Ctx, found: Found): Promise<RecurringItem> {
  const zones = found.status === 'active' ? await zonesOf(ctx, audienceOf(found), working) : []
  const now = ctx.clock.date()
  const next = zones
    .flatMap((zone) => scheduleOf(found.cron, zone).next(now) ?? [])
    .toSorted((a, b) => a.getTime() - b.getTime())
  const { tenantIds, planIds, ...rest } = found
  return {
    ...rest,
    ...(tenantIds && { tenantIds }),
    ...(planIds && { planIds }),
    nextRunAt: next[0] ?? null,
  }
}

/** A template that may be due, as it is kept. */
export interface ActiveTemplate extends Omit<RowOf<typeof active>, keyof typeof targets> {
  audience: Condition
}

export async function activeTemplates(sql: Sql): Promise<ActiveTemplate[]> {
  const rows = await active.all(sql, `from ${r} where r.status = 'active' order by r.id`)
  return rows.map(({ applyToTenants, tenantIds, planIds, ...template }) => ({
    ...template,
    audience: audienceOf({ applyToTenants, tenantIds, planIds }),
  }))
}

const working: Condition = { sql: `t.status in ('active', 'trial')`, params: [] }

/** The zones of the tenants that some conditions on `t` (tenants) match. */
export async function zonesOf(ctx: Ctx, ...conditions: Condition[]): Promise<string[]> {
  const condition = where(within(ctx.scope, 't.id'), ...conditions)
  const rows = await zones.all(ctx.sql, `from ${t} where ${condition.sql}`, condition.params)
  return rows.map(({ timezone }) => timezone)
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
  const rows = await due.all(
    ctx.sql,
    `from ${t} left join ${s} on s.template_id = ? and s.tenant_id = t.id
     where ${condition.sql} order by t.id`,
    [template.id, ...condition.params],
  )
  return rows.map(({ id }) => id)
}

/** Takes a slot for a tenant. @returns false when it, or a later one, was taken before */
export async function takeRecurringSlot(
  tx: Sql,
  templateId: string,
  tenantId: string,
  slot: Date,
): Promise<boolean> {
  const taken = await tx.run(
    `insert into recurring_slots (template_id, tenant_id, slot) values (?, ?, ?)
     on conflict (template_id, tenant_id) do update set slot = excluded.slot where recurring_slots.slot < excluded.slot`,
    [templateId, tenantId, slot],
  )
  return taken > 0
}

/** True while the work that came of an earlier slot has not had its turn: another piece of it would only wait behind. */
export async function isStillQueued(tx: Sql, templateId: string, tenantId: string): Promise<boolean> {
  return exists(
    tx,
    `from recurring_slots s join runs r on r.activity_id = s.activity_id
     where s.template_id = ? and s.tenant_id = ? and r.open = ?`,
    [templateId, tenantId, true],
  )
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

export async function noteFired(tx: Sql, templateId: string, at: Date): Promise<void> {
  await tx.run('update recurring_templates set last_run_at = ? where id = ?', [at, templateId])
}

function audienceOf(template: Pick<Found, keyof typeof targets>): Condition {
  const { applyToTenants } = template
  if (applyToTenants === 'all') return { sql: '1 = 1', params: [] }
  if (applyToTenants === 'specific') return within(template.tenantIds ?? [], 't.id')
  const planIds = template.planIds ?? []
  const marks = placeholders(planIds)
  return {
    sql: `t.plan in (${marks}) or t.plan in (select p.name from plans p where p.id in (${marks}))
      or t.id in (select s.tenant_id from subscriptions s where s.status <> 'cancelled' and s.price_id in (${marks}))`,
    params: [...planIds, ...planIds, ...planIds],
  }
}
