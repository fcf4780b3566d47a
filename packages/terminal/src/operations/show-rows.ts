import { cleanLines } from '../paper/clean.ts'
import { diffRows } from '../paper/diff.ts'
import { flow, flowText, measured } from '../paper/flow.ts'
import { markdownRows } from '../paper/markdown.ts'
import { type Column, emptyRow, type Row, row, type Span, span, tableOf } from '../paper/row.ts'
import { ageOf, counted, lasting, usd } from '../paper/words.ts'
import type { Paper } from './operation.ts'
import { riskTone } from './queue.ts'
import type { Activity, Brief, Piece, Question } from './show.ts'

/** A piece of work on paper. */
export function pieceRows({ approval, activity, brief, text, diff }: Piece, paper: Paper): Row[] {
  const { width, now } = paper
  const rows = [
    ...(approval ? questionRows(approval, width, now) : []),
    ...(activity ? activityRows(activity, width) : []),
  ]
  if (brief) rows.push(...briefParts(brief, width))
  if (text) {
    const by = `version ${text.version} by ${text.author.name}${text.approved ? ', approved' : ''}`
    rows.push(...part('text', by))
    rows.push(...(text.format === 'markdown' ? markdownRows(text.text, width) : plainRows(text.text, width)))
  }
  if (diff) rows.push(...part('changes', `from version ${diff.from} to ${diff.to}`), ...diffRows(diff, paper))
  if (activity && activity.comments.length > 0) {
    rows.push(...part('comments'), ...earlierComments(activity))
    for (const { author, text: words, createdOn } of activity.comments) {
      rows.push(row(span(author.name, 'strong'), span(`  ${ageOf(createdOn, now)} ago`, 'dim')))
      rows.push(...plainRows(words, width))
    }
  }
  if (activity && activity.runs.length > 0) rows.push(...runRows(activity, width))
  return [...rows, emptyRow]
}

/** Says how many comments are not shown. */
export function earlierComments({ comments, commentsTotal }: Activity): Row[] {
  const left = commentsTotal - comments.length
  return left > 0 ? [row(span(`${counted(left, 'earlier comment')} left out`, 'dim'))] : []
}

/** What a piece was made from, part by part. */
export function briefParts({ prompt, campaign, sources }: Brief, width: number): Row[] {
  return [
    ...(prompt ? [...part('task'), ...markdownRows(prompt, width)] : []),
    ...(campaign ? [...part('brief', campaign.name), ...markdownRows(campaign.brief, width)] : []),
    ...sources.flatMap(({ title, version, text, format }) => [
      ...part('source', `${title}, version ${version}`),
      ...(format === 'markdown' ? markdownRows(text, width) : plainRows(text, width)),
    ]),
  ]
}

function questionRows(question: Question, width: number, now: number): Row[] {
  const { title, riskLevel, type, status, tenantName, tenantId, id } = question
  return [
    ...flow([span(title, 'strong')], width),
    ...fact('approval', [span(id, 'accent'), span(`  ${type}, ${status}`)], width),
    ...fact('tenant', [span(tenantName), span(`  ${tenantId}`, 'dim')], width),
    ...fact('risk', [span(riskLevel, riskTone(riskLevel)), span(deadline(question, now), 'dim')], width),
    ...(question.claimedBy ? fact('looked at', [span(`by ${question.claimedBy.name}`, 'warn')], width) : []),
    ...(question.resolution ? fact('verdict', [span(verdict(question))], width) : []),
    ...(question.contentHash ? fact('hash', [span(question.contentHash, 'dim')], width) : []),
    ...(question.replacedBy
      ? fact('replaced', [span('by '), span(question.replacedBy, 'accent')], width)
      : []),
    ...(question.description ? [emptyRow, ...plainRows(question.description, width)] : []),
    ...(question.options ?? []).flatMap((option) => fact('option', [span(option)], width)),
    ...(question.checks ?? []).flatMap(({ kind, phrase, count }) =>
      fact('check', [span(kind, 'warn'), span(`  “${phrase}”, ${counted(count, 'time')}`)], width),
    ),
  ]
}

function deadline({ status, expiresAt }: Question, now: number): string {
  if (status !== 'pending') return ''
  const left = Date.parse(expiresAt) - now
  return left > 0 ? `  lapses in ${lasting(left)}` : '  lapses now'
}

/** What was decided, by whom and with which note. */
export function verdict({ resolution, resolvedBy, resolutionNote }: Question): string {
  const by = resolvedBy ? ` by ${resolvedBy.name}` : ''
  return `${resolution ?? ''}${by}${resolutionNote ? `: ${resolutionNote}` : ''}`
}

function activityRows(activity: Activity, width: number): Row[] {
  const { id, title, status, type, tenantName, assignee, campaign, blocker, failureReason, hold } = activity
  const cost = activity.runs.reduce((sum, { costUsd }) => sum + costUsd, 0)
  return [
    emptyRow,
    ...flow([span(title, 'strong')], width),
    ...fact('activity', [span(id, 'accent'), span(`  ${type}, ${hold ?? status}`)], width),
    ...fact('agent', [span(assignee.name), span(` of ${tenantName}`, 'dim')], width),
    ...(campaign ? fact('campaign', [span(campaign.name)], width) : []),
    ...fact('cost', [span(usd(cost)), span(`  ${runsIn(activity)}`, 'dim')], width),
    ...(blocker ? fact('blocked', [span(`${blocker.type}: ${blocker.description}`, 'bad')], width) : []),
    ...(failureReason ? fact('failed', [span(failureReason, 'bad')], width) : []),
  ]
}

/** How many runs have ended, and whether one is under way. */
function runsIn({ runs, currentRun }: Activity): string {
  const now = currentRun && (currentRun.startedAt ? ', one under way' : ', one waits for its agent')
  return `${counted(runs.length, 'run')}${now ?? ''}`
}

type Run = Activity['runs'][number]

/** The columns in which runs are listed, on paper and on the screen. */
export const runColumns: ReadonlyArray<Column<Run>> = [
  { title: 'run', cell: ({ id }) => id, tone: () => 'accent' },
  { title: 'status', cell: ({ status }) => status },
  { title: 'model', cell: ({ model }) => model ?? '·', tone: () => 'dim', least: 8 },
  { title: 'cost', cell: ({ costUsd }) => usd(costUsd), align: 'right' },
  {
    title: 'took',
    cell: ({ durationMs }) => lasting(durationMs),
    align: 'right',
  },
  { title: '', cell: ({ error }) => error ?? '', tone: () => 'bad', least: 10 },
]

function runRows({ runs }: Activity, width: number): Row[] {
  return [...part('runs'), ...tableOf(runColumns, runs, width)]
}

/** The line over a part, with an empty one before it. */
function part(title: string, more = ''): Row[] {
  return [emptyRow, row(span(title, 'accent'), span(more ? `  ${more}` : '', 'dim'))]
}

const factWidth = 11

function fact(name: string, parts: readonly Span[], width: number): Row[] {
  const first = [span(name.padEnd(factWidth), 'dim')]
  return flow(parts, width, { first, rest: [span(' '.repeat(factWidth))] })
}

/** Text of several lines as it was written, broken to the width and to the measure of running text. */
export function plainRows(text: string, width: number): Row[] {
  return cleanLines(text).flatMap((line) => flowText(line, measured(width)))
}
