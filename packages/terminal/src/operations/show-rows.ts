import { cleanLines } from '../render/clean.ts'
import { diffRows } from '../render/diff.ts'
import { flow, flowText, measured } from '../render/flow.ts'
import { markdownRows } from '../render/markdown.ts'
import { type Column, emptyRow, row, type StyledLine, span, type TextSpan, tableOf } from '../render/row.ts'
import { ageOf, counted, lasting, usd } from '../render/words.ts'
import { type OperationContext, type RenderOptions } from './operation.ts'
import { placeRow } from './outcomes.ts'
import { riskTone } from './queue.ts'
import type { Activity, Brief, Piece, Question } from './show.ts'

/** An activity with its details. */
export function pieceRows(
  { approval, activity, brief, text, diff }: Piece,
  renderOptions: RenderOptions,
): StyledLine[] {
  const { width, now } = renderOptions
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
  if (diff)
    rows.push(...part('changes', `from version ${diff.from} to ${diff.to}`), ...diffRows(diff, renderOptions))
  if (activity?.places) rows.push(...part('what became of it'), ...activity.places.map(placeRow))
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

/** A line for the comments that are not shown. */
export function earlierComments({ comments, commentsTotal }: Activity): StyledLine[] {
  const left = commentsTotal - comments.length
  return left > 0 ? [row(span(`${counted(left, 'earlier comment')} omitted`, 'dim'))] : []
}

/** The sources of a text, by kind. */
export function briefParts({ prompt, campaign, sources }: Brief, width: number): StyledLine[] {
  return [
    ...(prompt ? [...part('task'), ...markdownRows(prompt, width)] : []),
    ...(campaign ? [...part('brief', campaign.name), ...markdownRows(campaign.brief, width)] : []),
    ...sources.flatMap((source) => sourceRows(source, width)),
  ]
}

/** The text of an earlier step, or a numbered text that agents were given from a document or a page. */
function sourceRows(source: Brief['sources'][number], width: number): StyledLine[] {
  const { title, text } = source
  if (source.kind === 'step') {
    const rows = source.format === 'markdown' ? markdownRows(text, width) : plainRows(text, width)
    return [...part('source', `${title}, version ${source.version}`), ...rows]
  }
  const { n, page, heading, url, cited } = source
  const place = [title, page === undefined ? undefined : `page ${page}`, heading, url]
    .filter(Boolean)
    .join(', ')
  return [
    ...part('source', `[${n}] ${place}${cited ? ', named in the text' : ''}`),
    ...plainRows(text, width),
  ]
}

type Check = NonNullable<Question['checks']>[number]

/** A finding in few words; of a contradiction also what the document says. */
export function checkWords({ phrase, count, source }: Check): string {
  if (!source) return `“${phrase}”, ${counted(count, 'time')}`
  const page = source.page === undefined ? '' : `, page ${source.page}`
  return `“${phrase}”, but ${source.title}${page} has “${source.text}”`
}

function questionRows(question: Question, width: number, now: number): StyledLine[] {
  const { title, riskLevel, type, status, tenantName, tenantId, id } = question
  return [
    ...flow([span(title, 'strong')], width),
    ...fact('approval', [span(id, 'accent'), span(`  ${type}, ${status}`)], width),
    ...fact('tenant', [span(tenantName), span(`  ${tenantId}`, 'dim')], width),
    ...fact('risk', [span(riskLevel, riskTone(riskLevel)), span(deadline(question, now), 'dim')], width),
    ...(question.claimedBy ? fact('read', [span(`by ${question.claimedBy.name}`, 'warn')], width) : []),
    ...(question.resolution ? fact('verdict', [span(verdict(question))], width) : []),
    ...(question.contentHash ? fact('hash', [span(question.contentHash, 'dim')], width) : []),
    ...(question.replacedBy
      ? fact('replaced', [span('by '), span(question.replacedBy, 'accent')], width)
      : []),
    ...(question.description ? [emptyRow, ...plainRows(question.description, width)] : []),
    ...(question.options ?? []).flatMap((option) => fact('option', [span(option)], width)),
    ...(question.checks ?? []).flatMap((check) =>
      fact('check', [span(check.kind, 'warn'), span(`  ${checkWords(check)}`)], width),
    ),
  ]
}

function deadline({ status, expiresAt }: Question, now: number): string {
  if (status !== 'pending') return ''
  const left = Date.parse(expiresAt) - now
  return left > 0 ? `  expires in ${lasting(left)}` : '  expires now'
}

/** The verdict, who gave it, and its note. */
export function verdict({ resolution, resolvedBy, resolutionNote }: Question): string {
  const by = resolvedBy ? ` by ${resolvedBy.name}` : ''
  return `${resolution ?? ''}${by}${resolutionNote ? `: ${resolutionNote}` : ''}`
}

function activityRows(activity: Activity, width: number): StyledLine[] {
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

/** How many runs have ended, and whether one is active. */
function runsIn({ runs, currentRun }: Activity): string {
  const now = currentRun && (currentRun.startedAt ? ', one in progress' : ', one queued')
  return `${counted(runs.length, 'run')}${now ?? ''}`
}

type Run = Activity['runs'][number]

/** The columns of lists of runs, in commands and on the screen. */
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

function runRows({ runs }: Activity, width: number): StyledLine[] {
  return [...part('runs'), ...tableOf(runColumns, runs, width)]
}

/** The heading of a section, after an empty line. */
function part(title: string, more = ''): StyledLine[] {
  return [emptyRow, row(span(title, 'accent'), span(more ? `  ${more}` : '', 'dim'))]
}

const factWidth = 11

function fact(name: string, parts: readonly TextSpan[], width: number): StyledLine[] {
  const first = [span(name.padEnd(factWidth), 'dim')]
  return flow(parts, width, { first, rest: [span(' '.repeat(factWidth))] })
}

/** Text of several lines, wrapped to the width and to the maximum width of running text. */
export function plainRows(text: string, width: number): StyledLine[] {
  return cleanLines(text).flatMap((line) => flowText(line, measured(width)))
}

/** The approvals that an operation affects. */
export async function approvalRows(
  { client }: OperationContext,
  ids: readonly string[],
): Promise<StyledLine[]> {
  const found = await Promise.all(
    ids.map((id) => client.call('cli', 'GET /approvals/:id', { params: { id } })),
  )
  return found.map(({ title, tenantName, riskLevel }) =>
    row(
      span(`${riskLevel}  `, riskLevel === 'high' ? 'bad' : 'dim'),
      span(title, 'strong'),
      ` · ${tenantName}`,
    ),
  )
}

/** The activity that an operation affects. */
export async function activityRow({ client }: OperationContext, id: string): Promise<StyledLine> {
  const { title, tenantName, status } = await client.call('cli', 'GET /activities/:id', { params: { id } })
  return row(span(title, 'strong'), ` · ${tenantName}, ${status}`)
}
