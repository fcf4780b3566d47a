import type { Activity } from '../operations/show.ts'
import { runColumns } from '../operations/show-rows.ts'
import { flow } from '../paper/flow.ts'
import { type Column, type Row, row, type Span, span, tableOf, type Tone } from '../paper/row.ts'
import { ageOf, counted, usd } from '../paper/words.ts'

export const activityTabs = ['output', 'log', 'runs', 'subtasks', 'comments', 'brief'] as const
export type ActivityTab = (typeof activityTabs)[number]

const tones: Partial<Record<Activity['status'], Tone>> = {
  in_progress: 'good',
  awaiting_approval: 'warn',
  blocked: 'bad',
  failed: 'bad',
}

/** What one has to know of a piece of work: in few lines, at the top and always seen. */
export function activityHead(activity: Activity | undefined, width: number, now: number): Row[] {
  if (!activity) return [row(span('Asking the server …', 'dim'))]
  const { status, hold, tenantName, type, assignee, runs, campaign, blocker, failureReason, approval } =
    activity
  const cost = runs.reduce((sum, { costUsd }) => sum + costUsd, 0)
  const facts: Span[] = [
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
    approval?.status === 'pending' ? [row(span('It waits for a verdict: o opens the question', 'warn'))] : []
  return [
    ...flow(facts, width),
    ...(blocker ? flow([span(`Blocked: ${blocker.type}: ${blocker.description}`, 'bad')], width) : []),
    ...(failureReason ? flow([span(`Failed: ${failureReason}`, 'bad')], width) : []),
    ...waits,
  ]
}

/** The runs of a piece of work with what each has cost. */
export function runRows({ runs }: Activity, width: number): Row[] {
  return runs.length > 0 ? tableOf(runColumns, runs, width) : [row(span('Nothing has run yet.', 'dim'))]
}

type Subtask = Activity['subtasks'][number]

const subtaskColumns: ReadonlyArray<Column<Subtask>> = [
  { title: 'id', cell: ({ id }) => id, tone: () => 'accent' },
  { title: 'status', cell: ({ status }) => status, tone: ({ status }) => tones[status] ?? 'plain' },
  { title: 'agent', cell: ({ assigneeName }) => assigneeName, least: 6 },
  { title: 'title', cell: ({ title }) => title, least: 12 },
  { title: 'cost', cell: ({ costUsd }) => usd(costUsd), align: 'right' },
]

/** What it has been parted into. */
export function subtaskRows({ subtasks }: Activity, width: number): Row[] {
  return subtasks.length > 0
    ? tableOf(subtaskColumns, subtasks, width)
    : [row(span('It has not been parted into others.', 'dim'))]
}
