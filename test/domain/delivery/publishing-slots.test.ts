import { describe, expect, it } from 'vitest'
import { slotsAfter } from '../../../packages/core/src/domain/delivery/publishing/plan/slots.ts'

const zone = 'Europe/Berlin'
const first = (now: string, days: number[], times: string[], count: number) =>
  slotsAfter(new Date(now), { days, times, timezone: zone })
    .slice(0, count)
    .map((at) => at.toISOString())

describe('slotsAfter', () => {
  it('keeps the time of the clock when clocks are changed', () => {
    // 29 March 2026 is the Sunday on which clocks go from 02:00 to 03:00, 25 October the one on which 02:00 comes twice.
    expect(first('2026-03-27T12:00:00Z', [1, 5, 7], ['09:00'], 3)).toEqual([
      '2026-03-29T07:00:00.000Z',
      '2026-03-30T07:00:00.000Z',
      '2026-04-03T07:00:00.000Z',
    ])
    expect(first('2026-10-23T12:00:00Z', [5, 7], ['09:00'], 2)).toEqual([
      '2026-10-25T08:00:00.000Z',
      '2026-10-30T08:00:00.000Z',
    ])
  })

  it('has one slot for a time that there is not, or twice', () => {
    expect(first('2026-03-28T12:00:00Z', [7], ['02:30'], 1)).toEqual(['2026-03-29T01:30:00.000Z'])
    expect(first('2026-10-24T12:00:00Z', [7], ['02:30'], 2)).toHaveLength(2)
  })

  it('has none that is over, and none without days or times', () => {
    expect(first('2026-04-10T07:00:00Z', [5], ['09:00', '15:00'], 2)).toEqual([
      '2026-04-10T13:00:00.000Z',
      '2026-04-17T07:00:00.000Z',
    ])
    expect(first('2026-04-10T07:00:00Z', [], ['09:00'], 1)).toEqual([])
    expect(first('2026-04-10T07:00:00Z', [1], [], 1)).toEqual([])
  })
})
