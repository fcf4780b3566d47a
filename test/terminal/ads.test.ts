import { describe, expect, it } from 'vitest'
import { adsPlan, adsShow } from '../../packages/terminal/src/operations/ads.ts'
import { printed } from '../../packages/terminal/src/render/row.ts'

type ChangeSet = Awaited<ReturnType<typeof adsPlan.run>>

const figures = (spend: number, clicks: number, costPerConversion: number | null) => ({
  currency: 'EUR',
  spend,
  impressions: 1_000,
  clicks,
  conversions: costPerConversion === null ? 0 : spend / costPerConversion,
  ctr: clicks / 1_000,
  averageCpc: null,
  costPerConversion,
})

const bid = (before: number, after: number): ChangeSet['items'][number] => ({
  kind: 'keyword_bid',
  label: 'Bid of “rye”',
  before,
  after,
  live: null,
  ad: null,
  state: 'planned',
  reason: null,
  requestId: null,
})

const newAd: ChangeSet['items'][number] = {
  ...bid(0, 0),
  kind: 'ad',
  label: 'A paused ad in “Bread”',
  before: null,
  after: 'paused',
  ad: {
    activityId: '01J9ZX6T4QH8C3V5N7M2K0B1AF',
    contentHash: 'a'.repeat(64),
    headlines: ['Fresh rye bread', 'Baked every night', 'Order before noon'],
    descriptions: ['Rye bread from our own oven.', 'Order before noon.'],
    finalUrl: 'https://oats.example/rye',
  },
}

const set: ChangeSet = {
  id: '01J9ZX6T4QH8C3V5N7M2K0B1AE',
  campaignId: '01J9ZX6T4QH8C3V5N7M2K0B1AD',
  title: 'Bids',
  source: 'plan',
  status: 'applied',
  accountId: '1',
  currency: 'EUR',
  digest: '9'.repeat(64),
  items: [bid(4_000, 5_000), bid(1_250_000, 1_100_000), bid(123_456, 25_000_000)],
  undoOfId: null,
  error: null,
  requestedBy: 'Mia',
  approvedBy: 'Ada',
  approvedOn: null,
  appliedOn: null,
  createdOn: '2026-04-10T09:00:00.000Z',
  outcomes: [
    {
      days: 7,
      measuredOn: '2026-04-18T09:00:00.000Z',
      before: figures(140, 280, 10),
      after: figures(175.5, 350, null),
      otherSets: 1,
    },
  ],
}

const text = (one: ChangeSet) => printed(adsPlan.print(one, { width: 200, now: 0 }), false)

describe('changes made outside, in a shell', () => {
  it('are shown with who, when, and before and after where these are told', () => {
    const outside = [
      {
        id: set.id,
        at: '2026-04-10T09:00:04.000Z',
        who: 'mia@agency.example',
        via: 'google ads web client',
        currency: 'EUR',
        changes: [
          { label: 'Daily budget', before: 20_000_000, after: 26_000_000 },
          { label: 'Ad group: name', before: null, after: null },
        ],
      },
      { id: set.id, at: '2026-04-09T09:00:04.000Z', who: null, via: null, currency: 'EUR', changes: [] },
    ]
    const shown = printed(adsShow.print({ data: [], outside }, { width: 200, now: 0 }), false)
    expect(shown.trimEnd().split('\n')).toEqual([
      'made outside  2026-04-10 09:00 UTC  by mia@agency.example, google ads web client',
      '  Daily budget: 20.00 EUR → 26.00 EUR',
      '  Ad group: name',
      'made outside  2026-04-09 09:00 UTC  by someone',
    ])
    expect(printed(adsShow.print({ data: [], outside: [] }, { width: 200, now: 0 }), false)).toContain(
      'Nothing was changed yet.',
    )
  })
})

describe('a change set in a shell', () => {
  it('shows amounts to the last digit that is approved', () => {
    expect(text(set)).toContain('0.004 EUR → 0.005 EUR')
    expect(text(set)).toContain('1.25 EUR → 1.10 EUR')
    expect(text(set)).toContain('0.123456 EUR → 25.00 EUR')
  })

  it('shows every text of a new ad, and where it leads to', () => {
    const lines = text({ ...set, items: [newAd] }).split('\n')
    expect(lines.slice(1, 8)).toEqual([
      'planned  A paused ad in “Bread”: nothing → paused',
      '  headline     Fresh rye bread',
      '  headline     Baked every night',
      '  headline     Order before noon',
      '  description  Rye bread from our own oven.',
      '  description  Order before noon.',
      '  leads to     https://oats.example/rye',
    ])
  })

  it('shows what followed, and what else was changed', () => {
    expect(text(set)).toContain(
      'after 7 days  spend 140.00 EUR → 175.50 EUR, clicks 280 → 350, conversions 14 → 0, each 10.00 EUR → none  (with 1 other change)',
    )
    expect(text({ ...set, outcomes: [] })).not.toContain('after 7 days')
  })
})
