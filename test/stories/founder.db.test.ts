import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { brief, createTestApp, type Team } from '../kit/app.ts'
import { createTestClock } from '../kit/clock.ts'
import { createIosServer } from '../kit/push-servers.ts'

describe('a founder with a phone', () => {
  it('gets a push notification, decides on the linked page, and loads nothing twice', async () => {
    const clock = createTestClock()
    await using ios = await createIosServer()
    await using app = await createTestApp({ clock, allowHosts: ['127.0.0.1'], push: { ios: ios.options } })
    const [ours, theirs] = [await app.team('Hearth'), await app.team('Rival')]
    const { admin: phone, adminToken } = ours
    const device = { deviceId: randomUUID(), platform: 'ios', appVersion: '1.0' } as const
    const register = (client: typeof phone, body: object) =>
      client.call('mobile', 'POST /push/devices', { body: { ...device, ...body } as never })
    await register(phone, { pushToken: 'the-first' })
    await register(theirs.admin, { deviceId: randomUUID(), pushToken: 'theirs' })
    /** The only message of a type that came to a device. */
    const pushed = (token: string, type: string) =>
      app.until(async () => {
        clock.advance(100)
        return ios.pushed.find((one) => one.token === token && one.payload['type'] === type)?.payload
      }, `${token} is told of ${type}`)
    const read = async (path: string, tag = '') => {
      const headers = { authorization: `Bearer ${adminToken}`, 'if-none-match': tag }
      const response = await app.fetch(`/mobile/v1${path}`, { headers })
      const text = await response.text()
      return {
        status: response.status,
        tag: response.headers.get('etag') ?? '',
        body: text && JSON.parse(text),
      }
    }

    // Work is ordered, and the phone rings when someone has to decide.
    await phone.call('dashboard', 'POST /campaigns', {
      body: { name: 'Spring', brief, deliverables: [{ type: 'social_post', quantity: 1 }] },
    })
    const call = await pushed('the-first', 'approval_created')
    const home = await phone.call('mobile', 'GET /home')
    const [waiting] = home.pendingApprovals.items
    expect(home).toMatchObject({
      pendingApprovals: { count: 1, highRisk: 0 },
      campaigns: { active: 1, atRisk: 0 },
      spend: { thisMonthUsd: 0 },
    })
    const { data, unreadCount } = await phone.call('mobile', 'GET /notifications')
    expect(unreadCount).toBe(1)
    expect(data).toMatchObject([{ type: 'approval_created', title: waiting?.title, read: false }])
    expect(call).toMatchObject({
      notificationId: data[0]?.id,
      deepLink: data[0]?.deepLink,
      aps: { alert: { title: waiting?.title } },
    })

    // The link leads to the question; what is known is not loaded again until it changes.
    const [, path = ''] = /^copydesk:\/(\/approvals\/\w+)$/.exec(String(call['deepLink'])) ?? []
    const first = await read(path)
    expect(first).toMatchObject({ status: 200, body: { id: waiting?.id, status: 'pending' } })
    expect(await read(path, first.tag)).toEqual({ status: 304, tag: first.tag, body: '' })
    const foreign = { params: { approvalId: first.body.id } }
    await expect(theirs.admin.call('mobile', 'GET /approvals/:approvalId', foreign)).rejects.toMatchObject({
      status: 404,
    })
    const lists = ['/notifications', '/approvals', '/activities', '/campaigns', '/home']
    const tags = new Map<string, string>()
    for (const list of lists) tags.set(list, (await read(list)).tag)
    for (const list of lists) expect((await read(list, tags.get(list))).status, list).toBe(304)

    const [activity] = first.body.linkedActivities
    await phone.call('mobile', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: first.body.id },
      body: { resolution: 'approved', contentHash: first.body.contentHash },
    })
    const again = await read(path, first.tag)
    expect(again).toMatchObject({ status: 200, body: { status: 'approved' } })
    expect((await read(path, again.tag)).status).toBe(304)
    const finished = await pushed('the-first', 'activity_completed')
    expect(finished).toMatchObject({ deepLink: `copydesk://activities/${activity.id}` })
    const done = await read(`/activities/${activity.id}`)
    expect(done.body).toMatchObject({ status: 'done', outputPreview: activity.outputPreview })

    // A minute later everything has changed, and the first screen with it.
    clock.advance(60_000)
    for (const list of lists) expect((await read(list, tags.get(list))).status, list).toBe(200)
    expect(await phone.call('mobile', 'GET /home')).toMatchObject({
      pendingApprovals: { count: 0, items: [] },
      recentActivities: { inProgress: 0, items: [{ id: activity.id, status: 'done' }] },
    })
    // The user's own verdict causes no notification; notifications are marked as read once.
    const told = await phone.call('mobile', 'GET /notifications')
    expect(told.data.map(({ type }) => type)).toEqual(['activity_completed', 'approval_created'])
    expect(await phone.call('mobile', 'PATCH /notifications/read', { body: {} })).toEqual({ marked: 2 })
    expect(await phone.call('mobile', 'PATCH /notifications/read', { body: {} })).toEqual({ marked: 0 })
    expect((await phone.call('mobile', 'GET /notifications')).unreadCount).toBe(0)

    // The phone gets a new token, and in the end is given away.
    const params = { deviceId: device.deviceId }
    await phone.call('mobile', 'PATCH /push/devices/:deviceId', { params, body: { pushToken: 'the-second' } })
    const wish = (team: Team, topic: string) =>
      team.member.call('dashboard', 'POST /blog-requests', { body: { topic } })
    await wish(ours, 'Rye')
    expect(await pushed('the-second', 'approval_created')).toMatchObject({
      aps: { alert: { title: 'Blog request: Rye' } },
    })
    await phone.call('mobile', 'DELETE /push/devices/:deviceId', { params })
    await wish(ours, 'Oats')
    await wish(theirs, 'Coal')
    await pushed('theirs', 'approval_created')
    const { data: kept } = await phone.call('mobile', 'GET /notifications', {
      query: { 'filter.read': false },
    })
    expect(kept.map(({ title }) => title)).toEqual(['Blog request: Oats', 'Blog request: Rye'])
    expect(ios.pushed.map(({ token }) => token)).toEqual(['the-first', 'the-first', 'the-second', 'theirs'])
  })
})
