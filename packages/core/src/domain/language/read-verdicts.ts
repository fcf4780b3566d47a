import { type AskedVerdict, capital, minuteOf, plain, quoted, spaced } from '@copydesk/language'
import { daysOr, type RequestedDays } from './days.ts'
import { clarificationAnswer, factAnswer, type Interpretation, mostRows, nameOf } from './interpretation.ts'
import { type Piece } from './piece-queries.ts'
import { isNarrowed, type LanguageRequest, parser, type QueryContext, scopedTo } from './query-context.ts'
import { findTargets } from './targets.ts'
import { searchDecided } from './title-queries.ts'
import { type DecidedApproval, listApprovalsOf, listDeciders, listVerdicts } from './verdict-queries.ts'

const done: Record<AskedVerdict, string> = {
  approved: 'approved',
  rejected: 'rejected',
  revision_requested: 'sent back',
  any: 'decided',
}

/** What was decided in a span of days, how much, and by whom. */
export async function readVerdicts(scene: QueryContext, request: LanguageRequest): Promise<Interpretation> {
  const { said, slots } = request
  const ctx = scopedTo(scene, said)
  const days = await daysOr(scene, request, 'last 30 days')
  const span = { from: days.startsAt, until: days.endsAt }
  const people = await peopleOf(scene, request, days)
  if (people && 'answer' in people) return people
  const verdict = slots.verdict ?? 'any'
  const { items, counts } = await listVerdicts(
    ctx,
    {
      ...span,
      resolution: verdict === 'any' ? undefined : verdict,
      by: people?.ids,
      deliverableType: slots.deliverableType,
      approvalType: slots.approvalType,
      risks: slots.risks,
    },
    slots.limit ?? mostRows,
  )
  const total = counts.approved + counts.rejected + counts.revision_requested
  const parts = [
    days.words,
    said.tenants[0] && `at ${plain(said.tenants[0].name, 80)}`,
    slots.deliverableType && `of type ${spaced(slots.deliverableType)}`,
    slots.approvalType && `about ${spaced(slots.approvalType)}`,
    slots.risks.length > 0 && `with ${slots.risks.join(' or ')} risk`,
    people && `by ${people.name}`,
  ].filter((part) => typeof part === 'string')
  const kinds = `${counts.approved} approved, ${counts.rejected} rejected, ${counts.revision_requested} sent back`
  const [latest] = items
  const text = [
    `${capital(done[verdict])} ${parts.join(' ')}: ${total}${verdict === 'any' && total > 0 ? ` (${kinds})` : ''}.`,
    latest && `The latest: ${sentenceOf(latest)}.`,
    total > items.length && `These are the latest ${items.length}.`,
  ]
  const rows = items.map((one) => [
    one.title,
    one.tenantName,
    done[one.resolution ?? 'any'],
    one.resolvedByName ?? '',
    one.resolvedAt ? minuteOf(one.resolvedAt) : '',
    one.note ?? '',
    one.activityId ?? one.id,
  ])
  return factAnswer(
    text.filter((part) => typeof part === 'string').join(' '),
    { titles: ['Title', 'Tenant', 'Verdict', 'By', 'When', 'Note', 'Id'], rows },
    { ids: items.map(({ activityId, id }) => activityId ?? id) },
  )
}

/** Who is meant: the person who asks, someone who is named by what nothing else accounts for, or everybody. */
async function peopleOf(
  { ctx }: QueryContext,
  { said, slots }: LanguageRequest,
  days: RequestedDays,
): Promise<{ ids: string[]; name: string } | Interpretation | undefined> {
  if (slots.title.length === 0)
    return /\b(?:i|me|my|myself)\b/.test(spokenWords(said.text))
      ? { ids: [ctx.actor.id], name: 'you' }
      : undefined
  const people = await listDeciders(scopedTo({ ctx }, said), { from: days.startsAt, until: days.endsAt })
  const named = people.filter(({ name }) => parser.isCalled(name, slots.title))
  const [one] = named
  if (one && named.every(({ name }) => name === one.name))
    return { ids: named.map(({ id }) => id), name: plain(one.name, 80) }
  const found = named.length > 0 ? named : people
  const question =
    named.length > 0
      ? `Who is meant by ${quoted(slots.title.join(' '))}?`
      : `Nobody called ${quoted(slots.title.join(' '))} has decided anything ${days.words}.`
  const options = [
    ...new Set(
      found.map(({ name }) =>
        `${done[slots.verdict ?? 'any']} by ${plain(name, 80)} ${slots.span ?? ''}`.trim(),
      ),
    ),
  ]
  return clarificationAnswer(question, options, { unsure: true })
}

/** Without what only asks to be shown something. */
const spokenWords = (text: string) =>
  text.replace(/\b(?:show|tell|give|to|for) me\b|\b(?:can|could|may) i\b/g, '')

/** What became of the approvals of one piece, and by whom. */
export async function readVerdictOf(scene: QueryContext, request: LanguageRequest): Promise<Interpretation> {
  const found = await targetOf(scene, request)
  if ('answer' in found) return found
  const { piece } = found
  const activityId = piece.kind === 'approval' ? piece.other : piece.id
  const approvals = await listApprovalsOf(scene.ctx, { activityId, id: piece.id })
  const about = { ids: [piece.id] }
  if (approvals.length === 0)
    return factAnswer(
      `Nobody was asked to decide on ${nameOf(piece)}: it is ${spaced(piece.hold ?? piece.status)}.`,
      undefined,
      about,
    )
  const rows = approvals.map((one) => [
    one.resolvedAt ? minuteOf(one.resolvedAt) : '',
    one.resolution ? done[one.resolution] : spaced(one.status),
    one.resolvedByName ?? '',
    one.note ?? '',
  ])
  return factAnswer(
    textOf(piece, approvals, request.slots.verdict),
    { titles: ['When', 'Verdict', 'By', 'Note'], rows },
    about,
  )
}

function textOf(
  piece: Piece,
  approvals: readonly DecidedApproval[],
  verdict: AskedVerdict | undefined,
): string {
  const decided = approvals.filter(({ resolution }) => resolution !== null)
  const wanted = decided.find(
    ({ resolution }) => verdict === undefined || verdict === 'any' || resolution === verdict,
  )
  const isPending = approvals.some(({ status }) => status === 'pending')
  const last = wanted ?? decided[0]
  if (!last)
    return isPending
      ? `${nameOf(piece)} waits for a verdict: it has not been ${done[verdict ?? 'any']} yet.`
      : `${nameOf(piece)} was never decided: its approval is ${spaced(approvals[0]?.status ?? 'expired')}.`
  const note = last.note ? ` The note: ${quoted(plain(last.note, 300))}` : ''
  const after = isPending ? ' It waits for another verdict now.' : ''
  const not = wanted || !verdict ? '' : ` It was not ${done[verdict]}.`
  return `${sentenceOf(last)}.${not}${note}${after}`
}

const sentenceOf = ({ title, tenantName, resolution, resolvedByName, resolvedAt }: DecidedApproval) =>
  `${nameOf({ title, tenantName })} was ${done[resolution ?? 'any']}${resolvedByName ? ` by ${plain(resolvedByName, 80)}` : ''}${resolvedAt ? ` on ${minuteOf(resolvedAt)}` : ''}`

/** One piece that is named; also one whose approval belongs to no work and is decided already. */
async function targetOf(
  scene: QueryContext,
  request: LanguageRequest,
): Promise<{ piece: Piece } | Interpretation> {
  const found = await findTargets(scene, request, { kind: 'any', verb: 'who decided' })
  if (!('answer' in found)) {
    const [piece, ...others] = found.pieces
    if (piece && others.length === 0) return { piece }
    return clarificationAnswer('Only one at a time can be meant here. Which one?')
  }
  const title = request.said.quotes[0] ?? request.slots.title.join(' ')
  const { said } = request
  const isNarrow = isNarrowed({ ...request, said: { ...said, tenants: [] } })
  const decided =
    title === '' || !found.unsure || isNarrow
      ? []
      : await searchDecided(scopedTo(scene, request.said), title, 2)
  const [only] = decided.filter(({ title: whole }) => parser.accountsFor(whole, title))
  return only && decided.length === 1 ? { piece: only } : found
}

/** The last verdict of the person who asks, as a sentence; undefined where there is none in the last 30 days. */
export async function lastOwnVerdict(
  { ctx }: QueryContext,
  resolution: DecidedApproval['resolution'],
): Promise<{ sentence: string; approval: DecidedApproval } | undefined> {
  const until = new Date(ctx.clock.now() + 1)
  const from = new Date(ctx.clock.now() - 30 * 86_400_000)
  const filter = { from, until, by: [ctx.actor.id], ...(resolution && { resolution }) }
  const [approval] = (await listVerdicts(ctx, filter, 1)).items
  return approval && { sentence: sentenceOf(approval), approval }
}
