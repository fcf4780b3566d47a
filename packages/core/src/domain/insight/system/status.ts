import { LRUCache } from 'lru-cache'
import type { Ctx } from '../../../kernel/context.ts'
import { toMicros, toUsd } from '../../../kernel/money.ts'
import { addDays, dayIn, monthStart, startOfDay } from '../../../kernel/periods.ts'
import { narrowed } from '../../../kernel/scope.ts'
import { feedCounts } from '../feed/count-queries.ts'
import { infrastructureOf } from './infrastructure.ts'
import { costSlots, doneSlots, type Slot, tenantBases } from './status-queries.ts'
import type { Status, StatusQuery } from './status-schemas.ts'

type Line = Status['tenants'][number]

/** How many days are shown one by one. */
const shownDays = 14

/**
 * What waits, runs, stands still and costs at each tenant in scope, those with the most to decide first, and whether the
 * installation is well. With `all` false those are left out where nothing waits, runs or stands still and nothing was spent
 * this month. Serves `GET /cli/v1/status`.
 * @throws DomainError `FORBIDDEN` for a tenant outside the scope
 */
export async function getStatus(ctx: Ctx, query: Partial<StatusQuery> = {}): Promise<Status> {
  const { tenantId, all = true } = query
  const own = tenantId === undefined ? ctx : narrowed(ctx, tenantId)
  const [lines, infrastructure] = await Promise.all([linesOf(own), infrastructureOf(own)])
  const sum = (count: (line: Line) => number) => lines.reduce((total, line) => total + count(line), 0)
  return {
    timestamp: ctx.clock.date(),
    tenants: (all ? lines : lines.filter(isBusy)).toSorted(byUrgency),
    totals: {
      pendingApprovals: sum((line) => line.pendingApprovals),
      runningAgents: sum((line) => line.runningAgents),
      blockedActivities: sum((line) => line.blockedActivities),
      // Dollars are added up as what they are counted in.
      costMtd: toUsd(sum((line) => toMicros(line.costMtd))),
    },
    infrastructure,
  }
}

const isBusy = (line: Line) =>
  line.pendingApprovals + line.runningAgents + line.blockedActivities + line.costMtd > 0

function byUrgency(a: Line, b: Line): number {
  const urgency = b.highRiskApprovals - a.highRiskApprovals || b.pendingApprovals - a.pendingApprovals
  return urgency || a.tenantName.localeCompare(b.tenantName) || (a.tenantId < b.tenantId ? -1 : 1)
}

async function linesOf(ctx: Ctx): Promise<Line[]> {
  const [counts, bases] = await Promise.all([feedCounts(ctx), tenantBases(ctx)])
  const byZone = new Map(
    [...new Set([...bases.values()].map(({ timezone }) => timezone))].map((zone) => [
      zone,
      calendarOf(ctx.clock.date(), zone),
    ]),
  )
  const begins = [...byZone.values()]
  if (begins.length === 0) return []
  // Each by its id, also for those who see all: the indexes begin with the tenant, and would be read whole without it.
  const each: Ctx = { ...ctx, scope: [...bases.keys()] }
  const [costs, done] = await Promise.all([
    costSlots(each, earliest(begins.flatMap(({ month, days }) => [month, ...days.slice(0, 1)]))).then(
      byTenant,
    ),
    doneSlots(each, earliest(begins.flatMap(({ days }) => days.slice(0, 1)))).then(byTenant),
  ])
  return counts.flatMap((one): Line[] => {
    const basis = bases.get(one.tenantId)
    const calendar = basis && byZone.get(basis.timezone)
    // Taken on between the two statements.
    if (!basis || !calendar) return []
    const spent = costs.get(one.tenantId) ?? []
    const month = spent.reduce((total, { at, amount }) => (at >= calendar.month ? total + amount : total), 0)
    return [
      {
        tenantId: one.tenantId,
        tenantName: one.tenantName,
        pendingApprovals: one.pendingApprovals,
        highRiskApprovals: one.highRiskApprovals,
        runningAgents: basis.runningAgents,
        blockedActivities: one.activitiesBlocked,
        costMtd: toUsd(month),
        creditUsed: toUsd(month),
        creditLimit: basis.capMicros === null ? null : toUsd(basis.capMicros),
        costByDay: perDay(spent, calendar).map(toUsd),
        doneByDay: perDay(done.get(one.tenantId) ?? [], calendar),
      },
    ]
  })
}

/** When this month and each of the shown days began in a zone, milliseconds. */
interface Calendar {
  month: number
  days: number[]
}

/** By zone and day: until the next day they stay the same, and to work one out means to look at the zone some fifty times. */
const calendars = new LRUCache<string, Calendar>({ max: 500 })

function calendarOf(now: Date, zone: string): Calendar {
  const today = dayIn(now, zone)
  const key = `${zone} ${today}`
  const known = calendars.get(key)
  if (known) return known
  const calendar = {
    month: monthStart(now, zone).getTime(),
    days: Array.from({ length: shownDays }, (_, i) =>
      startOfDay(addDays(today, i + 1 - shownDays), zone).getTime(),
    ),
  }
  calendars.set(key, calendar)
  return calendar
}

const earliest = (instants: readonly number[]) => new Date(Math.min(...instants))

function byTenant(slots: readonly Slot[]): ReadonlyMap<string, Slot[]> {
  return Map.groupBy(slots, ({ tenantId }) => tenantId)
}

function perDay(slots: readonly Slot[], { days }: Calendar): number[] {
  const sums = days.map(() => 0)
  for (const { at, amount } of slots) {
    const day = days.findLastIndex((begin) => at >= begin)
    if (day >= 0) sums[day] = (sums[day] as number) + amount
  }
  return sums
}
