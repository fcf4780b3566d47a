import { describe, expect, it } from 'vitest'
import { quietUntil } from '../../../packages/core/src/domain/people/notifications/quiet-hours.ts'

const berlin = 'Europe/Berlin'

describe('quietUntil', () => {
  it.each([
    // Over midnight, in winter (UTC+1).
    ['22:00', '07:00', berlin, '2026-01-10T20:59:59Z', undefined],
    ['22:00', '07:00', berlin, '2026-01-10T21:00:00Z', '2026-01-11T06:00:00Z'],
    ['22:00', '07:00', berlin, '2026-01-11T05:59:59.999Z', '2026-01-11T06:00:00Z'],
    ['22:00', '07:00', berlin, '2026-01-11T06:00:00Z', undefined],
    // Within a day, to the minute.
    ['12:07', '13:11', 'UTC', '2026-01-10T12:06:59Z', undefined],
    ['12:07', '13:11', 'UTC', '2026-01-10T12:07:30Z', '2026-01-10T13:11:00Z'],
    ['00:00', '23:59', 'UTC', '2026-01-10T00:00:00Z', '2026-01-10T23:59:00Z'],
    ['23:59', '00:00', 'UTC', '2026-01-10T23:59:30Z', '2026-01-11T00:00:00Z'],
    ['07:00', '06:59', 'UTC', '2026-01-10T07:00:00Z', '2026-01-11T06:59:00Z'],
    // The night in which the clock goes from 02:00 to 03:00 is an hour shorter.
    ['22:00', '07:00', berlin, '2026-03-28T21:30:00Z', '2026-03-29T05:00:00Z'],
    // An end that the clock never shows: they end when it jumps over it.
    ['22:00', '02:30', berlin, '2026-03-28T23:00:00Z', '2026-03-29T01:00:00Z'],
    // Hours that the clock never shows.
    ['02:10', '02:50', berlin, '2026-03-29T00:59:00Z', undefined],
    ['02:10', '02:50', berlin, '2026-03-29T01:00:00Z', undefined],
    // The night in which the clock goes from 03:00 back to 02:00 is an hour longer.
    ['22:00', '07:00', berlin, '2026-10-24T20:00:00Z', '2026-10-25T06:00:00Z'],
    // Half past two comes twice, and so do the hours around it.
    ['22:00', '02:30', berlin, '2026-10-24T23:00:00Z', '2026-10-25T00:30:00Z'],
    ['22:00', '02:30', berlin, '2026-10-25T00:45:00Z', undefined],
    ['22:00', '02:30', berlin, '2026-10-25T01:15:00Z', '2026-10-25T01:30:00Z'],
    ['02:15', '02:45', berlin, '2026-10-25T01:20:00Z', '2026-10-25T01:45:00Z'],
    // A clock that is put forward by half an hour, and zones off the hour.
    ['22:00', '07:00', 'Australia/Lord_Howe', '2026-10-03T12:00:00Z', '2026-10-03T20:00:00Z'],
    ['22:00', '07:00', 'Asia/Kathmandu', '2026-01-10T17:00:00Z', '2026-01-11T01:15:00Z'],
    ['22:00', '07:00', 'America/St_Johns', '2026-01-10T02:00:00Z', '2026-01-10T10:30:00Z'],
  ])('%s to %s in %s, at %s: %s', (from, to, timezone, now, end) => {
    expect(quietUntil({ from, to, timezone }, new Date(now))?.toISOString()).toBe(
      end && new Date(end).toISOString(),
    )
  })
})
