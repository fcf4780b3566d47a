import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestApp, password, type Team, type TestApp } from '../../kit/app.ts'
import { createIosServer } from '../../kit/push-servers.ts'

let app: TestApp

beforeAll(async () => {
  app = await createTestApp({ worker: false })
})

afterAll(() => app[Symbol.asyncDispose]())

const device = (changes: object = {}) => ({
  deviceId: randomUUID(),
  pushToken: 'a-token',
  platform: 'ios' as const,
  appVersion: '1.4.2',
  ...changes,
})

const rows = () => app.db.sql.all<Record<string, unknown>>('select * from push_devices order by id')

describe('mobile.push.register', () => {
  it('stores a device once, ignoring the case of its id, with its latest data', async () => {
    const { member, tenantId } = await app.team()
    const body = device({ pushToken: randomUUID() })
    const register = (changes: object = {}) =>
      member.call('mobile', 'POST /push/devices', { body: { ...body, ...changes } })
    expect(await register()).toEqual({ deviceId: body.deviceId, registered: true })
    const pushToken = randomUUID()
    const again = await register({ deviceId: body.deviceId.toUpperCase(), pushToken, appVersion: '1.5' })
    expect(again).toEqual({ deviceId: body.deviceId, registered: true })
    const kept = (await rows()).filter((row) => row['tenant_id'] === tenantId)
    expect(kept).toMatchObject([{ device_id: body.deviceId, push_token: pushToken, app_version: '1.5' }])
    const audited = await app.db.sql.all('select * from audit_records where tenant_id = ?', [tenantId])
    expect(JSON.stringify(audited)).toContain('push_device.register')
    expect(JSON.stringify(audited)).not.toContain(pushToken)
  })

  it('rejects invalid devices, and keeps the twenty latest', async () => {
    const { admin, adminId } = await app.team()
    for (const [changes, field] of [
      [{ deviceId: 'phone' }, 'deviceId'],
      [{ pushToken: '' }, 'pushToken'],
      [{ pushToken: 'two words' }, 'pushToken'],
      [{ pushToken: 'x'.repeat(4_097) }, 'pushToken'],
      [{ platform: 'web' }, 'platform'],
      [{ appVersion: '' }, 'appVersion'],
      [{ userId: adminId }, 'userId'],
    ] as const) {
      const call = admin.call('mobile', 'POST /push/devices', { body: device(changes) as never })
      await expect(call).rejects.toMatchObject({ status: 400, code: 'VALIDATION_ERROR', field })
    }
    const ids: string[] = []
    for (let n = 0; n < 21; n += 1) {
      const body = device({ pushToken: randomUUID() })
      ids.push(body.deviceId)
      await admin.call('mobile', 'POST /push/devices', { body })
    }
    const kept = (await rows()).filter((row) => row['user_id'] === adminId)
    expect(kept).toHaveLength(20)
    expect(kept.map((row) => row['device_id'])).not.toContain(ids[0])
  })
})

describe('the end of a session', () => {
  /** A member with two sessions, each at a device of its own. */
  const open = async () => {
    const team = await app.team()
    const email = `${randomUUID()}@test.example`
    const { id } = await app.copydesk
      .asSystem()
      .users.create({ email, name: 'Pia Phone', password, role: 'member', tenantId: team.tenantId })
    const at = async () => {
      const body = { email, password, app: 'dashboard' as const }
      const client = app.clientFor((await app.clientFor().call('auth', 'POST /login', { body })).accessToken)
      const own = device({ pushToken: randomUUID() })
      await client.call('mobile', 'POST /push/devices', { body: own })
      return { client, deviceId: own.deviceId }
    }
    const [phone, tablet] = [await at(), await at()]
    const left = async () =>
      (await rows()).filter((row) => row['user_id'] === id).map((row) => row['device_id'] as string)
    expect(await left()).toEqual([phone.deviceId, tablet.deviceId])
    return { team, id, phone, tablet, left }
  }

  it('removes the devices of that session: on logout, and on a password change', async () => {
    const { phone, tablet, left } = await open()
    await tablet.client.call('auth', 'POST /logout')
    expect(await left()).toEqual([phone.deviceId])
    const second = await open()
    const body = { currentPassword: password, newPassword: 'Another-horse-2' }
    await second.phone.client.call('auth', 'PATCH /me/password', { body })
    expect(await second.left()).toEqual([second.phone.deviceId])
  })

  it('applies to the session that last registered the device', async () => {
    const { phone, tablet, left } = await open()
    const params = { deviceId: phone.deviceId }
    const changed = { params, body: { pushToken: randomUUID() } }
    await tablet.client.call('mobile', 'PATCH /push/devices/:deviceId', changed)
    await phone.client.call('auth', 'POST /logout')
    expect(await left()).toEqual([phone.deviceId, tablet.deviceId])
    await tablet.client.call('auth', 'POST /logout')
    expect(await left()).toEqual([])
  })

  it.each([
    [
      'who is suspended',
      (_: Team, userId: string) => app.copydesk.asSystem().users.suspend(userId, 'A test'),
    ],
    [
      'who is taken off the team',
      ({ admin }: Team, userId: string) =>
        admin.call('dashboard', 'DELETE /team/users/:userId', { params: { userId } }),
    ],
    [
      'who gets another role',
      ({ admin }: Team, userId: string) =>
        admin.call('dashboard', 'PATCH /team/users/:userId', { params: { userId }, body: { role: 'admin' } }),
    ],
  ])('removes all devices of a user %s', async (_, end) => {
    const { team, id, left } = await open()
    await team.admin.call('mobile', 'POST /push/devices', { body: device({ pushToken: randomUUID() }) })
    await end(team, id)
    expect(await left()).toEqual([])
    expect((await rows()).filter((row) => row['user_id'] === team.adminId)).toHaveLength(1)
  })
})

describe('mobile.push.change and mobile.push.remove', () => {
  it('apply to the caller’s devices; those of others are treated like unknown ones', async () => {
    const [ours, theirs] = [await app.team(), await app.team()]
    const body = device({ pushToken: randomUUID() })
    const params = { deviceId: body.deviceId }
    await ours.admin.call('mobile', 'POST /push/devices', { body })
    const before = await rows()
    const absent = { status: 404, code: 'NOT_FOUND' }
    for (const client of [ours.member, theirs.admin]) {
      const change = { params, body: { pushToken: 'stolen' } }
      await expect(client.call('mobile', 'PATCH /push/devices/:deviceId', change)).rejects.toMatchObject(
        absent,
      )
      await expect(client.call('mobile', 'DELETE /push/devices/:deviceId', { params })).rejects.toMatchObject(
        absent,
      )
    }
    expect(await rows()).toEqual(before)
    const changed = { params, body: { pushToken: randomUUID() } }
    expect(await ours.admin.call('mobile', 'PATCH /push/devices/:deviceId', changed)).toEqual({
      ...params,
      updated: true,
    })
    expect(await rows()).toContainEqual(expect.objectContaining({ push_token: changed.body.pushToken }))
    await ours.admin.call('mobile', 'DELETE /push/devices/:deviceId', { params })
    await expect(
      ours.admin.call('mobile', 'DELETE /push/devices/:deviceId', { params }),
    ).rejects.toMatchObject(absent)
  })

  it('remove a token from the device that had it before', async () => {
    const { admin, member, tenantId } = await app.team()
    const [one, two] = [device({ pushToken: randomUUID() }), device({ pushToken: randomUUID() })]
    await admin.call('mobile', 'POST /push/devices', { body: one })
    await member.call('mobile', 'POST /push/devices', { body: two })
    const body = { pushToken: one.pushToken }
    await member.call('mobile', 'PATCH /push/devices/:deviceId', { params: { deviceId: two.deviceId }, body })
    const kept = (await rows()).filter((row) => row['tenant_id'] === tenantId)
    expect(kept).toMatchObject([{ device_id: two.deviceId, push_token: one.pushToken }])
  })
})

describe('doctor', () => {
  it('reports whether push is configured, and whether its services can be reached', async () => {
    await using server = await createIosServer()
    const look = async (instance = app.copydesk) =>
      (await instance.doctor()).filter(({ name }) => name.startsWith('push'))
    expect(await look()).toMatchObject([
      { name: 'push', ok: true, message: expect.stringContaining('not set up') },
    ])
    const push = { ios: server.options }
    expect(await look(await app.another({ push }))).toMatchObject([{ name: 'push ios', ok: true }])
    const away = { ios: { ...server.options, baseUrl: 'https://127.0.0.1:9' } }
    expect(await look(await app.another({ push: away }))).toMatchObject([
      { name: 'push ios', ok: false, remedy: expect.any(String) },
    ])
  })
})
