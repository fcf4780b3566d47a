import { logRows } from '../operations/log.ts'
import type { RenderOptions } from '../operations/operation.ts'
import { riskTone } from '../operations/queue.ts'
import type { Activity, Piece, Question } from '../operations/show.ts'
import { briefParts, checkWords, earlierComments, plainRows, verdict } from '../operations/show-rows.ts'
import { diffRows } from '../render/diff.ts'
import { flow } from '../render/flow.ts'
import { markdownRows } from '../render/markdown.ts'
import { emptyRow, row, type StyledLine, span, type TextSpan } from '../render/row.ts'
import { shorten } from '../render/width.ts'
import { ageOf, lasting } from '../render/words.ts'
import type { Review } from './review.ts'

const tabs = ['text', 'changes', 'brief', 'comments', 'log'] as const
export type ReviewTab = (typeof tabs)[number] | 'draft'

/** The tabs of an approval; with drafts one for these too. */
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

/** Maximum width of names in the head, so that what follows is visible as well. */
const longestName = 40

/**
 * The head of an approval: at most `most` lines at the top, always visible. When there is no room for all,
 * warnings come before other information.
 */
export function reviewHead(
  { piece, holder }: Review,
  { width, most, now, hint }: { width: number; most: number; now: number; hint: readonly StyledLine[] },
): StyledLine[] {
  const approval = piece?.approval
  if (!piece || !approval) return [row(span('Loading …', 'dim'))]
  const { text } = piece
  const newer =
    successorOf(piece) === undefined
      ? []
      : [
          row(
            span(
              'A newer version is shown, which has a separate pending approval: a, r, b or e opens it',
              'warn',
            ),
          ),
        ]
  const { riskLevel, tenantName, type } = approval
  const campaign = piece.activity?.campaign?.name
  const facts: TextSpan[] = [
    span(shorten(tenantName, longestName), 'strong'),
    span('  risk ', 'dim'),
    span(riskLevel, riskTone(riskLevel)),
    ...(campaign === undefined ? [] : [span('  campaign ', 'dim'), span(shorten(campaign, longestName))]),
    ...countdown(approval, now),
  ]
  const more: TextSpan[] = [
    span(`  ${type.replaceAll('_', ' ')}`, 'dim'),
    ...(text ? [span(`  version ${text.version} by ${text.author.name}`, 'dim')] : []),
  ]
  const warnings = [
    ...(approval.status === 'pending' ? [] : decidedRows(approval, width)),
    ...newer,
    ...(holder !== undefined && approval.status === 'pending'
      ? [row(span(`${holder} has claimed this`, 'warn'))]
      : []),
    ...checkRows(approval, width),
    ...optionRows(approval, width),
    ...hint,
  ]
  const whole = [...flow([...facts, ...more], width), ...warnings]
  return (whole.length <= most ? whole : [...flow(facts, width), ...warnings]).slice(0, most)
}

function countdown({ status, dueAt, expiresAt }: Question, now: number): TextSpan[] {
  if (status !== 'pending') return []
  const left = Date.parse(expiresAt) - now
  const due = dueAt === undefined ? undefined : Date.parse(dueAt) - now
  return [
    ...(due === undefined
      ? []
      : [due > 0 ? span(`  due in ${lasting(due)}`) : span(`  due ${lasting(-due)} ago`, 'warn')]),
    left > 0
      ? span(`  expires in ${lasting(left)}`, left < 3_600_000 ? 'bad' : 'dim')
      : span('  has expired', 'bad'),
  ]
}

/** Id of the approval that supersedes this one because a newer text exists. */
export function successorOf(piece: Piece | undefined): string | undefined {
  const { approval, activity } = piece ?? {}
  if (!approval || approval.status === 'pending') return undefined
  const open = activity?.approval
  return approval.replacedBy ?? (open?.status === 'pending' && open.id !== approval.id ? open.id : undefined)
}

function decidedRows(approval: Question, width: number): StyledLine[] {
  const words = verdict(approval).replaceAll('_', ' ') || approval.status
  return flow(
    [span('Decided: ', 'dim'), span(words, approval.status === 'approved' ? 'good' : 'warn')],
    width,
  )
}

/** The findings about the brand on one line, then each contradiction with what the document says. */
function checkRows({ checks = [] }: Question, width: number): StyledLine[] {
  const spanOf = (check: (typeof checks)[number]) =>
    span(`${check.kind.replaceAll('_', ' ')} ${checkWords(check)}  `, 'warn')
  const [contradictions = [], others = []] = [true, false].map((isOne) =>
    checks.filter(({ source }) => (source !== undefined) === isOne),
  )
  const lines = [others.map(spanOf), ...contradictions.map((check) => [spanOf(check)])]
  return lines.flatMap((found) =>
    found.length === 0 ? [] : flow([span('Checks: ', 'dim'), ...found], width),
  )
}

function optionRows({ options = [] }: Question, width: number): StyledLine[] {
  if (options.length === 0) return []
  const listed = options.map((option, index) => span(`${index + 1}. ${option}  `))
  return flow([span('Options: ', 'dim'), ...listed], width)
}

/** All lines of one tab of an approval. */
export function reviewBody(
  { piece, log }: Review,
  tab: Exclude<ReviewTab, 'draft'>,
  renderOptions: RenderOptions,
): StyledLine[] {
  const { width, now } = renderOptions
  if (!piece) return []
  switch (tab) {
    case 'text':
      return textRows(piece, width)
    case 'changes':
      return changeRows(piece, renderOptions)
    case 'brief':
      return briefRows(piece, width)
    case 'comments':
      return commentRows(piece.activity, width, now)
    case 'log':
      if (!log) return [row(span('Loading …', 'dim'))]
      return log.length > 0
        ? log.flatMap((item) => logRows(item, width))
        : nothing('There are no events yet.')
  }
}

const nothing = (words: string): StyledLine[] => [row(span(words, 'dim'))]

function textRows({ text, approval }: Piece, width: number): StyledLine[] {
  if (text) return text.format === 'markdown' ? markdownRows(text.text, width) : plainRows(text.text, width)
  return approval?.description ? plainRows(approval.description, width) : nothing('There is no text yet.')
}

function changeRows({ text, diff, approval }: Piece, renderOptions: RenderOptions): StyledLine[] {
  if (!diff) return nothing(text ? 'This is the first version.' : 'There is no text yet.')
  const note = approval?.description
    ? [...plainRows(approval.description, renderOptions.width), emptyRow]
    : []
  const rows = diffRows(diff, renderOptions)
  return [
    row(span(`From version ${diff.from} to ${diff.to}`, 'dim')),
    emptyRow,
    ...note,
    ...(rows.length > 0 ? rows : nothing('There is no difference.')),
  ]
}

function briefRows({ brief, approval, text }: Piece, width: number): StyledLine[] {
  const asked = approval?.description && text ? [...plainRows(approval.description, width), emptyRow] : []
  return [...asked, ...(brief ? briefParts(brief, width) : nothing('There is no brief.'))]
}

/** The comments of an activity, oldest first. */
export function commentRows(activity: Activity | null, width: number, now: number): StyledLine[] {
  if (!activity || activity.comments.length === 0) return nothing('There are no comments.')
  const rows = activity.comments.flatMap(({ author, text, createdOn }) => [
    row(span(author.name, 'strong'), span(`  ${ageOf(createdOn, now)} ago`, 'dim')),
    ...plainRows(text, width),
    emptyRow,
  ])
  return [...earlierComments(activity), ...rows]
}
