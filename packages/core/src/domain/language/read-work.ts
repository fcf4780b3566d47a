import { type AskedStatus, counted, dollars, duration, minuteOf, plain, spaced } from '@copydesk/language'
import { costReport } from '../insight/costs/queries.ts'
import { listFeed } from '../insight/feed/queries.ts'
import type { RequestedDays } from './days.ts'
import { listFinished } from './history-queries.ts'
import { factAnswer, type Interpretation, mostRows } from './interpretation.ts'
import { listByState, listPending, type Piece } from './piece-queries.ts'
import { filterOf, type LanguageRequest, type QueryContext, scopedTo } from './query-context.ts'

/** What waits for people, or how work stands, with what narrows it down said in the sentence. */
export async function readWork(
  scene: QueryContext,
  request: LanguageRequest,
  state: AskedStatus,
): Promise<Interpretation> {
  const ctx = scopedTo(scene, request.said)
  const { days, slots } = request
  if (state === 'done' && days) return readFinished(scene, request, days)
  const filter = filterOf(scene.ctx, request)
  const most = Math.min(mostRows, slots.limit ?? mostRows)
  const { items, total } = await (state === 'pending'
    ? listPending(ctx, filter, most)
    : listByState(ctx, state, filter, most))
  const now = scene.ctx.clock.now()
  const about = { ids: items.map(({ id }) => id) }
  const narrowing = narrowed(request)
  const rest = total > items.length ? ` These are the first ${items.length}.` : ''
  if (state !== 'pending') {
    const doing = {
      running: 'being worked on',
      blocked: slots.paused ? 'paused' : 'blocked',
      failed: 'failed',
      done: 'done',
    }[state]
    const is = state === 'failed' ? (total > 1 ? 'have' : 'has') : total > 1 ? 'are' : 'is'
    const text = `${total === 0 ? 'No piece' : counted(total, 'piece')} of work${narrowing} ${is} ${doing}${days ? ` ${days.words}` : ''}.${rest}`
    const titles = [
      'Title',
      'Tenant',
      'Agent',
      'Since',
      ...(state === 'running' || state === 'done' ? [] : ['Why']),
      'Id',
    ]
    const rows = items.map((piece) => [
      piece.title,
      piece.tenantName,
      spaced(piece.agentRole ?? 'a person'),
      age(piece, now),
      ...(state === 'running' || state === 'done' ? [] : [piece.reason ?? '']),
      piece.id,
    ])
    return factAnswer(text, { titles, rows }, about)
  }
  if (total === 0) return factAnswer(`Nothing${narrowing} waits for a verdict.`)
  const oldest = items.toSorted((a, b) => a.since.getTime() - b.since.getTime())[0]
  const waiting = total === items.length && oldest ? ` The oldest has waited for ${age(oldest, now)}.` : ''
  const text = `${counted(total, 'approval')}${narrowing} ${total === 1 ? 'waits' : 'wait'} for a verdict.${waiting}${rest}`
  return factAnswer(text, pendingTable(items, now), about)
}

/** What was finished in a span of days. */
async function readFinished(
  scene: QueryContext,
  request: LanguageRequest,
  days: RequestedDays,
): Promise<Interpretation> {
  const { said, slots } = request
  const filter = { deliverableType: slots.deliverableType, agentRoles: said.roles }
  const span = { from: days.startsAt, until: days.endsAt }
  const most = Math.min(mostRows, slots.limit ?? mostRows)
  const { items, total } = await listFinished(scopedTo(scene, said), span, filter, most)
  const rest = total > items.length ? ` These are the latest ${items.length}.` : ''
  const text = `${total === 0 ? 'No piece' : counted(total, 'piece')} of work${narrowed(request)} ${total > 1 ? 'were' : 'was'} finished ${days.words}.${rest}`
  const rows = items.map((one) => [one.title, one.tenantName, minuteOf(one.at), one.id])
  return factAnswer(
    text,
    { titles: ['Title', 'Tenant', 'When', 'Id'], rows },
    { ids: items.map(({ id }) => id) },
  )
}

/** How soon an approval has to expire to be urgent, milliseconds. */
const urgentMs = 86_400_000

/** What cannot wait: approvals of a high risk, past their due time, or soon to expire. */
export async function readUrgent(scene: QueryContext, request: LanguageRequest): Promise<Interpretation> {
  const now = scene.ctx.clock.now()
  const filter = { ...filterOf(scene.ctx, request), urgentBefore: new Date(now + urgentMs) }
  const most = Math.min(mostRows, request.slots.limit ?? mostRows)
  const { items, total } = await listPending(scopedTo(scene, request.said), filter, most)
  const what = 'with a high risk, past its due time or expiring within 24 h'
  if (total === 0) return factAnswer(`Nothing${narrowed(request)} is urgent: there is no approval ${what}.`)
  const rest = total > items.length ? ` These are the first ${items.length}.` : ''
  const text = `${counted(total, 'approval')}${narrowed(request)} ${total === 1 ? 'is' : 'are'} urgent: ${what}.${rest}`
  return factAnswer(text, pendingTable(items, now), { ids: items.map(({ id }) => id) })
}

function pendingTable(items: readonly Piece[], now: number) {
  const rows = items.map((piece) => [
    piece.riskLevel ?? '',
    piece.title,
    piece.tenantName,
    spaced(piece.type),
    age(piece, now),
    piece.expiresAt ? `in ${duration(piece.expiresAt.getTime() - now)}` : '',
    piece.id,
  ])
  return { titles: ['Risk', 'Title', 'Tenant', 'Type', 'Waiting', 'Expires', 'Id'], rows }
}

const age = (piece: Piece, now: number) => duration(now - piece.since.getTime())

/** What narrows a list down, as a part of its sentence. */
function narrowed({ said, slots, days }: LanguageRequest): string {
  const parts = [
    slots.risks.length > 0 && `with ${slots.risks.join(' or ')} risk`,
    slots.approvalType && `about ${spaced(slots.approvalType)}`,
    slots.deliverableType && `of type ${spaced(slots.deliverableType)}`,
    said.roles.length > 0 && `by the ${said.roles.map(spaced).join(' or ')}`,
    said.tenants[0] && `of ${plain(said.tenants[0].name, 80)}`,
    slots.olderThan !== undefined && `older than ${duration(slots.olderThan * 60_000)}`,
    slots.overdue && 'past its due time',
    slots.state !== 'failed' && slots.state !== 'done' && days && `asked for ${days.words}`,
    slots.expiresWithin === -1 && 'expiring today',
    (slots.expiresWithin ?? -1) > 0 && `expiring within ${duration((slots.expiresWithin ?? 0) * 60_000)}`,
  ].filter((part) => typeof part === 'string')
  return parts.length > 0 ? ` ${parts.join(' ')}` : ''
}

/** Which tenants wait for the person. */
export function readWaiting(scene: QueryContext, { said }: LanguageRequest): Interpretation {
  const now = scene.ctx.clock.now()
  const waiting = ofTenants(scene, said.tenants[0]?.id)
    .filter(({ pendingApprovals }) => pendingApprovals > 0)
    .toSorted((a, b) => (a.oldestPendingOn?.getTime() ?? 0) - (b.oldestPendingOn?.getTime() ?? 0))
  if (waiting.length === 0) return factAnswer('Nobody waits for a verdict.')
  const rows = waiting.map((one) => [
    one.tenantName,
    String(one.pendingApprovals),
    String(one.highRiskApprovals),
    one.oldestPendingOn ? duration(now - one.oldestPendingOn.getTime()) : '',
  ])
  const text = `${counted(waiting.length, 'tenant')} ${waiting.length === 1 ? 'waits' : 'wait'} for verdicts, the longest for ${rows[0]?.[3]}.`
  return factAnswer(text, { titles: ['Tenant', 'Waiting', 'High risk', 'Oldest'], rows })
}

const ofTenants = ({ counts }: QueryContext, tenantId: string | undefined) =>
  counts.filter((one) => tenantId === undefined || one.tenantId === tenantId)

/** How everything stands, or one tenant. */
export async function readStatus(scene: QueryContext, { said }: LanguageRequest): Promise<Interpretation> {
  const tenant = said.tenants[0]
  const counts = ofTenants(scene, tenant?.id)
  const ctx = scopedTo(scene, said)
  const { totalUsd, breakdown } = await costReport(ctx, { groupBy: 'tenant', tenantId: tenant?.id })
  const cost = new Map(breakdown.map(({ key, costUsd }) => [key, costUsd]))
  const sum = (of: (one: (typeof counts)[number]) => number) => counts.reduce((all, one) => all + of(one), 0)
  const high = sum((one) => one.highRiskApprovals)
  const errors = sum((one) => one.agentsInError)
  const who = tenant ? plain(tenant.name, 80) : counted(counts.length, 'tenant')
  const text = [
    `${who}: ${counted(
      sum((one) => one.pendingApprovals),
      'approval',
    )} waiting${high > 0 ? `, ${high} of high risk` : ''};`,
    `${sum((one) => one.activitiesInProgress)} at work, ${sum((one) => one.activitiesBlocked)} blocked;`,
    `${errors > 0 ? `${counted(errors, 'agent')} in error; ` : ''}${dollars(totalUsd)} spent this month.`,
  ].join(' ')
  const rows = counts.map((one) => [
    one.tenantName,
    String(one.pendingApprovals),
    String(one.highRiskApprovals),
    String(one.activitiesInProgress),
    String(one.activitiesBlocked),
    String(one.agentsInError),
    dollars(cost.get(one.tenantId) ?? 0),
  ])
  const titles = ['Tenant', 'Waiting', 'High risk', 'At work', 'Blocked', 'Agents in error', 'This month']
  return factAnswer(text, { titles, rows })
}

/** What needs the person first. */
export async function readFeed(scene: QueryContext, { said }: LanguageRequest): Promise<Interpretation> {
  const { data } = await listFeed(scopedTo(scene, said), { limit: 20 })
  const [first] = data
  if (!first) return factAnswer('Nothing needs you now.')
  const now = scene.ctx.clock.now()
  const rows = data.map((item) => [
    item.title,
    item.tenantName,
    item.reason,
    duration(now - item.since.getTime()),
    item.deadline ? `in ${duration(item.deadline.getTime() - now)}` : '',
    item.subject.id,
  ])
  const ids = data.filter(({ subject }) => subject.kind === 'approval' || subject.kind === 'activity')
  const text = `First "${plain(first.title, 80)}" of ${plain(first.tenantName, 80)} (${plain(first.reason, 200)})${data.length > 1 ? `, then ${data.length - 1} more` : ''}.`
  return factAnswer(
    text,
    { titles: ['Title', 'Tenant', 'Reason', 'Since', 'Deadline', 'Id'], rows },
    { ids: ids.map(({ subject }) => subject.id) },
  )
}
