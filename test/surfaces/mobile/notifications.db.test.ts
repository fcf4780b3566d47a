import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Assembled, assemble } from '../../../packages/core/src/composition/assemble.ts'
import { cleanUp } from '../../../packages/core/src/composition/housekeeping.ts'
import { inboxForApp } from '../../../packages/core/src/domain/people/notifications/inbox-queries.ts'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { type Told, tell } from '../notified.ts'

const day = 86_400_000

const list = (team: Team, query: object = {}) => team.admin.call('mobile', 'GET /notifications', { query })
const read = (team: Team, body: object) => team.admin.call('mobile', 'PATCH /notifications/read', { body })
const titles = ({ data }: { data: Array<{ title: string }> }) => data.map(({ title }) => title)

const clock = createTestClock()
let app: TestApp

beforeAll(async () => {
  app = await createTestApp({ clock, worker: false })
})

afterAll(() => app[Symbol.asyncDispose]())

async function open() {
  const [ours, theirs] = [await app.team(), await app.team()]
  const to = (team: Team, title: string, more: Partial<Told> = {}) => {
    // Ids are in the order of time.
    clock.advance(1)
    return tell(app, { tenantId: team.tenantId, to: [team.adminId], title, ...more })
  }
  return { ours, theirs, to }
}

describe('mobile.notifications.list', () => {
  it('lists the notifications of the user, newest first, with links into the app', async () => {
    const { ours, theirs, to } = await open()
    const subjectId = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
    await to(ours, 'First', { type: 'budget_alert', subjectKind: 'campaigns', subjectId })
    await to(ours, 'Second', { subjectId })
    await to(theirs, 'Theirs')
    const found = await list(ours)
    expect(found.unreadCount).toBe(2)
    expect(found.data).toEqual([
      expect.objectContaining({ title: 'Second', deepLink: `copydesk://approvals/${subjectId}` }),
      {
        id: expect.any(String),
        type: 'budget_alert',
        title: 'First',
        body: 'Look at it.',
        read: false,
        deepLink: `copydesk://campaigns/${subjectId}`,
        createdOn: expect.stringMatching(/Z$/),
      },
    ])
    expect(await ours.member.call('mobile', 'GET /notifications')).toEqual({ data: [], unreadCount: 0 })
    expect(titles(await list(theirs))).toEqual(['Theirs'])
  })

  it('pages, filters by read state, and returns 304 until something changes', async () => {
    const { ours, to } = await open()
    for (const title of ['1', '2', '3', '4', '5']) await to(ours, title)
    const [newest, , third] = (await list(ours)).data
    expect(await read(ours, { ids: [newest?.id, third?.id] })).toEqual({ marked: 2 })
    expect(titles(await list(ours, { limit: 2, offset: 1 }))).toEqual(['4', '3'])
    expect(titles(await list(ours, { 'filter.read': true }))).toEqual(['5', '3'])
    expect(titles(await list(ours, { 'filter.read': false, limit: 2, offset: 2 }))).toEqual(['1'])
    expect((await list(ours, { 'filter.read': true })).unreadCount).toBe(3)
    const ask = (tag = '') =>
      app.fetch('/mobile/v1/notifications', {
        headers: { authorization: `Bearer ${ours.adminToken}`, 'if-none-match': tag },
      })
    const tag = (await ask()).headers.get('etag') ?? ''
    expect((await ask(tag)).status).toBe(304)
    await read(ours, {})
    expect((await ask(tag)).status).toBe(200)
    await expect(list(ours, { 'filter.read': 'maybe' })).rejects.toMatchObject({
      status: 400,
      field: 'filter.read',
    })
  })

  it('omits notifications after 90 days, and housekeeping deletes exactly those', async () => {
    const { ours } = await open()
    const start = clock.now()
    const at = async <T>(
      ms: number,
      work: (instance: Assembled, there: TestApp) => Promise<T>,
    ): Promise<T> => {
      const options = { ...app.options, clock: createTestClock(start + ms) }
      const instance = await assemble(options)
      try {
        return await work(instance, { ...app, options })
      } finally {
        await instance.close()
      }
    }
    const { tenantId, adminId } = ours
    const toldAt = (ms: number, title: string) =>
      at(ms, (_, there) => tell(there, { tenantId, to: [adminId], title }))
    const look = (instance: Assembled) =>
      inboxForApp(instance.contextFor({ actor: actorOf(ours), tenantId }), { limit: 50, offset: 0 }).then(
        titles,
      )
    const kept = async (instance: Assembled) => {
      await cleanUp(instance.system())
      const rows = await app.db.sql.all<{ title: string }>(
        'select title from notifications where tenant_id = ? order by id',
        [tenantId],
      )
      return rows.map(({ title }) => title)
    }
    await toldAt(0, 'Old')
    await toldAt(45 * day, 'Younger')
    expect(await at(90 * day, look)).toEqual(['Younger', 'Old'])
    expect(await at(90 * day, kept)).toEqual(['Old', 'Younger'])
    expect(await at(90 * day + 1, look)).toEqual(['Younger'])
    expect(await at(90 * day + 1, kept)).toEqual(['Younger'])
  })
})

const actorOf = ({ adminId, tenantId }: Team) =>
  ({ id: adminId, type: 'human', role: 'admin', tenantId, appAccess: ['dashboard'] }) as const

describe('mobile.notifications.read', () => {
  it('marks the given ones, or all, as read once, and returns how many were unread', async () => {
    const { ours, to } = await open()
    for (const title of ['1', '2', '3']) await to(ours, title)
    const [one] = (await list(ours)).data
    expect(await read(ours, { ids: [one?.id, one?.id] })).toEqual({ marked: 1 })
    expect(await read(ours, { ids: [one?.id], markAll: false })).toEqual({ marked: 0 })
    expect(await read(ours, { ids: [] })).toEqual({ marked: 0 })
    expect(await read(ours, { ids: [], markAll: true })).toEqual({ marked: 2 })
    await to(ours, '4')
    expect(await read(ours, {})).toEqual({ marked: 1 })
    await expect(read(ours, { markAll: false })).rejects.toMatchObject({ status: 400, field: 'ids' })
    await expect(read(ours, { ids: ['x'] })).rejects.toMatchObject({ status: 400, field: 'ids.0' })
  })

  it('ignores those of other users and tenants, and keeps them unread', async () => {
    const { ours, theirs, to } = await open()
    await to(ours, 'Mine')
    await to(theirs, 'Theirs')
    const all = await app.db.sql.all<{ id: string }>(
      "select id from notifications where title in ('Mine', 'Theirs')",
    )
    const ids = all.map(({ id }) => id)
    const member = ours.member
    expect(await member.call('mobile', 'PATCH /notifications/read', { body: { ids } })).toEqual({ marked: 0 })
    expect(await member.call('mobile', 'PATCH /notifications/read', { body: {} })).toEqual({ marked: 0 })
    expect(await read(ours, { ids })).toEqual({ marked: 1 })
    expect((await list(theirs)).unreadCount).toBe(1)
  })
})
