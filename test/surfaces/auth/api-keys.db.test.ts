import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { entities } from '../../../packages/core/src/composition/entities.ts'
import { contents } from '../../domain/contents.ts'
import { createTestApp, password, type Team, type TestApp } from '../../kit/app.ts'
import { createTestClock, type TestClock } from '../../kit/clock.ts'
import { type KeyDoors, openKeyDoors } from '../../kit/key-endpoints.ts'

const tables = entities.map((entity) => entity.meta.tableName)

let clock: TestClock
let app: TestApp
let doors: KeyDoors
let team: Team
let reviewerToken: string
let keys: ReturnType<TestApp['copydesk']['asSystem']>['apiKeys']
const logged: string[] = []

beforeAll(async () => {
  clock = createTestClock()
  const line = (message: string, fields?: object) => void logged.push(message, JSON.stringify(fields ?? {}))
  const log = { debug: line, info: line, warn: line, error: line, child: () => log }
  app = await createTestApp({ clock, log, worker: false })
  team = await app.team()
  keys = app.copydesk.asSystem().apiKeys
  const body = { email: 'reviewer.1.tenant-1@test.example', password, app: 'dm-portal' as const }
  reviewerToken = (await app.clientFor().call('auth', 'POST /login', { body })).accessToken
  doors = await openKeyDoors(app)
})

afterAll(async () => {
  await doors[Symbol.asyncDispose]()
  await app[Symbol.asyncDispose]()
})

const make = (input: Partial<Parameters<typeof keys.create>[0]> = {}) =>
  keys.create({ userId: team.reviewerId, name: 'nightly', ...input })

const ask = (key: string, path?: string) => doors.ask(`ApiKey ${key}`, path)

const unknown = { status: 401, code: 'INVALID_API_KEY' }
const refused = { status: 401, code: 'UNAUTHORIZED' }

async function change(table: string, id: string, changes: Record<string, string>) {
  for (const [column, value] of Object.entries(changes))
    await app.db.write((tx) => tx.run(`update ${table} set ${column} = ? where id = ?`, [value, id]))
}

describe('an API key', () => {
  it('is shown once: only its hash is stored, listed and logged', async () => {
    const { key, ...summary } = await make()
    expect((await ask(key)).status).toBe(200)
    await ask(key.slice(0, -1))
    const kept = JSON.stringify(await contents(app, tables))
    expect(kept).toContain(createHash('sha256').update(key).digest('hex'))
    expect(logged.join('')).toContain('/cli/v1/who-am-i')
    const { data: listed } = await keys.list({ 'filter.userId': team.reviewerId })
    expect(listed.find(({ id }) => id === summary.id)).toEqual(summary)
    for (const text of [kept, JSON.stringify(listed), logged.join('')]) {
      expect(text).not.toContain(key.slice(13, -4))
    }
    expect(summary.keyPreview).toBe(`${key.slice(0, 13)}…${key.slice(-4)}`)
  })

  it('has a prefix that identifies its kind, and is unique', async () => {
    const production = await app.another({ worker: false, environment: 'production' })
    const live = await production.asSystem().apiKeys.create({ userId: team.reviewerId, name: 'live' })
    expect(live.key).toMatch(/^cdk_live_[0-9A-Za-z]{32}$/)
    const made = await Promise.all(Array.from({ length: 20 }, () => make()))
    for (const { key } of made) expect(key).toMatch(/^cdk_test_[0-9A-Za-z]{32}$/)
    expect(new Set(made.map(({ key }) => key.slice(9, 35))).size).toBe(20)
  })

  it('ends in a checksum: a mistyped key is rejected without a database query', async () => {
    await using other = await createTestApp({ worker: false, allowErrors: true })
    await using door = await openKeyDoors(other)
    const { reviewerId: userId } = await other.team()
    const { key } = await other.copydesk.asSystem().apiKeys.create({ userId, name: 'k' })
    const status = async (text: string) =>
      (await door.fetch('/cli/v1/who-am-i', { headers: { authorization: `ApiKey ${text}` } })).status
    // Anyone who looks for a key from now on fails.
    await other.db.write((tx) => tx.run('alter table api_keys rename to elsewhere'))
    expect(await status(key)).toBe(500)
    for (let at = 0; at < key.length; at += 1) {
      const typo = key[at] === '7' ? '8' : '7'
      expect(await status(key.slice(0, at) + typo + key.slice(at + 1)), `a typo at ${at}`).toBe(401)
    }
    const shifted = `${key.slice(0, 9)}${key.slice(10, 35)}${key[9]}${key.slice(35)}`
    for (const text of [
      key.slice(0, -1),
      `${key}0`,
      `x${key}`,
      key.slice(9),
      key.toUpperCase(),
      shifted,
      '0',
    ])
      expect(await status(text), text).toBe(401)
    await other.db.write((tx) => tx.run('alter table elsewhere rename to api_keys'))
    expect(await status(key)).toBe(200)
  })

  it('is rejected with the same message whether it is unknown, revoked or expired', async () => {
    const gone = await make()
    await app.db.write((tx) => tx.run('delete from api_keys where id = ?', [gone.id]))
    const revoked = await make()
    expect((await ask(revoked.key)).status).toBe(200)
    await keys.revoke(revoked.id)
    const expired = await make({ expiresAt: new Date(clock.now() + 1) })
    clock.advance(1)
    const answers = await Promise.all([gone, revoked, expired].map(({ key }) => ask(key)))
    for (const answer of answers) expect(answer).toMatchObject(unknown)
    expect(new Set(answers.map(({ message }) => message)).size).toBe(1)
    const states = new Map((await keys.list()).data.map(({ id, status }) => [id, status]))
    expect([revoked, expired].map(({ id }) => states.get(id))).toEqual(['revoked', 'expired'])
  })

  it('is valid until its last millisecond, and cannot be created in the past', async () => {
    const { key } = await make({ expiresAt: new Date(clock.now() + 60_000) })
    clock.advance(59_999)
    expect((await ask(key)).status).toBe(200)
    clock.advance(1)
    expect(await ask(key)).toMatchObject(unknown)
    for (const expiresAt of [clock.date(), new Date(clock.now() - 1), new Date('no date')]) {
      await expect(make({ expiresAt })).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
        field: 'expiresAt',
      })
    }
  })

  it('gives the same principal as a token, with the current state of its owner', async () => {
    const { id: keyId, key } = await make()
    const known = { id: team.reviewerId, role: 'reviewer', appAccess: ['dm-portal'] }
    expect((await ask(key)).body?.principal).toEqual({ ...known, type: 'api_key', keyId })
    expect((await doors.ask(`Bearer ${reviewerToken}`)).body?.principal).toEqual({ ...known, type: 'human' })
    await change('users', team.reviewerId, { role: 'admin' })
    expect(await ask(key)).toMatchObject({ status: 403, code: 'FORBIDDEN' })
    await change('users', team.reviewerId, { role: 'reviewer' })
    expect((await ask(key)).status).toBe(200)
  })

  it('is rejected as soon as its owner, or the owner’s tenant, is not active', async () => {
    const { key } = await make({ userId: team.adminId })
    const tryIt = () => ask(key, '/agent/v1/health/analyst')
    for (const [table, id, states] of [
      ['users', team.adminId, ['suspended', 'deactivated']],
      ['tenants', team.tenantId, ['suspended', 'cancelled']],
    ] as const) {
      for (const status of states) {
        expect(await tryIt()).toMatchObject({ status: 200, body: { tenantId: team.tenantId } })
        await change(table, id, { status })
        expect(await tryIt(), `${table} ${status}`).toMatchObject(refused)
        await change(table, id, { status: 'active' })
      }
    }
    expect((await tryIt()).status).toBe(200)
  })
})
