import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { toUsd } from '../../../kernel/money.ts'
import { readPage } from '../../../kernel/page-queries.ts'
import { type Condition, equals, type Page, where } from '../../../kernel/paging-queries.ts'
import { dayIn } from '../../../kernel/periods.ts'
import { within } from '../../../kernel/scope.ts'
import { placeholders } from '../../../platform/database/database.ts'
import { like, pick, type RowOf, select, table, text } from '../../../platform/database/read.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import { Activity } from '../activities/entities.ts'
import { summariesWhere } from '../activities/queries.ts'
import { countsOf, uncounted } from './count-queries.ts'
import { ActivityTemplate, Campaign, type CampaignStatus, campaignStatuses, Deliverable } from './entities.ts'
import { dashboardStatus, platformsOf } from './policy.ts'
import { periodsOf } from './progress-queries.ts'
import type { CampaignDetail, CampaignItem, CampaignQuery, DeliverableList } from './schemas.ts'
import type { TemplateItem, TemplateQuery } from './template-schemas.ts'

const c = table(Campaign, 'c')
const t = table(Tenant, 't')
const d = table(Deliverable, 'd')
const x = table(Activity, 'x')

const listed = select(
  pick(
    c,
    'id',
    'name',
    'status',
    'budgetCapMicros',
    'createdById',
    'createdByName',
    'createdOn',
    'startDate',
    'endDate',
  ),
)
const briefed = select({ brief: c.brief, timezone: t.timezone })
const deliverable = select(pick(d, 'id', 'type', 'quantity', 'platformIds'))
const agentCost = select({
  agentRole: text('x.agent_role'),
  micros: like(x.costMicros, 'sum(x.cost_micros)'),
})

/** How many activities the detail shows. */
const recent = 10

/** A tenant's campaigns with what is going on in them. Serves `GET /dashboard/v1/campaigns`. */
export async function listCampaigns(ctx: Ctx, query: CampaignQuery): Promise<Page<CampaignItem>> {
  const found = await readPage(
    ctx,
    {
      select: listed,
      from: `from ${c}`,
      id: c.id,
      rows: within(ctx.scope, 'c.tenant_id'),
      filters: [shownAs(query['filter.status'])],
      request: query,
    },
    toHead,
  )
  return { ...found, data: await withCounts(ctx, found.data) }
}

/**
 * One campaign as it stands in the list.
 * @throws DomainError `NOT_FOUND`
 */
export async function campaignItem(ctx: Ctx, id: string): Promise<CampaignItem> {
  const condition = where(within(ctx.scope, 'c.tenant_id'), equals(c.id, id))
  const row = await listed.get(ctx.sql, `from ${c} where ${condition.sql}`, condition.params)
  const [item] = row ? await withCounts(ctx, [toHead(row)]) : []
  if (!item) throw notFound('campaign')
  return item
}

/** Campaigns `c` that people of the tenant see under a status. */
export function shownAs(status: CampaignItem['status'] | undefined): Condition | undefined {
  if (status === undefined) return undefined
  const stored = campaignStatuses.filter((one) => dashboardStatus(one) === status)
  return { sql: `c.status in (${placeholders(stored)})`, params: stored }
}

/** What a row of a campaign says, as people of the tenant see it. */
export function shown<R extends { status: CampaignStatus; budgetCapMicros: number | null }>(row: R) {
  const { status, budgetCapMicros, ...rest } = row
  const budgetCapUsd = budgetCapMicros === null ? null : toUsd(budgetCapMicros)
  return { ...rest, status: dashboardStatus(status), budgetCapUsd }
}

type Head = ReturnType<typeof toHead>

function toHead({ createdById, createdByName, ...row }: RowOf<typeof listed>) {
  return { ...shown(row), createdBy: { id: createdById, name: createdByName } }
}

async function withCounts(ctx: Ctx, heads: readonly Head[]): Promise<CampaignItem[]> {
  const ids = heads.map(({ id }) => id)
  const counts = await countsOf(ctx.sql, ctx.scope, ids)
  return heads.map((head) => ({
    ...head,
    createdBy: head.createdBy.name,
    ...(counts.get(head.id) ?? uncounted),
  }))
}

/**
 * A campaign with its promises, how they stand today, and what it has cost. Serves
 * `GET /dashboard/v1/campaigns/:campaignId`.
 * @throws DomainError `NOT_FOUND`
 */
export async function getCampaign(ctx: Ctx, id: string): Promise<CampaignDetail> {
  const condition = where(within(ctx.scope, 'c.tenant_id'), equals(c.id, id))
  const row = await listed.get(ctx.sql, `from ${c} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('campaign')
  const { brief, today } = await briefOf(ctx, id)
  const { pendingApprovals, spentUsd } = (await countsOf(ctx.sql, ctx.scope, [id])).get(id) ?? uncounted
  const deliverables = await deliverablesOf(ctx, id)
  const periods = await periodsOf(ctx, id, today, 'current')
  return {
    ...toHead(row),
    pendingApprovals,
    spentUsd,
    brief,
    deliverables: deliverables.map(({ id, type, quantity, platformIds }) => {
      const currentPeriod = periods.find((period) => period.deliverableId === id)?.progress
      return {
        id,
        type,
        quantity,
        platforms: platformsOf(platformIds),
        ...(currentPeriod && { currentPeriod }),
      }
    }),
    recentActivities: await summariesWhere(ctx, { sql: 'x.campaign_id = ?', params: [id] }, 'desc', recent),
    costByAgent: await costByAgent(ctx, id),
  }
}

/**
 * The promises of a campaign, each with all its periods, oldest first. Serves
 * `GET /dashboard/v1/campaigns/:campaignId/deliverables`.
 * @throws DomainError `NOT_FOUND`
 */
export async function listDeliverables(ctx: Ctx, campaignId: string): Promise<DeliverableList> {
  const { today } = await briefOf(ctx, campaignId)
  const deliverables = await deliverablesOf(ctx, campaignId)
  const periods = await periodsOf(ctx, campaignId, today, 'all')
  return {
    data: deliverables.map(({ id, type, quantity }) => ({
      id,
      type,
      quantity,
      periods: periods
        .filter((period) => period.deliverableId === id)
        .map((period) => ({ id: period.id, ...period.progress })),
    })),
  }
}

/** The brief, and which day it is for the tenant. */
async function briefOf(ctx: Ctx, campaignId: string): Promise<{ brief: string; today: string }> {
  const scope = within(ctx.scope, 'c.tenant_id')
  const row = await briefed.get(
    ctx.sql,
    `from ${c} join ${t} on t.id = c.tenant_id where c.id = ? and ${scope.sql}`,
    [campaignId, ...scope.params],
  )
  if (!row) throw notFound('campaign')
  return { brief: row.brief, today: dayIn(ctx.clock.date(), row.timezone) }
}

function deliverablesOf(ctx: Ctx, campaignId: string) {
  const scope = within(ctx.scope, 'd.tenant_id')
  return deliverable.all(ctx.sql, `from ${d} where d.campaign_id = ? and ${scope.sql} order by d.position`, [
    campaignId,
    ...scope.params,
  ])
}

/** Dearest first. What people did costs nothing here. */
async function costByAgent(ctx: Ctx, campaignId: string): Promise<CampaignDetail['costByAgent']> {
  const scope = within(ctx.scope, 'x.tenant_id')
  const rows = await agentCost.all(
    ctx.sql,
    `from ${x} where x.campaign_id = ? and ${scope.sql} and x.agent_role is not null
     group by x.agent_role order by sum(x.cost_micros) desc, x.agent_role`,
    [campaignId, ...scope.params],
  )
  return rows.map(({ agentRole, micros }) => ({ agentRole, costUsd: toUsd(micros) }))
}

const m = table(ActivityTemplate, 'm')
const template = select(
  pick(m, 'id', 'name', 'deliverableType', 'status', 'steps', 'version', 'isDefault', 'updatedOn'),
)

/** Every way in which pieces are made, by what is made. Serves `GET /admin/v1/activity-templates`. */
export async function listTemplates(ctx: Ctx, query: TemplateQuery = {}): Promise<{ data: TemplateItem[] }> {
  const condition = where(
    equals(m.deliverableType, query['filter.deliverableType']),
    equals(m.status, query['filter.status']),
  )
  const rows = await template.all(
    ctx.sql,
    `from ${m} where ${condition.sql} order by m.deliverable_type, m.is_default desc, m.name, m.id`,
    condition.params,
  )
  return { data: rows.map(({ steps, ...row }) => ({ ...row, stepCount: steps.length })) }
}
