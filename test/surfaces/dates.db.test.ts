import type { EndpointInfo } from '@copydesk/core'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { describeSurfaces } from '../../packages/core/src/surfaces/describe.ts'
import { datesOutside, type InputField, inputFields, isForDates, withValueAt } from '../kit/input-fields.ts'
import { callerFor, inputFor } from '../kit/inputs.ts'
import { createRequester } from '../kit/requester.ts'
import { createSeededInstance, type SeededInstance } from '../kit/seeded-instance.ts'

/** Dates from outside: bounded at every endpoint, no range without an end, and stored as they were sent. */

let instance: SeededInstance
let door: ReturnType<typeof createRequester>

beforeAll(async () => {
  instance = await createSeededInstance()
  door = createRequester(instance)
})

// The limits of callers have tests of their own.
beforeEach(() => instance.clock.advance(900_000))

afterAll(() => instance[Symbol.asyncDispose]())

const endpoints = describeSurfaces()
const endpoint = (id: string) => endpoints.find((info) => info.id === id) as EndpointInfo

/** A right request of someone who may ask, with some fields of it changed. */
function ask(info: EndpointInfo, { query, body }: { query?: Record<string, string>; body?: object }) {
  const input = inputFor(instance, info)
  return door.ask(info, {
    ...input,
    ...(query && { query: { ...input.query, ...query } }),
    ...(body && { body: { ...(input.body as object), ...body } }),
    authorization: callerFor(instance, info, input),
  })
}

const refusal = ({ text }: { text: string }) =>
  (JSON.parse(text) as { error: { code: string; field: string; message: string } }).error

const dated = endpoints.flatMap((info): [string, EndpointInfo, InputField][] => {
  const fields = new Map(
    inputFields(info)
      .filter(isForDates)
      .map((field) => [field.path.join('.'), field]),
  )
  return [...fields].map(([name, field]) => [`${info.method} ${info.path} ${name}`, info, field])
})

describe.each(dated)('%s', (_, info, { where, path }) => {
  it('rejects dates outside of 1970 to 2999 with 400 and the name of the field', async () => {
    for (const date of datesOutside) {
      const given = inputFor(instance, info)[where]
      const answer = await ask(info, { [where]: withValueAt(given, path, date) as object })
      expect(answer.summary, date).toBe('400 VALIDATION_ERROR')
      expect(refusal(answer), date).toMatchObject({
        field: path.join('.').replaceAll('*', '0'),
        message: expect.stringMatching(/1970-01(?:-01)? to 2999-12(?:-31)?/),
      })
    }
  })
})

const reports = ['dashboard.analytics.spend', 'admin.cost', 'cli.cost'].map(
  (id) => [id, endpoint(id)] as const,
)

describe.each(reports)('the days of %s', (_, info) => {
  it.each([
    { startDate: '9999-12-31' },
    { startDate: '0000-01-01', endDate: '0099-12-31' },
    { endDate: '0001-01-01T00:00:00Z' },
    { startDate: '0999-12-31', endDate: '1000-01-01' },
  ])('are rejected at once for $startDate to $endDate', async (query) => {
    const answer = await ask(info, { query: query as Record<string, string> })
    expect(answer.summary).toBe('400 VALIDATION_ERROR')
  })

  it.each([
    ['2999-12-31', '2999-12-31', 1],
    ['1970-01-01', '1970-01-01', 1],
    ['1970-01-01', '1970-12-31', 365],
    ['2998-12-31', '2999-12-31', 366],
  ])('are each returned once from %s to %s', async (startDate, endDate, count) => {
    const answer = await ask(info, { query: { startDate, endDate } })
    expect(answer.status).toBe(200)
    const { dailySeries } = JSON.parse(answer.text) as { dailySeries: { date: string }[] }
    const days = dailySeries.map(({ date }) => date)
    expect(days).toEqual([...new Set(days)].toSorted())
    expect([days[0], days.at(-1), days.length]).toEqual([startDate, endDate, count])
  })

  it('are at most 366, as the error message says', async () => {
    for (const query of [
      { startDate: '2024-01-01', endDate: '2025-01-01' },
      { startDate: '1970-01-01', endDate: '2999-12-31' },
      { startDate: '1970-01-01' },
    ] as Record<string, string>[]) {
      const answer = await ask(info, { query })
      expect(refusal(answer)).toMatchObject({
        code: 'VALIDATION_ERROR',
        field: 'startDate',
        message: expect.stringContaining('366'),
      })
    }
  })
})

describe('the first and the last date', () => {
  it.each([
    ['1970-01-01', '1970-12-31'],
    ['2998-01-01', '2999-12-31'],
  ])('are returned unchanged in a goal, with figures: %s to %s', async (periodStart, periodEnd) => {
    const created = await ask(endpoint('tenant.goals.create'), { body: { periodStart, periodEnd } })
    expect(created.status).toBe(201)
    const { id } = JSON.parse(created.text) as { id: string }
    const listed = await ask(endpoint('tenant.goals.list'), {})
    const goals = (JSON.parse(listed.text) as { data: { id: string }[] }).data
    expect(goals.find((goal) => goal.id === id)).toMatchObject({ periodStart, periodEnd })
    const shown = await ask(endpoint('dashboard.analytics.performance'), {})
    expect(shown.status).toBe(200)
    const figures = (JSON.parse(shown.text) as { data: { goalId: string; period: object }[] }).data
    expect(figures.find(({ goalId }) => goalId === id)?.period).toEqual({
      start: periodStart,
      end: periodEnd,
    })
  })

  it('are returned unchanged in a campaign', async () => {
    const dates = { startDate: '1970-01-01', endDate: '2999-12-31' }
    const created = await ask(endpoint('dashboard.campaigns.create'), { body: dates })
    expect(created.status).toBe(201)
    const { id } = JSON.parse(created.text) as { id: string }
    const listed = await ask(endpoint('dashboard.campaigns.list'), {})
    const campaigns = (JSON.parse(listed.text) as { data: { id: string }[] }).data
    expect(campaigns.find((campaign) => campaign.id === id)).toMatchObject(dates)
  })

  it.each(['1970-01-01T00:00:00.000Z', '2999-12-31T23:59:59.999Z'])(
    'are returned unchanged in a request: %s',
    async (scheduleFor) => {
      const info = endpoint('dashboard.social_requests.create')
      const created = await ask(info, { body: { scheduleFor, topic: scheduleFor } })
      expect(created.status).toBe(201)
      const listed = await ask(endpoint('dashboard.social_requests.list'), {})
      const requests = (JSON.parse(listed.text) as { data: { topic: string; scheduleFor?: string }[] }).data
      expect(requests.find(({ topic }) => topic === scheduleFor)).toMatchObject({ scheduleFor })
    },
  )

  it('is returned unchanged in an API key', async () => {
    const expiresAt = '2999-12-31T23:59:59.999Z'
    const created = await ask(endpoint('admin.api_keys.create'), { body: { expiresAt } })
    expect(JSON.parse(created.text)).toMatchObject({ expiresAt })
    const listed = await ask(endpoint('admin.api_keys.list'), {})
    const { data } = JSON.parse(listed.text) as { data: { expiresAt: string | null }[] }
    expect(data.map((key) => key.expiresAt)).toContain(expiresAt)
  })
})

describe('a recurring template', () => {
  it.each(['0 0 30 2 *', '0 0 31 2,4,6,9,11 *', '* * 31 2 *', '0 0 31 6 *'])(
    'that is never due is rejected: %s',
    async (cron) => {
      const answer = await ask(endpoint('admin.recurring_templates.create'), { body: { cron } })
      expect(answer.summary).toBe('400 VALIDATION_ERROR')
      expect(refusal(answer).field).toBe('cron')
    },
  )

  it.each(['0-99999999999 * * * *', '*/0 * * * *', '*/1e308 * * * *', '0 0 1-1e308 * *', '-1 * * * *'])(
    'with invalid numbers is rejected: %s',
    async (cron) => {
      const answer = await ask(endpoint('admin.recurring_templates.create'), { body: { cron } })
      expect(answer.summary).toBe('400 VALIDATION_ERROR')
      expect(refusal(answer).field).toBe('cron')
    },
  )
})
