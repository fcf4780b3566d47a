import { logRows } from '../operations/log.ts'
import { riskTone } from '../operations/queue.ts'
import { briefParts, earlierComments, plainRows, verdict } from '../operations/show-rows.ts'
import type { Paper } from '../operations/operation.ts'
import type { Activity, Piece, Question } from '../operations/show.ts'
import { diffRows } from '../paper/diff.ts'
import { flow } from '../paper/flow.ts'
import { markdownRows } from '../paper/markdown.ts'
import { emptyRow, type Row, row, type Span, span } from '../paper/row.ts'
import { shorten } from '../paper/width.ts'
import { ageOf, counted, lasting } from '../paper/words.ts'
import type { Review } from './review.ts'

const tabs = ['text', 'changes', 'brief', 'comments', 'log'] as const
export type ReviewTab = (typeof tabs)[number] | 'draft'

/** The parts of a question; where the person has written something, that too. */
export function reviewTabs({
  hasDraft,
  hasLog,
}: {
  hasDraft: boolean
  hasLog: boolean
}): readonly ReviewTab[] {
  const known = tabs.filter((tab) => hasLog || tab !== 'log')
  return hasDraft ? [...known, 'draft'] : known
}

/** Names in the head are cut to so many columns, so that what comes after them is seen as well. */
const longestName = 40

/**
 * What one has to know of a question before its text: in at most `most` lines, at the top and always seen. Where there is no
 * room for all, what warns comes before what is only good to know.
 */
export function reviewHead(
  { piece, holder }: Review,
  { width, most, now, hint }: { width: number; most: number; now: number; hint: readonly Row[] },
): Row[] {
  const approval = piece?.approval
  if (!piece || !approval) return [row(span('Asking the server …', 'dim'))]
  const { text } = piece
  const newer =
    successorOf(piece) === undefined
      ? []
      : [row(span('What you see is newer and waits for its own verdict: a, r, b or e opens it', 'warn'))]
  const { riskLevel, tenantName, type } = approval
  const campaign = piece.activity?.campaign?.name
  const facts: Span[] = [
    span(shorten(tenantName, longestName), 'strong'),
    span('  risk ', 'dim'),
    span(riskLevel, riskTone(riskLevel)),
    ...(campaign === undefined ? [] : [span('  campaign ', 'dim'), span(shorten(campaign, longestName))]),
    ...countdown(approval, now),
  ]
  const more: Span[] = [
    span(`  ${type.replaceAll('_', ' ')}`, 'dim'),
    ...(text ? [span(`  version ${text.version} by ${text.author.name}`, 'dim')] : []),
  ]
  const warnings = [
    ...(approval.status === 'pending' ? [] : decidedRows(approval, width)),
    ...newer,
    ...(holder !== undefined && approval.status === 'pending'
      ? [row(span(`${holder} looks at this as well`, 'warn'))]
      : []),
    ...checkRows(approval, width),
    ...optionRows(approval, width),
    ...hint,
  ]
  const whole = [...flow([...facts, ...more], width), ...warnings]
  return (whole.length <= most ? whole : [...flow(facts, width), ...warnings]).slice(0, most)
}

function countdown({ status, dueAt, expiresAt }: Question, now: number): Span[] {
  if (status !== 'pending') return []
  const left = Date.parse(expiresAt) - now
  const due = dueAt === undefined ? undefined : Date.parse(dueAt) - now
  return [
    ...(due === undefined
      ? []
      : [due > 0 ? span(`  due in ${lasting(due)}`) : span(`  due ${lasting(-due)} ago`, 'warn')]),
    left > 0
      ? span(`  lapses in ${lasting(left)}`, left < 3_600_000 ? 'bad' : 'dim')
      : span('  has lapsed', 'bad'),
  ]
}

/** Id of the question that is to be decided in place of a piece's, where a newer text has brought one. */
export function successorOf(piece: Piece | undefined): string | undefined {
  const { approval, activity } = piece ?? {}
  if (!approval || approval.status === 'pending') return undefined
  const open = activity?.approval
  return approval.replacedBy ?? (open?.status === 'pending' && open.id !== approval.id ? open.id : undefined)
}

function decidedRows(approval: Question, width: number): Row[] {
  const words = verdict(approval).replaceAll('_', ' ') || approval.status
  return flow(
    [span('Decided: ', 'dim'), span(words, approval.status === 'approved' ? 'good' : 'warn')],
    width,
  )
}

function checkRows({ checks = [] }: Question, width: number): Row[] {
  if (checks.length === 0) return []
  const found = checks.map(({ kind, phrase, count }) =>
    span(`${kind.replaceAll('_', ' ')} “${phrase}” ${counted(count, 'time')}  `, 'warn'),
  )
  return flow([span('Checks: ', 'dim'), ...found], width)
}

function optionRows({ options = [] }: Question, width: number): Row[] {
  if (options.length === 0) return []
  const listed = options.map((option, index) => span(`${index + 1}. ${option}  `))
  return flow([span('To choose: ', 'dim'), ...listed], width)
}

/** What one part of a question shows, all of its lines. */
export function reviewBody({ piece, log }: Review, tab: Exclude<ReviewTab, 'draft'>, paper: Paper): Row[] {
  const { width, now } = paper
  if (!piece) return []
  switch (tab) {
    case 'text':
      return textRows(piece, width)
    case 'changes':
      return changeRows(piece, paper)
    case 'brief':
      return briefRows(piece, width)
    case 'comments':
      return commentRows(piece.activity, width, now)
    case 'log':
      if (!log) return [row(span('Asking the server …', 'dim'))]
      return log.length > 0
        ? log.flatMap((item) => logRows(item, width))
        : nothing('Nothing has happened yet.')
  }
}

const nothing = (words: string): Row[] => [row(span(words, 'dim'))]

function textRows({ text, approval }: Piece, width: number): Row[] {
  if (text) return text.format === 'markdown' ? markdownRows(text.text, width) : plainRows(text.text, width)
  return approval?.description ? plainRows(approval.description, width) : nothing('There is no text yet.')
}

function changeRows({ text, diff, approval }: Piece, paper: Paper): Row[] {
  if (!diff) return nothing(text ? 'This is the first version.' : 'There is no text yet.')
  const note = approval?.description ? [...plainRows(approval.description, paper.width), emptyRow] : []
  const rows = diffRows(diff, paper)
  return [
    row(span(`From version ${diff.from} to ${diff.to}`, 'dim')),
    emptyRow,
    ...note,
    ...(rows.length > 0 ? rows : nothing('Nothing is different.')),
  ]
}

function briefRows({ brief, approval, text }: Piece, width: number): Row[] {
  const asked = approval?.description && text ? [...plainRows(approval.description, width), emptyRow] : []
  return [...asked, ...(brief ? briefParts(brief, width) : nothing('There is no brief.'))]
}

/** What people and agents have said on a piece of work, oldest first. */
export function commentRows(activity: Activity | null, width: number, now: number): Row[] {
  if (!activity || activity.comments.length === 0) return nothing('Nobody has said anything.')
  const rows = activity.comments.flatMap(({ author, text, createdOn }) => [
    row(span(author.name, 'strong'), span(`  ${ageOf(createdOn, now)} ago`, 'dim')),
    ...plainRows(text, width),
    emptyRow,
  ])
  return [...earlierComments(activity), ...rows]
}
