import { describe, expect, it } from 'vitest'
import { compose, dollarsInReport } from '../../../packages/core/src/domain/insight/reports/compose.ts'
import { figuresOf } from '../../../packages/core/src/domain/insight/reports/figures.ts'

const nobody = { campaign: null, campaignId: null, agent: null }

describe('money in a report', () => {
  it('is exact to the micro-dollar', () => {
    for (const [micros, text] of [
      [0, '$0.00'],
      [1, '$0.000001'],
      [10_000, '$0.01'],
      [1_500_005, '$1.500005'],
      [120_000_000, '$120.00'],
      [1_234_567_891_230, '$1,234,567.89123'],
    ] as const)
      expect(dollarsInReport(micros)).toBe(text)
  })
})

describe('a report', () => {
  it('is consistent: its parts add up to its total', () => {
    const figures = figuresOf([
      { ...nobody, campaignId: 'a', campaign: 'Same', agent: 'Writer', spentMicros: 3, runs: 1 },
      { ...nobody, campaignId: 'b', campaign: 'Same', agent: 'Writer', spentMicros: 4, runs: 2 },
      { ...nobody, agent: 'Analyst', spentMicros: 5, runs: 1, decided: 3, firstPass: 2, edited: 1 },
      { ...nobody, campaignId: 'a', campaign: 'Same', type: 'blog_post', finished: 2 },
    ])
    expect(figures).toMatchObject({
      spentMicros: 12,
      runs: 4,
      finished: 2,
      decided: 3,
      firstPass: 2,
      edited: 1,
    })
    for (const parts of [figures.campaigns, figures.agents])
      expect(parts.reduce((sum, part) => sum + part.spentMicros, 0)).toBe(12)
    expect(figures.campaigns.map(({ label }) => label)).toEqual(['No campaign', 'Same', 'Same'])
    expect(figures.types).toEqual([{ label: 'blog_post', finished: 2 }])
  })

  it('shows names literally, whatever markup they contain', () => {
    const heading = {
      title: '# [x](javascript:alert) | *b*',
      tenantName: '<b>Tenant</b>\n# Not a heading',
      periodStart: '2026-01-01',
      periodEnd: '2026-01-31',
      timezone: 'UTC',
      notes: null,
    }
    const [title, , tenant] = compose(heading, figuresOf([])).split('\n')
    expect(title).toBe('# \\# \\[x\\]\\(javascript:alert\\) \\| \\*b\\*')
    expect(tenant).toContain('\\<b\\>Tenant\\</b\\> \\# Not a heading')
  })
})
