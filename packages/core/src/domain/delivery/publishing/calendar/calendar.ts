import type { Ctx } from '../../../../kernel/context.ts'
import { invalid } from '../../../../kernel/errors.ts'
import { addDays, dayIn, startOfDay, wallClock } from '../../../../kernel/periods.ts'
import { oneTenant } from '../../../../kernel/scope.ts'
import type { SpanEnd } from '../../../../platform/wire.ts'
import type { ChannelType } from '../../../accounts/channels/entities.ts'
import {
  calendarZone,
  channelsOf,
  publicationsAhead,
  publicationsOut,
  requestedPieces,
  requestsIn,
  type Span,
} from './queries.ts'
import {
  type CalendarQuery,
  mostDays,
  mostEntries,
  type PlannedEntry,
  type PublishingCalendar,
} from './schemas.ts'

const dayMs = 86_400_000
const usualDays = 31

/**
 * What goes out when, and what is out, in the tenant's zone. Serves `GET /dashboard/v1/calendar`.
 * @throws DomainError `VALIDATION_ERROR` on `to` for a span that is empty or too long
 */
export async function readCalendar(ctx: Ctx, query: CalendarQuery): Promise<PublishingCalendar> {
  const tenantId = oneTenant(ctx)
  const [timezone, channels] = await Promise.all([calendarZone(ctx, tenantId), channelsOf(ctx, tenantId)])
  const only = channels.find(({ id }) => id === query.channelId)
  const span = {
    ...spanOf(ctx, query, timezone),
    tenantId,
    channelId: query.channelId,
    limit: mostEntries + 1,
  }
  const [ahead, out, asked] = await Promise.all([
    publicationsAhead(ctx, span),
    publicationsOut(ctx, span),
    query.channelId !== undefined && !only ? [] : wanted(ctx, span, only?.type),
  ])
  const idOf = (type: ChannelType) => channels.find((one) => one.type === type)?.id ?? null
  const all = [
    ...[...ahead, ...out].map(({ url, at, ...rest }) => ({
      ...rest,
      kind: 'publication' as const,
      at: at as Date,
      ...(url !== null && { url }),
    })),
    ...asked.map((one) => ({ ...one, channelId: idOf(one.channelType) })),
  ].toSorted((a, b) => a.at.getTime() - b.at.getTime() || (a.id < b.id ? -1 : 1))
  return {
    data: all
      .slice(0, mostEntries)
      .map((entry): PlannedEntry => ({ ...entry, local: wallClock(entry.at, timezone) })),
    timezone,
    nextFrom: all[mostEntries]?.at ?? null,
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

type Wanted = Omit<PlannedEntry, 'local' | 'channelId'>

/** Requests that have a time and are no publication yet, with an entry for each network. */
async function wanted(ctx: Ctx, span: Span, type: ChannelType | undefined): Promise<Wanted[]> {
  const requests = await requestsIn(ctx, span)
  const made = await requestedPieces(
    ctx,
    requests.map(({ id }) => id),
  )
  return requests.flatMap(({ id, topic, platforms, status, approvalId, scheduleFor }) =>
    platforms
      .filter((platform) => type === undefined || platform === type)
      .flatMap((platform) => {
        const piece = made.find((one) => one.requestId === id && one.platform === platform)
        if (piece?.isPlanned) return []
        const open = piece ? piece.approvalId : status === 'draft' ? approvalId : null
        return {
          id,
          kind: 'request' as const,
          at: scheduleFor as Date,
          title: topic,
          channelType: platform,
          status,
          ...(piece && { activityId: piece.activityId }),
          ...(open && { approvalId: open }),
        }
      }),
  )
}
