import type { Ctx } from '../../../../kernel/context.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { toUsd } from '../../../../kernel/money.ts'
import { type Condition, equals, readNumbered, where } from '../../../../kernel/paging-queries.ts'
import { within } from '../../../../kernel/scope.ts'
import { count, pick, type RowOf, select, table, text } from '../../../../platform/database/read.ts'
import { summariesWhere } from '../../activities/queries.ts'
import { Campaign } from '../entities.ts'
import { conversionsOfCampaign, latestDays } from '../metrics/queries.ts'
import { segmentsOf } from './audience-queries.ts'
import { metricOf, type PrimaryMetric } from './policy.ts'
import type { CampaignReach } from './ports.ts'
import type { ReviewerWorkflowCampaign, ReviewerWorkflowPage, WorkflowQuery } from './schemas.ts'

const c = table(Campaign, 'c')

const columns = {
  ...pick(c, 'id', 'tenantId', 'name', 'type', 'source', 'status', 'channels', 'goal', 'budgetMicros'),
  ...pick(c, 'budgetCurrency', 'startDate', 'endDate', 'autoPilotEnabled', 'deliverablePeriodId'),
  ...pick(c, 'createdById', 'createdByName', 'createdOn', 'updatedOn'),
  finished: count(
    `(select count(*) from activities x where x.campaign_id = c.id and x.is_final_step = true and x.status = 'done')`,
  ),
  conversionMicros: conversionsOfCampaign,
}
const listed = select({ ...columns, tenantName: text('t.name') })
const one = select({ ...columns, brief: c.brief, statusNote: c.statusNote, tenantName: text('t.name') })
const tables = 'campaigns c join tenants t on t.id = c.tenant_id'

/** How many activities a detail shows. */
const mostActivities = 50

/** Campaigns of the tenants in scope, newest first. Serves `GET /tenant/v1/campaigns` and `GET /dm/v1/campaigns`. */
export async function listWorkflowCampaigns(ctx: Ctx, query: WorkflowQuery): Promise<ReviewerWorkflowPage> {
  const { type, status, goal, deliverablePeriodId, page, limit } = query
  const condition = where(
    within(ctx.scope, 'c.tenant_id'),
    equals(c.type, type),
    equals(c.status, status),
    equals(c.goal, goal),
    equals(c.deliverablePeriodId, deliverablePeriodId),
    runsOn(query.channel),
  )
  const found = await readNumbered(
    ctx.sql,
    {
      select: listed,
      from: 'campaigns c',
      tables,
      condition,
      orderBy: 'c.id desc',
      request: { page, limit },
    },
    (row) => row,
  )
  const reach = await reachOf(ctx, found.data)
  return { ...found, data: found.data.map((row) => toItem(row, reach.get(row.id))) }
}

/** The words of a list have no signs that `like` knows but the underscore. */
function runsOn(channel: string | undefined): Condition | undefined {
  if (channel === undefined) return undefined
  const word = `%"${channel.replaceAll('_', '!_')}"%`
  return { sql: `cast(c.channels as text) like ? escape '!'`, params: [word] }
}

/**
 * One campaign as the workflow shows it. Serves `GET /tenant/v1/campaigns/:campaignId` and `GET /dm/v1/campaigns/:campaignId`.
 * @throws DomainError `NOT_FOUND`
 */
export async function getWorkflowCampaign(ctx: Ctx, id: string): Promise<ReviewerWorkflowCampaign> {
  const condition = where(within(ctx.scope, 'c.tenant_id'), equals(c.id, id))
  const row = await one.get(ctx.sql, `from ${tables} where ${condition.sql}`, condition.params)
  if (!row) throw notFound('campaign')
  const { brief, statusNote, ...item } = row
  const reach = await reachOf(ctx, [row])
  return {
    ...toItem(item, reach.get(id)),
    brief: brief || null,
    statusNote,
    audience: await segmentsOf(ctx, id),
    metrics: await latestDays(ctx, id),
    activities: await summariesWhere(ctx, { sql: 'x.campaign_id = ?', params: [id] }, 'desc', mostActivities),
    sequences: await sequence.all(
      ctx.sql,
      `from campaign_sequences q where q.campaign_id = ? and q.kind <> 'mailing' order by q.id`,
      [id],
    ),
  }
}

/** Its e-mail sequences by their names; what they are is said where they are sent from. */
const sequence = select({ id: text('q.id'), name: text('q.name') })

/** What is asked of delivery, which counts what became of pieces. */
const countedOutside: ReadonlySet<PrimaryMetric> = new Set(['click_rate', 'engagements', 'organic_clicks'])

function reachOf(ctx: Ctx, rows: readonly Pick<RowOf<typeof listed>, 'id' | 'type'>[]) {
  const asked = rows.filter(({ type }) => countedOutside.has(metricOf[type]))
  return ctx.services.campaignOutcomes.reachOf(
    ctx,
    asked.map(({ id }) => id),
  )
}

/** What is counted here, by platforms or by the sources of a website; reviews and links are counted nowhere. */
function valueOf(
  name: PrimaryMetric,
  { finished, conversionMicros }: Pick<RowOf<typeof listed>, 'finished' | 'conversionMicros'>,
  reach: CampaignReach | undefined,
): number | null {
  if (name === 'pieces_finished') return finished
  if (name === 'conversions') return conversionMicros === null ? null : toUsd(conversionMicros)
  if (name === 'engagements') return reach?.engagements ?? null
  if (name === 'organic_clicks') return reach?.searchClicks ?? null
  const { mails, mailClicks } = reach ?? {}
  return name === 'click_rate' && mails && mailClicks != null
    ? Math.round((mailClicks * 10_000) / mails) / 100
    : null
}

function toItem(row: RowOf<typeof listed>, reach: CampaignReach | undefined) {
  const {
    channels,
    budgetMicros,
    createdById,
    createdByName,
    finished: _,
    conversionMicros: __,
    ...rest
  } = row
  const name = metricOf[row.type]
  return {
    ...rest,
    channel: channels ?? [],
    budget: budgetMicros === null ? null : toUsd(budgetMicros),
    primaryMetric: { name, value: valueOf(name, row, reach) },
    createdBy: { id: createdById, name: createdByName },
  }
}
