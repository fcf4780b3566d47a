import { addDays, dayIn, daysBetween, startOfDay } from '../../kernel/periods.ts'
import { zoneOf } from '../insight/costs/queries.ts'
import { clarificationAnswer, type Interpretation } from './interpretation.ts'
import type { LanguageRequest, QueryContext } from './query-context.ts'
import { type DaySpan, spanIn } from './spans.ts'

/** Days that someone speaks of, with the instants between which they lie; the last is not part of them. */
export interface RequestedDays extends DaySpan {
  startsAt: Date
  endsAt: Date
}

/** The longest span that is looked at, days. */
const longest = 366

/** The zone in which the days of a request are counted. */
export function zoneIn(
  { ctx, counts }: Pick<QueryContext, 'ctx' | 'counts'>,
  { said }: Pick<LanguageRequest, 'said'>,
): Promise<string> {
  return zoneOf(ctx, oneTenantOf(counts, said))
}

/** The id of the one tenant that a request can be about; undefined where there are several. */
export function oneTenantOf(
  counts: QueryContext['counts'],
  { tenants }: LanguageRequest['said'],
): string | undefined {
  return tenants[0]?.id ?? (counts.length === 1 ? counts[0]?.tenantId : undefined)
}

/** Reads which days are meant by the words of a span. @returns a question where there are no such days */
export async function daysOf(
  scene: QueryContext,
  request: LanguageRequest,
): Promise<RequestedDays | Interpretation | undefined> {
  const { span } = request.slots
  if (span === undefined) return undefined
  const zone = await zoneIn(scene, request)
  const found = spanIn(span, dayIn(scene.ctx.clock.date(), zone))
  if (!found)
    return clarificationAnswer(
      `It is not clear which days "${span}" are. Name them as 2026-03-01, or say "since monday" or "last month".`,
      [],
      { unsure: true },
    )
  if (daysBetween(found.from, found.to) > longest)
    return clarificationAnswer(
      `At most ${longest} days can be looked at together: name fewer than "${span}".`,
    )
  return withInstants(found, zone)
}

/** The days of a request, or others where it names none. */
export async function daysOr(
  scene: QueryContext,
  request: LanguageRequest,
  others: string,
): Promise<RequestedDays> {
  if (request.days) return request.days
  const zone = await zoneIn(scene, request)
  const today = dayIn(scene.ctx.clock.date(), zone)
  return withInstants(spanIn(others, today) ?? { from: today, to: today, words: 'today' }, zone)
}

function withInstants(days: DaySpan, zone: string): RequestedDays {
  return { ...days, startsAt: startOfDay(days.from, zone), endsAt: startOfDay(addDays(days.to, 1), zone) }
}
