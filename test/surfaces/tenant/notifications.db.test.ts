import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { readStream } from '../../kit/sse.ts'
import { tell } from '../notified.ts'

const clock = createTestClock()
let app: TestApp
let ours: Team
let theirs: Team

beforeAll(async () => {
  app = await createTestApp({ clock, worker: false })
  ;[ours, theirs] = [await app.team(), await app.team()]
})

afterAll(() => app[Symbol.asyncDispose]())

const tellAdmin = async (team: Team, title: string) => {
  // Ids are in the order of time.
  clock.advance(1)
  await tell(app, { tenantId: team.tenantId, to: [team.adminId], title })
  // Events of another process are looked for once a second.
  clock.advance(1_100)
}

describe('tenant.notifications.list', () => {
  it('pages through the user’s notifications by cursor, newest first, and counts unread ones', async () => {
    for (const title of ['1', '2', '3', '4', '5']) await tellAdmin(ours, title)
    await tellAdmin(theirs, 'Theirs')
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const query = { limit: 2, ...(cursor && { cursor }) }
      const page = await ours.admin.call('tenant', 'GET /notifications', { query })
      expect(page.unreadCount).toBe(5)
      seen.push(...page.data.map(({ title }) => title))
      cursor = page.pagination.nextCursor ?? undefined
      // What comes meanwhile moves nothing.
      if (seen.length > 2) continue
      await tellAdmin(ours, 'New')
      await app.db.write((tx) => tx.run("update notifications set read = true where title = 'New'"))
    } while (cursor)
    expect(seen).toEqual(['5', '4', '3', '2', '1'])
    expect(await ours.member.call('tenant', 'GET /notifications')).toMatchObject({ data: [], unreadCount: 0 })
    const marked = await ours.admin.call('tenant', 'PATCH /notifications/read', { body: {} })
    expect(marked).toEqual({ marked: 5 })
    const unread = await ours.admin.call('tenant', 'GET /notifications', { query: { 'filter.read': false } })
    expect(unread.data).toEqual([])
  })
})

const get = (team: Team) => team.admin.call('tenant', 'GET /notifications/preferences')
const loud = { inbox: true, push: false, mail: true }
const put = (team: Team, body: object) =>
  team.admin.call('tenant', 'PUT /notifications/preferences', { body: body as never })

describe('tenant.notifications.preferences', () => {
  it('returns defaults until the user sets preferences, separately for each user', async () => {
    const usual = await get(ours)
    expect(usual.quietHours).toBeNull()
    expect(Object.keys(usual.ways)).toHaveLength(6)
    expect(new Set(Object.values(usual.ways).map((way) => JSON.stringify(way)))).toEqual(
      new Set(['{"inbox":true,"push":true,"mail":false}']),
    )
    const set = await put(ours, { ways: { budget_alert: loud }, quietHours: null })
    expect(await get(ours)).toEqual(set)
    expect(await get(theirs)).toEqual(usual)
  })
})

describe('tenant.notifications.set_preferences', () => {
  it('replaces all preferences of a user', async () => {
    const { ways } = await get(theirs)
    const set = await put(ours, { ways: { budget_alert: loud }, quietHours: { from: '22:00', to: '07:00' } })
    expect(set).toEqual({
      ways: { ...ways, budget_alert: loud },
      quietHours: { from: '22:00', to: '07:00' },
    })
    expect(await get(ours)).toEqual(set)
    const zoned = { from: '23:30', to: '06:15', timezone: 'Asia/Kolkata' }
    expect((await put(ours, { ways: {}, quietHours: zoned })).quietHours).toEqual(zoned)
    expect(await put(ours, { ways: {}, quietHours: null })).toEqual({ ways, quietHours: null })
  })

  it('rejects invalid preferences, and stores none of them', async () => {
    const before = await app.db.sql.all('select * from notification_preferences')
    for (const [body, field] of [
      [{ ways: {} }, 'quietHours'],
      [{ quietHours: null }, 'ways'],
      [{ ways: { budget_alert: { inbox: true } }, quietHours: null }, 'ways.budget_alert.push'],
      [{ ways: {}, quietHours: { from: '24:00', to: '07:00' } }, 'quietHours.from'],
      [{ ways: {}, quietHours: { from: '7:00', to: '08:00' } }, 'quietHours.from'],
      [{ ways: {}, quietHours: { from: '07:00', to: '07:00' } }, 'quietHours.to'],
      [
        { ways: {}, quietHours: { from: '07:00', to: '08:00', timezone: 'Mars/Base' } },
        'quietHours.timezone',
      ],
    ] as const)
      await expect(put(ours, body)).rejects.toMatchObject({ status: 400, code: 'VALIDATION_ERROR', field })
    expect(await app.db.sql.all('select * from notification_preferences')).toEqual(before)
  })
})

describe('tenant.notifications.stream', () => {
  it('streams the user’s notifications only, and resumes', async () => {
    const watch = (lastEventId: string) =>
      app.fetch('/tenant/v1/notifications/stream', {
        headers: { authorization: `Bearer ${ours.adminToken}`, 'last-event-id': lastEventId },
      })
    const is = (title: string) => (told: { data: Record<string, unknown> }) => told.data['title'] === title
    await tellAdmin(ours, 'Earlier')
    await tellAdmin(theirs, 'A secret')
    await tellAdmin(ours, 'Later')
    const first = await readStream(await watch('0'), is('Earlier'))
    expect(first.at(-1)).toMatchObject({
      event: 'notification',
      data: { read: false, deepLink: expect.stringMatching(/^copydesk:/) },
    })
    const live = await watch(first.at(-1)?.id ?? '')
    const following = readStream(live, is('Live'))
    await tellAdmin(theirs, 'Another secret')
    await tellAdmin(ours, 'Live')
    expect((await following).map(({ data }) => data['title'])).toEqual(['Later', 'Live'])
  })
})
