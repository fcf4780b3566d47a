import { describe, expect, it } from 'vitest'
import { createTestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { openKeyDoor } from '../../kit/key-requests.ts'
import { createOperator, expectRefused, sendTo } from '../../kit/operator.ts'
import { createAgentHarness } from '../../kit/runtime.ts'
import { agentStates, logIn, open, reinstate, statusOn, suspend } from '../suspending.ts'

const refused = { status: 401, code: 'UNAUTHORIZED' }
const unknownId = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

describe('admin.tenants.suspend', () => {
  it('ends sessions, tokens, keys and open streams on every server at once, and rejects logins', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const { tenantId, adminToken, adminId } = await app.team()
    const other = await app.another({ worker: false })
    await using door = await openKeyDoor(app)
    const { refreshToken } = (await logIn(app)).json
    const { key } = await app.copydesk.asSystem().apiKeys.create({ userId: adminId, name: 'nightly' })
    expect(await statusOn(door, key, '/keys/v1/whoami', 'ApiKey')).toBe(200)
    // No clock moves and no heartbeat beats: it is the suspension that ends these.
    const streams = [
      await open(app.copydesk, adminToken, '/dashboard/v1/events/stream'),
      await open(other, adminToken, '/dashboard/v1/events/stream'),
      await open(door, key, '/keys/v1/watch', 'ApiKey'),
    ]
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200])
    const { status, json } = await suspend(operator, tenantId)
    expect({ status, json }).toEqual({
      status: 200,
      json: { tenantId, status: 'suspended', agentsPaused: (await agentStates(app, tenantId)).length },
    })
    // Each is read to its end, which comes.
    await Promise.all(streams.map((stream) => stream.text()))
    expect(await statusOn(app.copydesk, adminToken)).toBe(401)
    await app.until(async () => (await statusOn(other, adminToken)) === 401, 'the other server refuses')
    expect(await statusOn(door, key, '/keys/v1/whoami', 'ApiKey')).toBe(401)
    expect(await logIn(app)).toMatchObject({ status: 403, code: 'FORBIDDEN' })
    expect(await sendTo(app, 'POST', '/auth/v1/refresh', { body: { refreshToken } })).toMatchObject(refused)
    expect(await app.db.sql.all('select id from sessions where user_id = ?', [adminId])).toEqual([])
  })

  it('does not affect other tenants and staff', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const { tenantId } = await app.team()
    const neighbour = await app.team('Neighbour')
    const before = await agentStates(app, neighbour.tenantId)
    const { accessToken } = (await logIn(app, 'reviewer.1.tenant-1@test.example', 'dm-portal')).json
    await suspend(operator, tenantId)
    expect(await statusOn(app.copydesk, neighbour.adminToken)).toBe(200)
    expect(await statusOn(app.copydesk, accessToken)).toBe(200)
    expect(await agentStates(app, neighbour.tenantId)).toEqual(before)
    expect((await operator.send('GET', `/admin/v1/tenants/${tenantId}`)).json.status).toBe('suspended')
  })

  it('lets an active run finish, and starts none until the tenant is reinstated', async () => {
    const clock = createTestClock()
    await using harness = await createAgentHarness({ clock })
    const { app, team } = harness
    const operator = await createOperator(app)
    const ordered = team.admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Spring', brief: 'Oats', deliverables: [{ type: 'social_post', quantity: 1 }] },
    })
    const agent = await harness.next(clock)
    await ordered
    await using door = await openKeyDoor(app)
    const watched = [
      await open(door, agent.dispatch.taskToken, '/keys/v1/watch'),
      await open(door, team.adminToken, '/keys/v1/watch'),
    ] as const
    const closed: string[] = []
    const agentLeft = watched[0].text().then(() => closed.push('agent'))
    await suspend(operator, team.tenantId)
    await app.until(async () => {
      clock.advance(1_000)
      return (await statusOn(door, team.adminToken, '/keys/v1/whoami')) === 401
    }, 'the other server has heard of it')
    await watched[1].text()
    expect(closed).toEqual([])
    await agent.deliver('A post about oats')
    expect(await harness.run(agent.runId)).toMatchObject({ status: 'completed' })
    // A verdict wakes the agent again, and its run waits.
    const waiting = await app.until(
      async () =>
        (await app.db.sql.all(`select id from approvals where status = 'pending'`))[0] as { id: string },
      'an approval is pending',
    )
    await team.reviewer.call('dm', 'POST /approvals/:approvalId/resolve', {
      params: { approvalId: waiting.id },
      body: { resolution: 'rejected', note: 'More oats' },
    })
    for (let i = 0; i < 20; i += 1) {
      clock.advance(1_000)
      await app.db.ping()
    }
    expect(harness.runtime.waiting).toBe(0)
    expect(await harness.count(`select count(*) as n from runs where status = 'pending'`)).toBe(1)
    await reinstate(operator, team.tenantId)
    expect((await harness.next(clock)).dispatch.prompt).toContain('More oats')
    await door[Symbol.asyncDispose]()
    await agentLeft
  })

  it('rejects a suspended, a cancelled and an unknown tenant, and a missing reason', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const { tenantId } = await app.team()
    for (const body of [{}, { reason: '  ' }, { reason: 7 }])
      await expectRefused(app, () => suspend(operator, tenantId, body), { status: 400, field: 'reason' })
    await suspend(operator, tenantId)
    await expectRefused(app, () => suspend(operator, tenantId), { status: 409, code: 'CONFLICT' })
    await operator.send('PATCH', `/admin/v1/tenants/${tenantId}`, { status: 'cancelled' })
    await expectRefused(app, () => suspend(operator, tenantId), { status: 409, code: 'CONFLICT' })
    await expectRefused(app, () => suspend(operator, unknownId), { status: 404, code: 'NOT_FOUND' })
  })

  it('is executed once for concurrent requests', async () => {
    await using app = await createTestApp({ worker: false })
    const operator = await createOperator(app)
    const { tenantId } = await app.team()
    // Four connections are open then, so that the four that count do not come one after the other.
    await Promise.all([1, 2, 3, 4].map(() => suspend(operator, unknownId)))
    const answers = await Promise.all([1, 2, 3, 4].map(() => suspend(operator, tenantId)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409])
    const records = await app.db.sql.all(`select id from audit_records where action = 'tenant.suspended'`)
    expect(records).toHaveLength(1)
  })
})
