import type { Activity } from '../operations/show.ts'
import { runColumns } from '../operations/show-rows.ts'
import { flow } from '../render/flow.ts'
import { type Column, row, type StyledLine, span, type TextSpan, type Tone, tableOf } from '../render/row.ts'
import { ageOf, counted, usd } from '../render/words.ts'

export const activityTabs = ['output', 'log', 'runs', 'subtasks', 'comments', 'brief'] as const
export type ActivityTab = (typeof activityTabs)[number]

const tones: Partial<Record<Activity['status'], Tone>> = {
  in_progress: 'good',
  awaiting_approval: 'warn',
  blocked: 'bad',
  failed: 'bad',
}

/** The head of an activity: a few lines at the top, always visible. */
export function activityHead(activity: Activity | undefined, width: number, now: number): StyledLine[] {
  if (!activity) return [row(span('Loading …', 'dim'))]
  const { status, hold, tenantName, type, assignee, runs, campaign, blocker, failureReason, approval } =
    activity
  const cost = runs.reduce((sum, { costUsd }) => sum + costUsd, 0)
  const facts: TextSpan[] = [
    span((hold ?? status).replaceAll('_', ' '), hold ? 'warn' : (tones[status] ?? 'plain')),
    span(`  ${tenantName}`, 'strong'),
    span(`  ${type} by ${assignee.name}`),
    span(campaign ? `  of ${campaign.name}` : '', 'dim'),
    span(
      `  ${usd(cost)} in ${counted(runs.length, 'run')}  changed ${ageOf(activity.updatedOn, now)} ago`,
      'dim',
    ),
  ]
  const waits =
    approval?.status === 'pending' ? [row(span('It has a pending approval: o opens it', 'warn'))] : []
  return [
    ...flow(facts, width),
    ...(blocker ? flow([span(`Blocked: ${blocker.type}: ${blocker.description}`, 'bad')], width) : []),
    ...(failureReason ? flow([span(`Failed: ${failureReason}`, 'bad')], width) : []),
    ...waits,
  ]
}

/** The runs of an activity with the cost of each. */
export function runRows({ runs }: Activity, width: number): StyledLine[] {
  return runs.length > 0 ? tableOf(runColumns, runs, width) : [row(span('There are no runs yet.', 'dim'))]
}

type Subtask = Activity['subtasks'][number]

const subtaskColumns: ReadonlyArray<Column<Subtask>> = [
  { title: 'id', cell: ({ id }) => id, tone: () => 'accent' },
  { title: 'status', cell: ({ status }) => status, tone: ({ status }) => tones[status] ?? 'plain' },
  { title: 'agent', cell: ({ assigneeName }) => assigneeName, least: 6 },
  { title: 'title', cell: ({ title }) => title, least: 12 },
  { title: 'cost', cell: ({ costUsd }) => usd(costUsd), align: 'right' },
]

/** The subtasks of an activity. */
export function subtaskRows({ subtasks }: Activity, width: number): StyledLine[] {
  return subtasks.length > 0
    ? tableOf(subtaskColumns, subtasks, width)
    : [row(span('It has no subtasks.', 'dim'))]
}
