import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { progressOf } from '../../packages/core/src/domain/work/campaigns/policy.ts'
import {
  addDays,
  dayIn,
  daysBetween,
  firstOfMonth,
  lastOfMonth,
  monthStart,
  periodOf,
  startOfDay,
} from '../../packages/core/src/kernel/periods.ts'

const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'))
const days = fc.integer({ min: 0, max: 20 * 365 }).map((count) => addDays('2020-01-01', count))

describe('dayIn', () => {
  it('counts the day in the zone of the tenant', () => {
    const instant = new Date('2026-03-31T22:30:00Z')
    expect(dayIn(instant, 'UTC')).toBe('2026-03-31')
    expect(dayIn(instant, 'Europe/Berlin')).toBe('2026-04-01')
    expect(dayIn(instant, 'America/Los_Angeles')).toBe('2026-03-31')
    expect(dayIn(new Date('2026-03-31T10:30:00Z'), 'Pacific/Kiritimati')).toBe('2026-04-01')
  })
})

describe('startOfDay', () => {
  it('is the first moment of the day in every zone, on every day', () => {
    fc.assert(
      fc.property(zones, days, (zone, day) => {
        const start = startOfDay(day, zone)
        expect(dayIn(start, zone)).toBe(day)
        expect(dayIn(new Date(start.getTime() - 1), zone)).toBe(addDays(day, -1))
      }),
      { numRuns: 500 },
    )
  })

  it('is right where clocks change at midnight', () => {
    expect(startOfDay('2026-03-29', 'Europe/Berlin').toISOString()).toBe('2026-03-28T23:00:00.000Z')
    expect(startOfDay('2026-03-30', 'Europe/Berlin').toISOString()).toBe('2026-03-29T22:00:00.000Z')
    // Midnight does not exist in Beirut on that day: 00:00 is 01:00.
    expect(startOfDay('2025-03-30', 'Asia/Beirut').toISOString()).toBe('2025-03-29T22:00:00.000Z')
    // Midnight comes twice in Havana: the day begins at the first.
    expect(startOfDay('2025-11-02', 'America/Havana').toISOString()).toBe('2025-11-02T04:00:00.000Z')
  })
})

describe('monthStart', () => {
  it('is the start of the first day of the month in the zone', () => {
    const instant = new Date('2026-04-30T23:30:00Z')
    expect(monthStart(instant, 'UTC').toISOString()).toBe('2026-04-01T00:00:00.000Z')
    expect(monthStart(instant, 'Asia/Kolkata').toISOString()).toBe('2026-04-30T18:30:00.000Z')
  })
})

describe('lastOfMonth', () => {
  it('knows leap years', () => {
    expect(lastOfMonth('2028-02-10')).toBe('2028-02-29')
    expect(lastOfMonth('2027-02-10')).toBe('2027-02-28')
    expect(lastOfMonth('2100-02-10')).toBe('2100-02-28')
    expect(lastOfMonth('2026-12-31')).toBe('2026-12-31')
  })

  it('is followed by the first of another month', () => {
    fc.assert(
      fc.property(days, (day) => {
        const next = addDays(lastOfMonth(day), 1)
        expect(next).toBe(firstOfMonth(next))
        expect(next > day).toBe(true)
      }),
    )
  })
})

describe('periodOf', () => {
  it('covers every day of a campaign with exactly one period, without gaps', () => {
    fc.assert(
      fc.property(days, fc.integer({ min: 0, max: 400 }), (startDate, length) => {
        const endDate = addDays(startDate, length)
        const campaign = { startDate, endDate }
        let covered = 0
        for (let day = startDate; day <= endDate; ) {
          const period = periodOf(day, campaign)
          expect(period?.periodStart).toBe(day)
          const last = period?.periodEnd as string
          expect(periodOf(last, campaign)).toEqual(period)
          covered += daysBetween(day, last)
          day = addDays(last, 1)
        }
        expect(covered).toBe(length + 1)
        expect(periodOf(addDays(startDate, -1), campaign)).toBeUndefined()
        expect(periodOf(addDays(endDate, 1), campaign)).toBeUndefined()
      }),
    )
  })
})

describe('progressOf', () => {
  const month = { periodStart: '2026-06-01', periodEnd: '2026-06-30', target: 10 }

  it('is behind only when it is over and activities are missing', () => {
    const nothing = { ...month, completed: 0, inProgress: 0 }
    expect(progressOf(nothing, '2026-06-30')).toBe('at_risk')
    expect(progressOf(nothing, '2026-07-01')).toBe('missed')
    expect(progressOf({ ...nothing, completed: 10 }, '2026-07-01')).toBe('on_track')
  })

  it('compares results with the share of days that has passed', () => {
    expect(progressOf({ ...month, completed: 0, inProgress: 0 }, '2026-06-01')).toBe('on_track')
    expect(progressOf({ ...month, completed: 4, inProgress: 0 }, '2026-06-15')).toBe('at_risk')
    expect(progressOf({ ...month, completed: 4, inProgress: 1 }, '2026-06-15')).toBe('on_track')
  })
})
