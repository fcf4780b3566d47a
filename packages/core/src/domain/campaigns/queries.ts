import type { Row } from '../../platform/database/database.ts'
import { asInstant, asJson, asNumber, placeholders } from '../../platform/database/row.ts'
import { summariesWhere } from '../activities/queries.ts'
import type { Ctx } from '../context.ts'
import { notFound } from '../errors.ts'
import { toUsd } from '../money.ts'
import { readPage } from '../page-queries.ts'
import { type Condition, equals, type Page, where } from '../paging-queries.ts'
import { within } from '../scope.ts'
import { type Counted, countsOf, uncounted } from './count-queries.ts'
import { type CampaignStatus, campaignStatuses, type DeliverableType } from './entities.ts'
import { dayIn } from './periods.ts'
import { platformsOf } from './platforms.ts'
import { dashboardStatus } from './policy.ts'
import { periodsOf } from './progress-queries.ts'
import type { CampaignDetail, CampaignItem, CampaignQuery, DeliverableList } from './schemas.ts'

const columns = `select c.id, c.name, c.status, c.budget_cap_micros, c.created_by_id, c.created_by_name, c.created_on,
  c.start_date, c.end_date from campaigns c`

/** How many activities the detail shows. */
const recent = 10

/** A tenant's campaigns with what is going on in them. Serves `GET /dashboard/v1/campaigns`. */
export async function listCampaigns(ctx: Ctx, query: CampaignQuery): Promise<Page<CampaignItem>> {
  const found = await readPage<Row, Head>(
    ctx,
    {
      select: columns,
      id: 'c.id',
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
  const condition = where(within(ctx.scope, 'c.tenant_id'), equals('c.id', id))
  const row = await ctx.sql.get<Row>(`${columns} where ${condition.sql}`, condition.params)
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

type Head = Omit<CampaignItem, keyof Counted | 'createdBy'> & { createdBy: { id: string; name: string } }

function toHead(row: Row): Head {
  return {
    id: row.id as string,
    name: row.name as string,
    status: dashboardStatus(row.status as CampaignStatus),
    budgetCapUsd: row.budget_cap_micros === null ? null : toUsd(asNumber(row.budget_cap_micros)),
    createdBy: { id: row.created_by_id as string, name: row.created_by_name as string },
    createdOn: asInstant(row.created_on),
    startDate: row.start_date as string | null,
    endDate: row.end_date as string | null,
  }
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
  const condition = where(within(ctx.scope, 'c.tenant_id'), equals('c.id', id))
  const row = await ctx.sql.get<Row>(`${columns} where ${condition.sql}`, condition.params)
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
  const row = await ctx.sql.get<Row>(
    `select c.brief, t.timezone from campaigns c join tenants t on t.id = c.tenant_id where c.id = ? and ${scope.sql}`,
    [campaignId, ...scope.params],
  )
  if (!row) throw notFound('campaign')
  return { brief: row.brief as string, today: dayIn(ctx.clock.date(), row.timezone as string) }
}

async function deliverablesOf(ctx: Ctx, campaignId: string) {
  const scope = within(ctx.scope, 'tenant_id')
  const rows = await ctx.sql.all<Row>(
    `select id, type, quantity, platform_ids from deliverables where campaign_id = ? and ${scope.sql} order by position`,
    [campaignId, ...scope.params],
  )
  return rows.map((row) => ({
    id: row.id as string,
    type: row.type as DeliverableType,
    quantity: asNumber(row.quantity),
    platformIds: asJson<string[]>(row.platform_ids) ?? [],
  }))
}

/** Dearest first. What people did costs nothing here. */
async function costByAgent(ctx: Ctx, campaignId: string): Promise<CampaignDetail['costByAgent']> {
  const scope = within(ctx.scope, 'tenant_id')
  const rows = await ctx.sql.all<Row>(
    `select agent_role, sum(cost_micros) as micros from activities
     where campaign_id = ? and ${scope.sql} and agent_role is not null
     group by agent_role order by sum(cost_micros) desc, agent_role`,
    [campaignId, ...scope.params],
  )
  return rows.map((row) => ({ agentRole: row.agent_role as string, costUsd: toUsd(asNumber(row.micros)) }))
}
