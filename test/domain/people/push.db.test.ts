import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { createAndroidServer, createIosServer } from '../../kit/push-servers.ts'
import { tell } from '../../surfaces/notified.ts'

const clock = createTestClock()
let ios: Awaited<ReturnType<typeof createIosServer>>
let android: Awaited<ReturnType<typeof createAndroidServer>>
let app: TestApp
let ours: Team
let theirs: Team

beforeAll(async () => {
  ios = await createIosServer()
  android = await createAndroidServer()
  app = await createTestApp({
    clock,
    allowHosts: ['127.0.0.1'],
    push: { ios: ios.options, android: android.options },
  })
})

afterAll(async () => {
  await app[Symbol.asyncDispose]()
  await ios[Symbol.asyncDispose]()
  await android[Symbol.asyncDispose]()
})

beforeEach(async () => {
  // Logins are counted.
  clock.advance(61_000)
  ;[ours, theirs] = [await app.team(), await app.team()]
  ios.pushed.length = 0
  android.pushed.length = 0
})

const register = async (
  client: Team['admin'],
  { deviceId = randomUUID(), pushToken = randomUUID(), platform = 'ios' as 'ios' | 'android' } = {},
) => {
  await client.call('mobile', 'POST /push/devices', {
    body: { deviceId, pushToken, platform, appVersion: '1.0' },
  })
  return { deviceId, pushToken }
}

const count = async (text: string, ...params: string[]) =>
  Number((await app.db.sql.get<{ n: number }>(text, params))?.n)

/** Lets time pass until nothing is left to be sent. */
const settled = () =>
  app.until(async () => {
    clock.advance(1_000)
    return (
      (await count(
        "select count(*) as n from job where kind = 'push.send' and status in ('waiting', 'running')",
      )) === 0
    )
  }, 'all is sent')

/** Notifies an admin of something that the service cannot send yet. */
async function firstTry(team: Team, title?: string): Promise<void> {
  ios.reactions.push({ status: 503 })
  await tellAdmin(team, title)
  await app.until(async () => {
    if (ios.pushed.length === 0) clock.advance(500)
    const waiting = "select count(*) as n from job where kind = 'push.send' and status = 'waiting'"
    return ios.pushed.length === 1 && (await count(waiting)) === 1
  }, 'the first try has failed')
}

const states = async () =>
  (
    await app.db.sql.all<{ state: string }>('select state from push_intents where tenant_id = ?', [
      ours.tenantId,
    ])
  ).map(({ state }) => state)

const tellAdmin = (team = ours, title = 'Look') =>
  tell(app, { tenantId: team.tenantId, to: [team.adminId], title, subjectId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' })

const tokens = (server: { pushed: Array<{ token: string }> }) => server.pushed.map(({ token }) => token)

describe('a notification', () => {
  it('reaches every device of its recipients, and no other, once', async () => {
    const phone = await register(ours.admin)
    const tablet = await register(ours.admin, { platform: 'android' })
    await register(ours.member)
    await register(theirs.admin)
    await tellAdmin()
    await settled()
    expect(tokens(ios)).toEqual([phone.pushToken])
    expect(tokens(android)).toEqual([tablet.pushToken])
    const { data } = await ours.admin.call('mobile', 'GET /notifications')
    const about = {
      notificationId: data[0]?.id,
      type: 'approval_created',
      deepLink: 'copydesk://approvals/01ARZ3NDEKTSV4RRFFQ69G5FAV',
    }
    expect(ios.pushed[0]?.payload).toMatchObject({
      aps: { alert: { title: 'Look', body: 'Look at it.' } },
      ...about,
    })
    expect(android.pushed[0]?.payload).toMatchObject({ data: about })
    expect(await states()).toEqual(['sent', 'sent'])
  })

  it('is retried later only when it has certainly not been delivered', async () => {
    await register(ours.admin)
    ios.reactions.push({ status: 503 }, { status: 429 }, 'untouched')
    await tellAdmin()
    await settled()
    expect(ios.pushed).toHaveLength(4)
    expect(await states()).toEqual(['sent'])
  })

  it.each([
    ['cut', 'unknown'],
    [{ status: 400, body: { reason: 'BadTopic' } }, 'refused'],
  ] as const)('is not sent again after %j', async (reaction, state) => {
    await register(ours.admin)
    ios.reactions.push(reaction)
    await tellAdmin()
    await settled()
    expect(ios.pushed).toHaveLength(1)
    expect(await states()).toEqual([state])
    expect(await count('select count(*) as n from push_devices where tenant_id = ?', ours.tenantId)).toBe(1)
  })

  it.each([
    [
      'after a process has died while sending it',
      `insert into push_intents (notification_id, push_device_id, tenant_id, state, at)
       select n.id, d.id, n.tenant_id, 'sending', n.created_on from notifications n
         join push_devices d on d.user_id = n.user_id where n.tenant_id = ?`,
    ],
    ['when it has been read', 'update notifications set read = true where tenant_id = ?'],
    ['to who may not log in any more', `update users set status = 'suspended' where tenant_id = ?`],
    ['at a tenant that is shut', `update tenants set status = 'suspended' where id = ?`],
    ['to a device that is gone', 'delete from push_devices where tenant_id = ?'],
  ])('is not sent %s', async (_, happening) => {
    await register(ours.admin)
    await firstTry(ours)
    await app.db.write((tx) => tx.run(happening, [ours.tenantId]))
    await settled()
    expect(ios.pushed).toHaveLength(1)
  })
})

describe('a device that its push service has unregistered', () => {
  it.each(['ios', 'android'] as const)('is deleted: %s', async (platform) => {
    await register(ours.admin, { platform })
    const gone = { error: { details: [{ errorCode: 'UNREGISTERED' }] } }
    ios.reactions.push({ status: 410, body: { reason: 'Unregistered', timestamp: clock.now() + 60_000 } })
    android.reactions.push({ status: 404, body: gone })
    await tellAdmin()
    await settled()
    expect(await states()).toEqual(['unregistered'])
    expect(await count('select count(*) as n from push_devices where tenant_id = ?', ours.tenantId)).toBe(0)
    ios.reactions.length = 0
    android.reactions.length = 0
    await tellAdmin()
    await settled()
    expect(ios.pushed.length + android.pushed.length).toBe(1)
  })

  it('is kept when it has registered again since', async () => {
    await register(ours.admin)
    ios.reactions.push({ status: 410, body: { reason: 'Unregistered', timestamp: clock.now() - 60_000 } })
    await tellAdmin()
    await settled()
    expect(await count('select count(*) as n from push_devices where tenant_id = ?', ours.tenantId)).toBe(1)
  })
})

describe('a device with a new owner', () => {
  it.each(['device', 'token'] as const)(
    'by its %s gets nothing of the previous owner, not even pending notifications',
    async (by) => {
      const phone = await register(ours.admin)
      ios.reactions.push({ status: 503 })
      await tellAdmin(ours, 'Secret of ours')
      await app.until(async () => {
        clock.advance(100)
        return ios.pushed.length === 1
      }, 'the first try')
      await register(
        theirs.admin,
        by === 'device' ? { deviceId: phone.deviceId } : { pushToken: phone.pushToken },
      )
      await settled()
      await tellAdmin(ours, 'Another secret')
      await tellAdmin(theirs, 'For them')
      await settled()
      const titles = ios.pushed.map(
        ({ payload }) => (payload['aps'] as { alert: { title: string } }).alert.title,
      )
      expect(titles).toEqual(['Secret of ours', 'For them'])
      expect(await count('select count(*) as n from push_devices where user_id = ?', ours.adminId)).toBe(0)
      // And back again.
      await register(ours.admin, { ...phone })
      await tellAdmin(theirs, 'Not for ours')
      await settled()
      expect(ios.pushed).toHaveLength(2)
    },
  )

  it('has one owner, however many users register it concurrently', async () => {
    const phone = { deviceId: randomUUID(), pushToken: randomUUID() }
    const people = [ours.admin, ours.member, theirs.admin, theirs.member]
    await Promise.all([
      ...people.map((client) => register(client, phone)),
      ...people.map((client) => register(client, { pushToken: phone.pushToken })),
      ...people.map((client) => register(client, { deviceId: phone.deviceId })),
    ])
    const rows = await app.db.sql.all<{ device_id: string; push_token: string }>(
      'select device_id, push_token from push_devices where tenant_id in (?, ?)',
      [ours.tenantId, theirs.tenantId],
    )
    expect(rows.filter(({ device_id }) => device_id === phone.deviceId).length).toBeLessThanOrEqual(1)
    expect(rows.filter(({ push_token }) => push_token === phone.pushToken).length).toBeLessThanOrEqual(1)
    expect(rows.length).toBeGreaterThan(0)
  })
})
