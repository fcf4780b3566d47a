import { describe, expect, it } from 'vitest'
import { brief, createTestApp, password, type TestApp } from '../../kit/app.ts'
import { createTestClock } from '../../kit/clock.ts'
import { type KeyDoors, openKeyDoors } from '../../kit/key-endpoints.ts'

const bearer = (key: string, scheme = 'ApiKey') => ({ headers: { authorization: `${scheme} ${key}` } })
const ask = (doors: KeyDoors, key: string, scheme?: string) =>
  doors.fetch('/cli/v1/who-am-i', bearer(key, scheme))

/** Opens a stream with a key. */
async function watch(doors: KeyDoors, key: string) {
  const reader = (await doors.fetch('/cli/v1/watch', bearer(key))).body?.getReader()
  const state = { ended: false, cancel: () => reader?.cancel() }
  void (async () => {
    while (!(await reader?.read())?.done);
    state.ended = true
  })()
  return state
}

async function stampOf(app: TestApp, id: string): Promise<number | null> {
  const found = (await app.copydesk.asSystem().apiKeys.list()).data.find((key) => key.id === id)
  return found?.lastUsedAt?.getTime() ?? null
}

describe('lastUsedAt', () => {
  it('is the time of the last use, though written once for many uses', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    await using doors = await openKeyDoors(app)
    const { reviewerId: userId } = await app.team()
    const { apiKeys } = app.copydesk.asSystem()
    const often = await apiKeys.create({ userId, name: 'often' })
    const once = await apiKeys.create({ userId, name: 'once' })
    const never = await apiKeys.create({ userId, name: 'never' })
    const start = clock.now()
    await ask(doors, often.key)
    clock.advance(1_000)
    await ask(doors, once.key)
    clock.advance(1_500)
    await ask(doors, often.key)
    expect(await stampOf(app, often.id)).toBeNull()
    clock.advance(10_000)
    await app.until(async () => (await stampOf(app, often.id)) !== null, 'the uses are noted')
    expect(await stampOf(app, often.id)).toBe(start + 2_500)
    expect(await stampOf(app, once.id)).toBe(start + 1_000)
    expect(await stampOf(app, never.id)).toBeNull()
  })

  it('is not set back by a server that writes an earlier use later', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    await using slow = await openKeyDoors(app)
    const { reviewerId: userId } = await app.team()
    const { id, key } = await app.copydesk.asSystem().apiKeys.create({ userId, name: 'k' })
    await ask(slow, key)
    const later = clock.now() + 60_000
    // Another node has noted a use that came after.
    await app.db.write((tx) =>
      tx.run('update api_keys set last_used_at = ? where id = ?', [new Date(later), id]),
    )
    clock.advance(5_000)
    await ask(slow, key)
    clock.advance(5_000)
    const second = await app.copydesk.asSystem().apiKeys.create({ userId, name: 'second' })
    await ask(slow, second.key)
    clock.advance(5_000)
    await app.until(async () => (await stampOf(app, second.id)) !== null, 'what came before is noted too')
    expect(await stampOf(app, id)).toBe(later)
  })

  it('is not changed by a rejected request', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    await using doors = await openKeyDoors(app)
    const { reviewerId: userId } = await app.team()
    const { apiKeys } = app.copydesk.asSystem()
    const revoked = await apiKeys.create({ userId, name: 'revoked' })
    const good = await apiKeys.create({ userId, name: 'good' })
    await apiKeys.revoke(revoked.id)
    expect((await ask(doors, revoked.key)).status).toBe(401)
    expect((await ask(doors, good.key)).status).toBe(200)
    clock.advance(5_000)
    await app.until(async () => (await stampOf(app, good.id)) !== null, 'the use is noted')
    expect(await stampOf(app, revoked.id)).toBeNull()
  })
})

describe('the rate limit', () => {
  it('counts a user over all keys and tokens; a rejected key counts for its address', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    await using doors = await openKeyDoors(app)
    const one = await app.team()
    const two = await app.team()
    const { apiKeys } = app.copydesk.asSystem()
    const make = async (userId: string) => (await apiKeys.create({ userId, name: 'k' })).key
    const [first, second, foreign] = [
      await make(one.reviewerId),
      await make(one.reviewerId),
      await make(two.reviewerId),
    ]
    const body = { email: 'reviewer.1.tenant-1@test.example', password, app: 'dm-portal' as const }
    const { accessToken } = await app.clientFor().call('auth', 'POST /login', { body })
    const left = async (response: Promise<Response>) => {
      const { headers } = await response
      expect(headers.get('x-ratelimit-limit')).toBe('1200')
      return Number(headers.get('x-ratelimit-remaining'))
    }
    expect(await left(ask(doors, first))).toBe(1_199)
    expect(await left(ask(doors, second))).toBe(1_198)
    expect(await left(ask(doors, accessToken, 'Bearer'))).toBe(1_197)
    expect(await left(ask(doors, `${first.slice(0, -1)}!`))).toBe(1_199)
    expect(await left(ask(doors, `${second.slice(0, -1)}!`))).toBe(1_198)
    expect(await left(ask(doors, foreign))).toBe(1_199)
    expect(await left(ask(doors, first))).toBe(1_196)
  })

  it('responds with Retry-After when it is reached, and does not affect other users', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    await using doors = await openKeyDoors(app)
    const { adminId, reviewerId } = await app.team()
    const { apiKeys } = app.copydesk.asSystem()
    const [first, second, other] = await Promise.all(
      [adminId, adminId, reviewerId].map((userId) => apiKeys.create({ userId, name: 'k' })),
    )
    const health = (key: string | undefined) => doors.fetch('/agent/v1/health/analyst', bearer(key ?? ''))
    for (let i = 0; i < 60; i += 1) expect((await health(first?.key)).status).toBe(200)
    for (const key of [first?.key, second?.key]) {
      const refused = await health(key)
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
      expect((await refused.json()).error.code).toBe('RATE_LIMITED')
    }
    expect((await health(other?.key)).status).toBe(200)
    clock.advance(60_000)
    expect((await health(second?.key)).status).toBe(200)
  })
})

describe('revoking', () => {
  it('applies at once on every server of the database, including requests of a moment ago', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    await using here = await openKeyDoors(app)
    await using there = await openKeyDoors(app)
    const { reviewerId: userId } = await app.team()
    const { apiKeys } = app.copydesk.asSystem()
    const gone = await apiKeys.create({ userId, name: 'gone' })
    const stays = await apiKeys.create({ userId, name: 'stays' })
    const states = async (key: string) =>
      Promise.all([here, there].map(async (doors) => (await ask(doors, key)).status))
    expect(await states(gone.key)).toEqual([200, 200])
    await apiKeys.revoke(gone.id)
    expect(await states(gone.key)).toEqual([401, 401])
    expect(await states(stays.key)).toEqual([200, 200])
    await apiKeys.revoke(gone.id)
    await expect(apiKeys.revoke('01ARZ3NDEKTSV4RRFFQ69G5FAV')).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const records = await app.db.sql.all(`select * from audit_records where action = 'api_key.revoke'`)
    expect(records).toMatchObject([{ resource_id: gone.id }])
    expect((await apiKeys.list({ order: 'asc' })).data.map(({ status }) => status)).toEqual([
      'revoked',
      'active',
    ])
  })

  it('closes only the streams of the revoked key on another server', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    await using doors = await openKeyDoors(app)
    const { reviewerId: userId } = await app.team()
    const { apiKeys } = app.copydesk.asSystem()
    const gone = await apiKeys.create({ userId, name: 'gone' })
    const stays = await apiKeys.create({ userId, name: 'stays' })
    const [closing, open] = [await watch(doors, gone.key), await watch(doors, stays.key)]
    clock.advance(15_000)
    expect([closing.ended, open.ended]).toEqual([false, false])
    await apiKeys.revoke(gone.id)
    await app.until(async () => {
      clock.advance(1_000)
      return closing.ended
    }, 'the stream of the revoked key ends')
    expect(open.ended).toBe(false)
    await open.cancel()
  })
})

describe('expiring', () => {
  it('closes the streams of the key', async () => {
    const clock = createTestClock()
    await using app = await createTestApp({ clock, worker: false })
    await using doors = await openKeyDoors(app)
    const { reviewerId: userId } = await app.team()
    const { apiKeys } = app.copydesk.asSystem()
    const expiresAt = new Date(clock.now() + 60_000)
    const ends = await apiKeys.create({ userId, name: 'ends', expiresAt })
    const stays = await apiKeys.create({ userId, name: 'stays' })
    const [closing, open] = [await watch(doors, ends.key), await watch(doors, stays.key)]
    clock.advance(59_999)
    expect([closing.ended, open.ended]).toEqual([false, false])
    await app.until(async () => {
      clock.advance(1_000)
      return closing.ended
    }, 'the stream of the expired key ends')
    expect((await ask(doors, ends.key)).status).toBe(401)
    expect(open.ended).toBe(false)
    await open.cancel()
  })
})

describe('an operation with a key', () => {
  it('writes an audit record with actor type, owner and tenant', async () => {
    await using app = await createTestApp()
    await using doors = await openKeyDoors(app)
    const { admin, reviewerId: userId, tenantId } = await app.team()
    const { key } = await app.copydesk.asSystem().apiKeys.create({ userId, name: 'nightly' })
    await admin.call('dashboard', 'POST /campaigns', {
      body: { name: 'Spring', brief, deliverables: [{ type: 'social_post', quantity: 1 }] },
    })
    const approval = await app.until(async () => {
      const response = await doors.fetch('/cli/v1/approvals?filter.status=pending', bearer(key))
      return ((await response.json()) as { data: { id: string }[] }).data[0]
    }, 'an approval is pending')
    const response = await doors.fetch(`/cli/v1/approvals/${approval.id}/resolve`, {
      method: 'POST',
      headers: { ...bearer(key).headers, 'content-type': 'application/json' },
      body: JSON.stringify({ resolution: 'approved' }),
    })
    expect(response.status).toBe(200)
    const records = await app.db.sql.all(`select * from audit_records where resource_id = ?`, [approval.id])
    expect(records).toMatchObject([
      { actor_id: userId, actor_type: 'api_key', tenant_id: tenantId, surface: 'cli' },
    ])
  })
})
