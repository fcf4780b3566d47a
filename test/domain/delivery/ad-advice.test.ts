import { expect, it } from 'vitest'
import { adAdviceOn, type Situation } from '../../../packages/core/src/domain/delivery/ads/advice/policy.ts'

const quiet: Situation = {
  currency: 'EUR',
  from: '2026-10-29',
  to: '2026-11-27',
  dailyBudgetMicros: null,
  budgetShared: false,
  budgetUnit: undefined,
  costMicros: 0,
  conversionMicros: 0,
  weekCostMicros: 0,
  weekConversionMicros: 0,
  keywords: [],
  terms: [],
}
const term = (words: string) => ({ term: words, clicks: 5, costMicros: 2_000_000, conversionMicros: 0 })

it('speaks of one wasted search as of one, and of several as of several', () => {
  expect(adAdviceOn({ ...quiet, terms: [term('free bread')] })).toMatchObject([
    {
      title: 'Show no ads for 1 search',
      rationale:
        '1 search term was sorted as negative. It had cost 2.00 EUR without a conversion up to 2026-11-27: “free bread”.',
      suggestedAction: 'Make it a negative keyword of the campaign (exact)',
    },
  ])
  expect(adAdviceOn({ ...quiet, terms: [term('free bread'), term('bread jobs')] })).toMatchObject([
    {
      title: 'Show no ads for 2 searches',
      rationale: expect.stringContaining(
        '2 search terms were sorted as negative. They had cost 4.00 EUR',
      ) as string,
      suggestedAction: 'Make them negative keywords of the campaign (exact)',
    },
  ])
})
