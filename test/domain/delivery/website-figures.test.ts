import { describe, expect, it } from 'vitest'
import {
  type DayOfPage,
  pageKey,
  withoutDoubles,
} from '../../../packages/core/src/domain/delivery/publishing/website/figures.ts'
import { searchConsole } from '../../../packages/core/src/domain/delivery/publishing/website/sources/search-console.ts'
import { webAnalytics } from '../../../packages/core/src/domain/delivery/publishing/website/sources/web-analytics.ts'

describe('the name of a page', () => {
  it('is the same for every address of it, and another one for another page', () => {
    const names = [
      'https://oats.example/rye',
      'http://WWW.oats.example/rye/',
      'https://oats.example:8443/rye/#part',
    ].map(pageKey)
    expect(names).toEqual(['oats.example/rye', 'oats.example/rye', 'oats.example/rye'])
    expect(pageKey('https://oats.example/')).toBe('oats.example')
    expect(pageKey('https://oats.example/Rye')).toBe('oats.example/Rye')
  })

  it('is none where no source could tell the page', () => {
    for (const url of ['', 'rye', 'https://', 'mailto:ada@oats.example', 'https://oats.example/?p=12'])
      expect(pageKey(url), url).toBeNull()
  })
})

describe('figures under several addresses of a page', () => {
  it('are added up, and each place counts as often as it was shown', () => {
    const of = (figures: DayOfPage['figures'], day = '2026-04-01'): DayOfPage => ({ day, page: 'a', figures })
    const days = [
      of({ views: 1, sessions: 1 }),
      of({ views: 2 }),
      of({ searchImpressions: 30, searchClicks: 1, searchPlaceMilli: 4_000 }, '2026-04-02'),
      of({ searchImpressions: 10, searchClicks: 2, searchPlaceMilli: 8_000 }, '2026-04-02'),
    ]
    expect(withoutDoubles(days)).toEqual([
      of({ views: 3, sessions: 1 }),
      of({ searchImpressions: 40, searchClicks: 3, searchPlaceMilli: 5_000 }, '2026-04-02'),
    ])
  })
})

describe('the days that are asked for', () => {
  // 20:00 on the evening before in California.
  const now = new Date('2026-04-10T03:00:00Z')

  it('are four weeks at first and never more, however long nothing was asked', () => {
    for (const known of [null, '2001-01-01']) {
      expect(webAnalytics.due(now, known)).toEqual({ from: '2026-03-13', to: '2026-04-09' })
      expect(searchConsole.due(now, known)).toEqual({ from: '2026-03-10', to: '2026-04-06' })
    }
  })

  it('are later those that may still change, or none', () => {
    expect(webAnalytics.due(now, '2026-04-09')).toEqual({ from: '2026-04-06', to: '2026-04-09' })
    expect(searchConsole.due(now, '2026-04-05')).toEqual({ from: '2026-04-06', to: '2026-04-06' })
    expect(searchConsole.due(now, '2026-04-06')).toBeNull()
  })
})
