import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rateSpans } from '../../../packages/core/src/domain/accounts/billing/usage/rating.ts'

const micros = fc.nat(100_000_000_000)
const usage = fc.record({
  kind: fc.constantFrom('copywriter', 'strategist'),
  isLate: fc.boolean(),
  runs: fc.integer({ min: 1, max: 9 }),
  micros,
})
const part = fc.record({
  includedMicros: fc.option(micros),
  overageAmount: fc.nat(1_000),
  ms: fc.nat(1_000_000_000),
  usage: fc.array(usage, { maxLength: 4 }),
})
const period = fc.array(part, { minLength: 1, maxLength: 8 }).map((parts) => {
  let at = 0
  return parts.map(({ ms, ...span }) => ({ ...span, from: new Date(at), until: new Date((at += ms)) }))
})
const sum = (amounts: readonly number[]) => amounts.reduce((all, one) => all + one, 0)

describe('usage over several plans of a period', () => {
  it('is included at most as far as the plan that includes most would, and every micro-dollar is told of', () => {
    fc.assert(
      fc.property(period, (spans) => {
        const rated = rateSpans(spans)
        expect(rated.map((span) => span.usage.map((one) => one.micros))).toEqual(
          spans.map((span) => span.usage.map((one) => one.micros)),
        )
        const limited = rated.filter(({ includedMicros }) => includedMicros !== null)
        const included = limited.flatMap((span) => span.usage.map((one) => one.includedMicros))
        const most = Math.max(0, ...limited.map(({ includedMicros }) => includedMicros ?? 0))
        // Shares are rounded, each by half a micro-dollar at the most.
        expect(sum(included)).toBeLessThanOrEqual(most + spans.length)
        for (const one of rated.flatMap((span) => span.usage)) {
          expect(one.includedMicros).toBeGreaterThanOrEqual(0)
          expect(one.includedMicros).toBeLessThanOrEqual(one.micros)
          expect(one.amount).toBeGreaterThanOrEqual(0)
        }
        const free = rated.filter(({ includedMicros }) => includedMicros === null)
        expect(sum(free.flatMap((span) => span.usage.map((one) => one.amount)))).toBe(0)
      }),
    )
  })
})
