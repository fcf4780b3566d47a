import { capital, counted, dollars, minuteOf, plain, spaced } from '@copydesk/language'
import { toUsd } from '../../kernel/money.ts'
import { daysOr, type RequestedDays } from './days.ts'
import { listAskedFor, listFinished, listRunsOf } from './history-queries.ts'
import { factAnswer, type Interpretation, mostRows } from './interpretation.ts'
import { type LanguageRequest, type QueryContext, scopedTo } from './query-context.ts'
import { listVerdicts } from './verdict-queries.ts'

/** What has happened in a span of days: what was asked for, decided and finished, and what went wrong. */
export async function readHistory(scene: QueryContext, request: LanguageRequest): Promise<Interpretation> {
  const { said } = request
  const ctx = scopedTo(scene, said)
  const days = await daysOr(scene, request, 'since yesterday')
  const span = { from: days.startsAt, until: days.endsAt }
  const [askedFor, verdicts, finished, failed] = await Promise.all([
    listAskedFor(ctx, span, mostRows),
    listVerdicts(ctx, span, mostRows),
    listFinished(ctx, span, {}, mostRows),
    listRunsOf(ctx, span, { roles: [], failed: true }, mostRows),
  ])
  const { approved, rejected, revision_requested: sentBack } = verdicts.counts
  const failures = Object.values(failed.counts).reduce((sum, count) => sum + count, 0)
  const at = said.tenants[0] ? ` at ${plain(said.tenants[0].name, 80)}` : ''
  const text = `${capital(days.words)}${at}: ${counted(askedFor.total, 'approval')} asked for; ${
    approved + rejected + sentBack
  } decided (${approved} approved, ${rejected} rejected, ${sentBack} sent back); ${counted(finished.total, 'piece')} finished; ${counted(failures, 'run')} failed.`
  const events = [
    ...askedFor.items.map((one) => ({ ...one, what: 'asked for', who: '' })),
    ...verdicts.items.map((one) => ({
      at: one.resolvedAt ?? days.startsAt,
      id: one.activityId ?? one.id,
      title: one.title,
      tenantName: one.tenantName,
      what: spaced(one.resolution ?? 'decided'),
      who: one.resolvedByName ?? '',
    })),
    ...finished.items.map((one) => ({ ...one, what: 'finished', who: '' })),
    ...failed.items.map((one) => ({
      at: one.startedOn,
      id: one.activityId,
      title: one.title ?? '',
      tenantName: one.tenantName,
      what: `failed: ${one.error ?? ''}`,
      who: spaced(one.role),
    })),
  ].toSorted((a, b) => b.at.getTime() - a.at.getTime())
  const rows = events.map((one) => [minuteOf(one.at), one.what, one.title, one.tenantName, one.who, one.id])
  return factAnswer(
    text,
    { titles: ['When', 'What', 'Title', 'Tenant', 'Who', 'Id'], rows },
    { ids: events.slice(0, mostRows).map(({ id }) => id) },
  )
}

/** What agents have done in a span of days. */
export async function readAgentWork(scene: QueryContext, request: LanguageRequest): Promise<Interpretation> {
  const { said } = request
  const days = await daysOr(scene, request, 'today')
  const { items, counts, costMicros } = await listRunsOf(
    scopedTo(scene, said),
    { from: days.startsAt, until: days.endsAt },
    { roles: said.roles },
    mostRows,
  )
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const often = total === 0 ? 'did not run' : total === 1 ? 'ran once' : `ran ${total} times`
  const states = Object.entries(counts)
    .map(([status, count]) => `${count} ${spaced(status)}`)
    .join(', ')
  const cost = total > 0 ? `: ${states}. It cost ${dollars(toUsd(costMicros))}` : ''
  const rest = total > items.length ? ` These are the latest ${items.length}.` : ''
  const rows = items.map((one) => [
    minuteOf(one.startedOn),
    spaced(one.role),
    one.tenantName,
    one.title ?? '',
    spaced(one.status),
    one.error ?? '',
    dollars(toUsd(one.costMicros)),
    one.activityId,
  ])
  return factAnswer(
    `${whoOf(request)} ${often} ${wordsOf(days)}${cost}.${rest}`,
    { titles: ['When', 'Agent', 'Tenant', 'Title', 'State', 'Error', 'Cost', 'Activity'], rows },
    { ids: [...new Set(items.map(({ activityId }) => activityId))] },
  )
}

const wordsOf = ({ words }: RequestedDays) => words

function whoOf({ said: { roles, tenants } }: LanguageRequest): string {
  const of = tenants[0] ? ` of ${plain(tenants[0].name, 80)}` : ''
  const [role, ...others] = roles
  if (role === undefined) return `The agents${of}`
  return others.length === 0 ? `The ${spaced(role)}${of}` : `The writers${of}`
}
