import { describe, expect, it } from 'vitest'
import { spanIn } from '../../../packages/core/src/domain/language/spans.ts'
import { untilIn } from '../../../packages/core/src/domain/language/until.ts'

/** A Friday. */
const today = '2026-04-10'

describe('spanIn', () => {
  it.each([
    ['today', '2026-04-10', '2026-04-10'],
    ['yesterday', '2026-04-09', '2026-04-09'],
    ['this week', '2026-04-06', '2026-04-10'],
    ['last week', '2026-03-30', '2026-04-05'],
    ['this month', '2026-04-01', '2026-04-10'],
    ['month to date', '2026-04-01', '2026-04-10'],
    ['last month', '2026-03-01', '2026-03-31'],
    ['this year', '2026-01-01', '2026-04-10'],
    ['the last 7 days', '2026-04-04', '2026-04-10'],
    ['the past 2 weeks', '2026-03-28', '2026-04-10'],
    ['since monday', '2026-04-06', '2026-04-10'],
    ['since friday', '2026-04-03', '2026-04-10'],
    ['since yesterday', '2026-04-09', '2026-04-10'],
    ['since february', '2026-02-01', '2026-04-10'],
    ['since may', '2025-05-01', '2026-04-10'],
    ['since 3rd of april', '2026-04-03', '2026-04-10'],
    ['since 2026-03-15', '2026-03-15', '2026-04-10'],
    ['in february', '2026-02-01', '2026-02-28'],
    ['in april', '2026-04-01', '2026-04-10'],
    ['in december', '2025-12-01', '2025-12-31'],
    ['on 2026-04-02', '2026-04-02', '2026-04-02'],
    ['from 2026-01-05 to 2026-01-09', '2026-01-05', '2026-01-09'],
  ])('%s', (words, from, to) => {
    expect(spanIn(`what did it cost ${words}`, today)).toMatchObject({ from, to })
  })

  it.each(['what did it cost', 'from 2026-05-01 to 2026-04-01', 'since 2026-02-30', 'on 2026-13-01'])(
    'finds none in %s',
    (words) => {
      expect(spanIn(words, today)).toBeUndefined()
    },
  )
})

describe('untilIn', () => {
  const now = new Date('2026-04-10T09:30:00Z')

  it.each([
    ['for 2 hours', '2026-04-10T11:30:00Z'],
    ['for half an hour', '2026-04-10T10:00:00Z'],
    ['for a day', '2026-04-11T09:30:00Z'],
    ['until tomorrow', '2026-04-11T07:00:00Z'],
    ['until tomorrow 3pm', '2026-04-11T13:00:00Z'],
    ['until monday', '2026-04-13T07:00:00Z'],
    ['till next week', '2026-04-13T07:00:00Z'],
    ['until 17:15', '2026-04-10T15:15:00Z'],
    ['until 8am', '2026-04-11T06:00:00Z'],
    ['until 12am', '2026-04-10T22:00:00Z'],
    ['until 2026-05-01', '2026-05-01T07:00:00Z'],
    ['until 2026-05-01t10:00:00.000z', '2026-05-01T10:00:00Z'],
  ])('%s, in Berlin', (words, at) => {
    expect(untilIn(`snooze it ${words}`, now, today, 'Europe/Berlin')).toEqual(new Date(at))
  })

  it.each(['', 'until 2026-04-01', 'until 2026-02-30', 'until never'])('finds none in "%s"', (words) => {
    expect(untilIn(`snooze it ${words}`, now, today, 'Europe/Berlin')).toBeUndefined()
  })
})
