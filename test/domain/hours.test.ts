import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  dueAfter,
  officeHours,
  type WorkingHours,
} from '../../packages/core/src/domain/work/approvals/hours.ts'
import { instantAt } from '../../packages/core/src/kernel/periods.ts'

const hour = 3_600_000
const never = new Date('2030-01-01T00:00:00Z')
const sundayNights: WorkingHours = { days: [7], from: 0, until: 6 * 60 }
const always: WorkingHours = { days: [1, 2, 3, 4, 5, 6, 7], from: 0, until: 24 * 60 - 1 }

describe('dueAfter', () => {
  it.each([
    ['the same day', 'Europe/London', '2026-04-13T09:00Z', 4, '2026-04-13T13:00Z', officeHours],
    ['up to the last minute', 'Europe/London', '2026-04-13T08:00Z', 9, '2026-04-13T17:00Z', officeHours],
    ['the next day', 'Europe/London', '2026-04-13T15:00Z', 4, '2026-04-14T10:00Z', officeHours],
    ['over a weekend', 'Europe/London', '2026-04-10T09:00Z', 9, '2026-04-13T09:00Z', officeHours],
    ['asked on a Saturday', 'Europe/London', '2026-04-11T12:00Z', 2, '2026-04-13T10:00Z', officeHours],
    ['asked before work', 'Europe/London', '2026-04-13T05:00Z', 2, '2026-04-13T10:00Z', officeHours],
    ['asked after work', 'Europe/London', '2026-04-16T18:00Z', 2, '2026-04-17T10:00Z', officeHours],
    ['in a zone of half hours', 'Asia/Kolkata', '2026-04-13T12:00Z', 2, '2026-04-14T05:00Z', officeHours],
    ['where it is another day', 'Pacific/Auckland', '2026-04-12T22:00Z', 2, '2026-04-13T00:00Z', officeHours],
    ['clocks forward over it', 'Europe/Berlin', '2026-03-27T16:00Z', 4, '2026-03-30T10:00Z', officeHours],
    ['clocks back over it', 'America/New_York', '2026-10-30T21:00Z', 4, '2026-11-02T17:00Z', officeHours],
    ['clocks forward within', 'Europe/Berlin', '2026-03-28T23:00Z', 5, '2026-03-29T04:00Z', sundayNights],
    ['a short night over', 'Europe/Berlin', '2026-03-28T23:00Z', 5.5, '2026-04-04T22:30Z', sundayNights],
    ['clocks back within', 'Europe/Berlin', '2026-10-24T22:00Z', 7, '2026-10-25T05:00Z', sundayNights],
    ['a long night over', 'Europe/Berlin', '2026-10-24T22:00Z', 7.5, '2026-10-31T23:30Z', sundayNights],
  ])('%s: %s, %s and %d h is %s', (_, zone, since, hours, expected, when) => {
    expect(dueAfter(new Date(since), hours * hour, when, zone, never)).toEqual(new Date(expected))
  })

  it('is never later than the limit', () => {
    const limit = new Date('2026-04-11T10:00Z')
    expect(dueAfter(new Date('2026-04-10T16:00Z'), 4 * hour, officeHours, 'Europe/London', limit)).toBe(limit)
  })

  it('is additive: two parts result in the same as the whole, in any zone and over clock changes', () => {
    const part = fc.integer({ min: 1, max: 40 * 60 }).map((minutes) => minutes * 60_000)
    fc.assert(
      fc.property(
        fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata'),
        fc.constantFrom(officeHours, sundayNights, always),
        fc.integer({ min: 0, max: 365 * 24 * 60 }).map((n) => Date.UTC(2026, 0, 1) + n * 60_000),
        part,
        part,
        (zone, when, since, one, other) => {
          const first = dueAfter(new Date(since), one, when, zone, never)
          const both = dueAfter(new Date(since), one + other, when, zone, never)
          expect(dueAfter(first, other, when, zone, never)).toEqual(both)
          expect(first.getTime()).toBeGreaterThanOrEqual(since + one)
        },
      ),
      { numRuns: 60 },
    )
  })
})

describe('instantAt', () => {
  it.each([
    ['Europe/Berlin', '2026-07-01', 9 * 60, '2026-07-01T07:00Z'],
    ['Europe/Berlin', '2026-01-01', 9 * 60, '2026-01-01T08:00Z'],
    ['Europe/Berlin', '2026-03-29', 3 * 60, '2026-03-29T01:00Z'],
    ['America/New_York', '2026-11-01', 9 * 60, '2026-11-01T14:00Z'],
  ])('%s, %s at minute %d is %s', (zone, day, minute, expected) => {
    expect(instantAt(day, minute, zone)).toEqual(new Date(expected))
  })
})
