import type { Reply } from '@copydesk/client'
import { type Column, emptyRow, row, type StyledLine, span, type Tone, tableOf } from '../render/row.ts'
import { counted, usd } from '../render/words.ts'
import { campaignParameters, newCampaign } from './campaign-input.ts'
import { campaignReview, isStaff, readReview, type WorkflowCampaign } from './campaign-workflow.ts'
import { type OutsideChange, outsideLines } from './change-set-rows.ts'
import { operation } from './operation.ts'

export type CampaignItem = Reply<'dashboard', 'GET /campaigns'>['data'][number]
export type Campaign = Reply<'dashboard', 'GET /campaigns/:campaignId'>
/** With the latest that others have changed at a platform of its ads. */
type ShownCampaign = Campaign & { outside?: OutsideChange[] }
/** How many of these are shown; `ads show` has more. */
const mostOutside = 3

const tones: Readonly<Record<CampaignItem['status'], Tone>> = {
  draft: 'warn',
  active: 'good',
  paused: 'warn',
  completed: 'plain',
  archived: 'dim',
}

export const campaignCreate = operation({
  name: 'campaign create',
  summary: 'create a campaign from a brief; its activities are planned at once and have a cost',
  effect: 'steers',
  audience: ['admin', 'operator'],
  params: campaignParameters,
  examples: [
    'campaign create --brief spring.md --deliverable blog_post=2 --deliverable social_post=4',
    'campaign create --brief spring.md --deliverable ad_copy=1 --title "Spring launch" --budget 250',
  ],
  run: async (context, input) =>
    context.client.call('dashboard', 'POST /campaigns', { body: await newCampaign(input) }),
  print: ({ id, name }) => [
    row(span('✔ ', 'good'), `“${name}” is created as campaign `, span(id, 'accent')),
    row(span(`Its activities are being planned. Watch it with: campaign show ${id} --watch`, 'dim')),
  ],
})

const progress = ({ activityCount: { done, total } }: CampaignItem) =>
  total === 0 ? '·' : `${done}/${total}`

/** The columns of lists of campaigns, in commands and on the screen. */
export const campaignColumns: ReadonlyArray<Column<CampaignItem>> = [
  { title: 'id', cell: ({ id }) => id, tone: () => 'accent' },
  { title: 'campaign', cell: ({ name }) => name, least: 12, enough: 24 },
  { title: 'status', cell: ({ status }) => status, tone: ({ status }) => tones[status] },
  { title: 'done', cell: progress, align: 'right' },
  {
    title: 'running',
    cell: ({ activityCount: { inProgress } }) => (inProgress === 0 ? '·' : String(inProgress)),
    align: 'right',
    rank: 2,
  },
  {
    title: 'waiting',
    cell: ({ pendingApprovals }) => (pendingApprovals === 0 ? '·' : String(pendingApprovals)),
    align: 'right',
    tone: ({ pendingApprovals }) => (pendingApprovals > 0 ? 'warn' : 'dim'),
    rank: 1,
  },
  { title: 'cost', cell: ({ spentUsd }) => usd(spentUsd), align: 'right', rank: 1 },
  {
    title: 'cap',
    cell: ({ budgetCapUsd }) => (budgetCapUsd === null ? '·' : usd(budgetCapUsd)),
    align: 'right',
    rank: 3,
  },
]

export const campaignShow = operation({
  name: 'campaign show',
  summary:
    'show the progress of a campaign, its latest activities, and the cost of each agent; to reviewers, its review',
  effect: 'reads',
  audience: ['staff', 'admin', 'member', 'operator'],
  needsLogin: true,
  params: {
    id: { kind: 'argument', required: true, summary: 'id of the campaign', completes: 'campaign' },
  },
  examples: ['campaign show 01J9ZX6T4QH8C3V5N7M2K0B1AD'],
  run: async (context, { id }): Promise<ShownCampaign | WorkflowCampaign> => {
    if (isStaff(context)) return readReview(context, id)
    const params = { campaignId: id }
    const campaign = await context.client.call('dashboard', 'GET /campaigns/:campaignId', { params })
    if (context.audience === 'operator') return campaign
    const ads = { params, query: { limit: 1 } }
    const { outside } = await context.client.call('tenant', 'GET /campaigns/:campaignId/change-sets', ads)
    return { ...campaign, ...(outside.length > 0 && { outside: outside.slice(0, mostOutside) }) }
  },
  print: (campaign, { width }) =>
    'deliverables' in campaign
      ? [
          ...campaignFacts(campaign),
          ...outsideLines(campaign.outside ?? []),
          ...campaignParts(campaign, width),
        ]
      : campaignReview(campaign),
})

/** A summary of a campaign in a few lines. */
export function campaignFacts(campaign: Campaign): StyledLine[] {
  const { id, name, status, spentUsd, budgetCapUsd, startDate, endDate, createdBy } = campaign
  const cap = budgetCapUsd === null ? '' : ` of at most ${usd(budgetCapUsd)}`
  const days = [startDate && `from ${startDate}`, endDate && `until ${endDate}`].filter(Boolean).join(' ')
  return [
    row(span(name, 'strong'), span(`  ${id}`, 'accent')),
    row(
      span(status, tones[status]),
      span(`  ${usd(spentUsd)}${cap}, started by ${createdBy.name}${days && `, ${days}`}`, 'dim'),
    ),
    row(whatIsNext(campaign)),
  ]
}

/** The next step of a campaign, in one sentence. */
function whatIsNext({ id, status, pendingApprovals, recentActivities, deliverables }: Campaign): string {
  if (pendingApprovals > 0) return `${counted(pendingApprovals, 'pending approval')}: queue`
  // One of the dashboard has deliverables; the others are drafts until people have approved them.
  if (status === 'draft' && deliverables.length === 0)
    return `It is prepared and reviewed: campaign status ${id}`
  if (status === 'draft' && recentActivities.length === 0) return 'Its activities are being planned.'
  if (recentActivities.length === 0) return 'Nothing of it is planned.'
  const running = recentActivities.filter((each) => each.status === 'in_progress').length
  if (running > 0) return `${counted(running, 'agent')} writing.`
  return recentActivities.every((each) => each.status === 'done')
    ? 'All planned activities are done.'
    : 'Its agents are busy.'
}

type Deliverable = Campaign['deliverables'][number]
const deliverableColumns: ReadonlyArray<Column<Deliverable>> = [
  { title: 'deliverable', cell: ({ type }) => type },
  { title: 'each period', cell: ({ quantity }) => String(quantity), align: 'right' },
  { title: 'done', cell: ({ currentPeriod }) => String(currentPeriod?.completed ?? '·'), align: 'right' },
  {
    title: 'in progress',
    cell: ({ currentPeriod }) => String(currentPeriod?.inProgress ?? '·'),
    align: 'right',
  },
  {
    title: '',
    cell: ({ currentPeriod }) =>
      currentPeriod ? `${currentPeriod.status.replace('_', ' ')} until ${currentPeriod.periodEnd}` : '',
    tone: ({ currentPeriod }) => (currentPeriod?.status === 'on_track' ? 'good' : 'warn'),
    least: 8,
  },
]

/** The deliverables of a campaign, and their progress in the current period. */
export function deliverableRows({ deliverables }: Campaign, width: number): StyledLine[] {
  return tableOf(deliverableColumns, deliverables, width)
}

type Work = Campaign['recentActivities'][number]
/** The columns of lists of activities, in commands and on the screen. */
export const campaignWorkColumns: ReadonlyArray<Column<Work>> = [
  { title: 'id', cell: ({ id }) => id, tone: () => 'accent' },
  { title: 'work', cell: ({ title }) => title, least: 12, enough: 24 },
  {
    title: 'agent',
    cell: ({ agentRole, assigneeName }) => agentRole ?? assigneeName,
    tone: () => 'dim',
    least: 8,
    rank: 2,
  },
  { title: 'status', cell: ({ status }) => status.replaceAll('_', ' '), least: 8 },
  { title: 'cost', cell: ({ costUsd }) => usd(costUsd), align: 'right', rank: 1 },
]

/** The progress of a campaign, and its latest activities. */
export function campaignParts(campaign: Campaign, width: number): StyledLine[] {
  const { deliverables, recentActivities, costByAgent } = campaign
  const costs = costByAgent.filter(({ costUsd }) => costUsd > 0)
  return [
    ...(deliverables.length > 0 ? [emptyRow, ...deliverableRows(campaign, width)] : []),
    ...(recentActivities.length > 0
      ? [emptyRow, ...tableOf(campaignWorkColumns, recentActivities, width)]
      : []),
    ...(costs.length > 0
      ? [emptyRow, row(span(costs.map((each) => `${each.agentRole} ${usd(each.costUsd)}`).join(', '), 'dim'))]
      : []),
  ]
}
