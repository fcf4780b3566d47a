import type { Ctx } from '../../../../kernel/context.ts'
import { invalid } from '../../../../kernel/errors.ts'
import { addDays, dayIn, startOfDay, wallClock } from '../../../../kernel/periods.ts'
import { oneTenant } from '../../../../kernel/scope.ts'
import type { SpanEnd } from '../../../../platform/wire.ts'
import type { ChannelType } from '../../../accounts/channels/entities.ts'
import { statusOf } from '../../mailings/queries.ts'
import { type EntriesPart, entriesPartOf, firstOf, readPerKind } from './page.ts'
import {
  calendarZone,
  channelsOf,
  datedMails,
  mailingsAtOnce,
  publicationsAhead,
  publicationsOut,
  requestedPieces,
  requestsIn,
  type Span,
} from './queries.ts'
import { type CalendarQuery, mostDays, type PlannedEntry, type PublishingCalendar } from './schemas.ts'

const dayMs = 86_400_000
const usualDays = 31

/**
 * What goes out when, and what is out, in the tenant's zone. Serves `GET /dashboard/v1/calendar`.
 * @throws DomainError `VALIDATION_ERROR` on `to` for a span that is empty or too long
 */
export async function readCalendar(ctx: Ctx, query: CalendarQuery): Promise<PublishingCalendar> {
  const tenantId = oneTenant(ctx)
  const [timezone, channels] = await Promise.all([calendarZone(ctx, tenantId), channelsOf(ctx, tenantId)])
  const { channelId, fromId = '' } = query
  const only = channels.find(({ id }) => id === channelId)
  const span = { ...spanOf(ctx, query, timezone), tenantId, channelId, fromId, limit: readPerKind }
  const idOf = (type: ChannelType) => channels.find((one) => one.type === type)?.id ?? null
  const parts = await Promise.all([
    publicationsAhead(ctx, span).then(published),
    publicationsOut(ctx, span).then(published),
    channelId !== undefined && !only ? noPart : wanted(ctx, span, only?.type, idOf),
    channelId === undefined ? datedMails(ctx, span).then((rows) => mailed(ctx, rows)) : noPart,
    channelId === undefined ? mailingsAtOnce(ctx, span).then((rows) => mailed(ctx, rows)) : noPart,
  ])
  const { entries, ...next } = firstOf(parts, span.from)
  return {
    data: entries.map((entry): PlannedEntry => ({ ...entry, local: wallClock(entry.at, timezone) })),
    timezone,
    ...next,
  }
}

function spanOf(ctx: Ctx, { from, to }: CalendarQuery, timezone: string): Pick<Span, 'from' | 'to'> {
  const begin = instantOf(from ?? dayIn(ctx.clock.date(), timezone), timezone, 0)
  const end = instantOf(to ?? addDays(dayIn(begin, timezone), usualDays - 1), timezone, 1)
  if (end <= begin) throw invalid('to', 'Must be after from')
  // Days on which clocks are changed have 25 hours.
  if (end.getTime() - begin.getTime() > mostDays * dayMs + dayMs / 12)
    throw invalid('to', `Must be at most ${mostDays} days after from`)
  return { from: begin, to: end }
}

/** @param days added to a day */
function instantOf(end: SpanEnd, timezone: string, days: number): Date {
  return typeof end === 'string' ? startOfDay(addDays(end, days), timezone) : end
}

type Entry = Omit<PlannedEntry, 'local'>
const noPart: EntriesPart<Entry> = { entries: [], rest: undefined }

function published(rows: Awaited<ReturnType<typeof publicationsAhead>>): EntriesPart<Entry> {
  return entriesPartOf(rows, (some) =>
    some.map(({ url, ...rest }) => ({
      ...rest,
      kind: 'publication' as const,
      ...(url !== null && { url }),
    })),
  )
}

/** Mailings, and sequences that begin at a date. A mailing that was cancelled is left out if nothing of it went out. */
function mailed(ctx: Ctx, rows: Awaited<ReturnType<typeof datedMails>>): EntriesPart<Entry> {
  return entriesPartOf(rows, (some) =>
    some
      .filter(({ kind, triggerType }) => kind === 'mailing' || triggerType === 'on_date')
      .filter(({ status, handedOver }) => status !== 'cancelled' || handedOver > 0)
      .map(({ id, at, kind, name, status, startsAt, campaignId, activityId }) => ({
        id,
        at,
        kind: kind === 'mailing' ? ('mailing' as const) : ('sequence' as const),
        title: name,
        channelId: null,
        channelType: null,
        status: kind === 'mailing' || status === 'cancelled' ? statusOf(ctx, { status, startsAt }) : status,
        campaignId,
        ...(activityId !== null && { activityId }),
      })),
  )
}

/** Requests that have a time and are no publication yet, with an entry for each network. */
async function wanted(
  ctx: Ctx,
  span: Span,
  type: ChannelType | undefined,
  channelOf: (type: ChannelType) => string | null,
): Promise<EntriesPart<Entry>> {
  const rows = await requestsIn(ctx, span)
  const made = await requestedPieces(
    ctx,
    rows.map(({ id }) => id),
  )
  return entriesPartOf(rows, (requests) =>
    requests.flatMap(({ id, at, topic, platforms, status, approvalId }) =>
      platforms
        .filter((platform) => type === undefined || platform === type)
        .flatMap((platform) => {
          const piece = made.find((one) => one.requestId === id && one.platform === platform)
          if (piece?.isPlanned) return []
          const open = piece ? piece.approvalId : status === 'draft' ? approvalId : null
          return {
            id,
            kind: 'request' as const,
            at,
            title: topic,
            channelId: channelOf(platform),
            channelType: platform,
            status,
            ...(piece && { activityId: piece.activityId }),
            ...(open && { approvalId: open }),
          }
        }),
    ),
  )
}
