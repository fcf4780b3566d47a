import { z } from 'zod'
import type { Ctx } from '../../kernel/context.ts'
import { fence } from '../../platform/models/fence.ts'
import type { ModelTool } from '../../platform/models/port.ts'
import { ulid } from '../../platform/wire.ts'
import { Spend, spendPeriods } from '../insight/analytics/schemas.ts'
import { spend } from '../insight/analytics/spend.ts'
import { carefulAlpha } from '../knowledge/search/schemas.ts'
import { searchKnowledge } from '../knowledge/search/search.ts'
import { getActivity } from '../work/activities/detail.ts'
import { activityStatuses } from '../work/activities/entities.ts'
import { listActivities } from '../work/activities/queries.ts'
import { ActivityDetail, ActivityPage } from '../work/activities/schemas.ts'
import { approvalStatuses } from '../work/approvals/entities.ts'
import { getApproval, listApprovals } from '../work/approvals/queries.ts'
import { ApprovalDetail, ApprovalPage } from '../work/approvals/schemas.ts'
import { getCampaign, listCampaigns } from '../work/campaigns/queries.ts'
import { CampaignDetail, CampaignPage, shownStatus } from '../work/campaigns/schemas.ts'
import { fencedSources } from './prompt.ts'
import { datasetIds } from './queries.ts'
import type { ChatSource } from './schemas.ts'
import type { Sources } from './sources.ts'

/** How much of one read is told, characters. */
const mostChars = 12_000
const rows = { limit: 20, order: 'desc' as const }

/** How many chunks one search finds. */
const topK = 5

/** Searches the tenant's knowledge base for an answer. @returns what was found, numbered */
export async function searchFor(ctx: Ctx, sources: Sources, query: string): Promise<ChatSource[]> {
  const ids = await datasetIds(ctx)
  if (ids.length === 0) return []
  const asked = { query: query.slice(0, 1_000), datasetIds: ids, topK, hybridAlpha: carefulAlpha }
  return sources.add((await searchKnowledge(ctx, asked)).results)
}

/** A read of the tenant's work: what the same people see on the dashboard, by the same functions. */
interface WorkRead<S extends z.ZodType> {
  name: string
  description: string
  input: S
  read(ctx: Ctx, input: z.output<S>): Promise<unknown>
  /** What of it people are shown. */
  shown: z.ZodType
}

const workRead = <S extends z.ZodType>(one: WorkRead<S>) => one as unknown as WorkRead<z.ZodType>

const reads = [
  workRead({
    name: 'list_campaigns',
    description: 'The campaigns, newest first, with progress, cost and open approvals.',
    input: z.object({ status: shownStatus.optional() }),
    read: (ctx, { status }) => listCampaigns(ctx, { ...rows, 'filter.status': status }),
    shown: CampaignPage,
  }),
  workRead({
    name: 'get_campaign',
    description: 'One campaign with its brief, deliverables, latest activities and cost by agent.',
    input: z.object({ id: ulid }),
    read: (ctx, { id }) => getCampaign(ctx, id),
    shown: CampaignDetail,
  }),
  workRead({
    name: 'list_activities',
    description: 'The activities, newest first: the steps by which agents and people produce texts.',
    input: z.object({ status: z.enum(activityStatuses).optional(), campaignId: ulid.optional() }),
    read: (ctx, { status, campaignId }) =>
      listActivities(ctx, { ...rows, 'filter.status': status, 'filter.campaignId': campaignId }),
    shown: ActivityPage,
  }),
  workRead({
    name: 'get_activity',
    description: 'One activity with its runs, comments and subtasks.',
    input: z.object({ id: ulid }),
    read: (ctx, { id }) => getActivity(ctx, id),
    shown: ActivityDetail,
  }),
  workRead({
    name: 'list_approvals',
    description: 'The approvals, newest first: what people are asked to decide, and what they decided.',
    input: z.object({ status: z.enum(approvalStatuses).optional() }),
    read: (ctx, { status }) => listApprovals(ctx, { ...rows, 'filter.status': status }),
    shown: ApprovalPage,
  }),
  workRead({
    name: 'get_approval',
    description: 'One approval with previews of the texts that it is about.',
    input: z.object({ id: ulid }),
    read: (ctx, { id }) => getApproval(ctx, id),
    // Its sources have numbers of their own, which mean others here.
    shown: ApprovalDetail.omit({ sources: true }),
  }),
  workRead({
    name: 'costs',
    description: 'What was spent, in US dollars, with the monthly cap where there is one.',
    input: z.object({
      period: z.enum(spendPeriods).default('month'),
      groupBy: z.enum(['agent', 'model', 'campaign', 'deliverable_type']).default('agent'),
    }),
    read: (ctx, input) => spend(ctx, input),
    // Days say more to a chart than to a model.
    shown: Spend.omit({ dailySeries: true }),
  }),
]

/** What someone looks at, as a model is told of it. @throws DomainError `NOT_FOUND` */
export async function lookedAt(
  ctx: Ctx,
  { campaignId, activityId }: { campaignId?: string | undefined; activityId?: string | undefined } = {},
): Promise<string[]> {
  return [
    ...(campaignId ? [told('campaign', CampaignDetail, await getCampaign(ctx, campaignId))] : []),
    ...(activityId ? [told('activity', ActivityDetail, await getActivity(ctx, activityId))] : []),
  ]
}

/** Titles, briefs and comments are texts of others, so all of it is in a fence. */
function told(about: string, shown: z.ZodType, value: unknown): string {
  return fence(JSON.stringify(z.encode(shown, value)).slice(0, mostChars), { about })
}

/**
 * The tools of an answer. All of them only read, within the scope of the person who asks.
 * @param noteRead is called when the tenant's work was read
 */
export function chatTools(ctx: Ctx, sources: Sources, noteRead: () => void): ModelTool[] {
  const search: ModelTool = {
    name: 'knowledge_search',
    description: 'Search the company’s knowledge base by words and meaning. Sources come with their numbers.',
    input: z.object({ query: z.string().trim().min(1).max(1_000) }),
    async execute(input) {
      const found = await searchFor(ctx, sources, (input as { query: string }).query)
      return found.length > 0 ? fencedSources(found) : 'Nothing was found.'
    },
  }
  const ofWork = reads.map(
    ({ name, description, input, read, shown }): ModelTool => ({
      name,
      description,
      input,
      async execute(given) {
        const value = await read(ctx, given)
        noteRead()
        return told(name, shown, value)
      },
    }),
  )
  return [search, ...ofWork]
}
