import { describe, expect, it } from 'vitest'
import { money } from '../../../packages/core/src/domain/delivery/ads/changes/policy.ts'

describe('money', () => {
  it.each([
    [20_000_000, 'USD', '20.00 USD'],
    [125_000, 'USD', '0.125 USD'],
    [4_000, 'EUR', '0.004 EUR'],
    [1_500_000_000, 'JPY', '1500 JPY'],
    [1_500_500_000, 'JPY', '1500.5 JPY'],
    [1_250_000, 'KWD', '1.250 KWD'],
    [999_999_999_999, 'USD', '999999.999999 USD'],
    [null, 'USD', 'nothing'],
    ['paused', 'USD', 'paused'],
  ])('shows %s micros of %s as people have to approve them', (micros, currency, shown) => {
    expect(money(micros, currency)).toBe(shown)
  })
})
