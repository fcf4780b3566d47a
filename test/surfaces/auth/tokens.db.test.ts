import { createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createTokens } from '../../../packages/core/src/domain/accounts/identity/tokens.ts'
import { campaignTables, contents } from '../../domain/contents.ts'
import { createTestApp, password, signingKeys, type Team, type TestApp } from '../../kit/app.ts'
import { createTestClock, type TestClock } from '../../kit/clock.ts'
import { createTestTokens } from '../../kit/test-tokens.ts'

const secret = signingKeys[0]?.secret ?? ''
const ulid = '01ARZ3NDEKTSV4RRFFQ69G5FAV'
const unhashed = (text: string) => Buffer.from(text).toString('base64url')

/** A token whose signature is right, whatever its parts are. */
function signed(header: string, payload: string, key = secret): string {
  const text = `${header}.${payload}`
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
}

const ownHeader = { alg: 'HS256', typ: 'JWT', kid: signingKeys[0]?.id }

/** Signs values, or JSON that is written by hand. */
const sign = (header: object | string, payload: unknown, key = secret) =>
  signed(
    unhashed(typeof header === 'string' ? header : JSON.stringify(header)),
    unhashed(typeof payload === 'string' ? payload : JSON.stringify(payload)),
    key,
  )

let clock: TestClock
let app: TestApp
let team: Team
let claims: Record<string, unknown>
let refreshToken: string
let before: unknown
let callers = 0
const tables = [...campaignTables, 'sessions', 'users', 'idempotency_records']

beforeAll(async () => {
  clock = createTestClock()
  app = await createTestApp({ clock, worker: false })
  team = await app.team()
  claims = JSON.parse(atob(team.adminToken.split('.')[1] ?? '')) as Record<string, unknown>
  const body = { email: 'admin.1.tenant-1@test.example', password, app: 'dashboard' as const }
  refreshToken = (await app.clientFor().call('auth', 'POST /login', { body })).refreshToken
  before = await contents(app, tables)
})

afterAll(() => app[Symbol.asyncDispose]())

/** Shows a token at a write, so that an accepted one would leave something behind. */
async function show(token: string, path = '/dashboard/v1/campaigns', scheme = 'Bearer') {
  const body = { name: 'Spring', brief: 'Oats', deliverables: [{ type: 'blog_post', quantity: 1 }] }
  const response = await app.fetch(
    path,
    {
      method: 'POST',
      headers: { authorization: `${scheme} ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    },
    // Each from another address: callers without a principal are counted by it.
    { ip: `10.3.0.${(callers += 1)}` },
  )
  const { error } = (await response.json()) as { error?: { code: string } }
  return { status: response.status, code: error?.code, told: response.headers.get('www-authenticate') }
}

const invalid = { status: 401, code: 'INVALID_TOKEN', told: 'Bearer error="invalid_token"' }

async function expectNothingWritten() {
  expect(await contents(app, tables)).toEqual(before)
}

async function expectRefused(token: string, path?: string) {
  expect(await show(token, path), token).toEqual(invalid)
}

afterEach(expectNothingWritten)

const tokens = () => createTestTokens({ signingKeys, clock })

describe('an access token', () => {
  it('has the same bytes as one of these tests’ independent implementation', () => {
    expect(sign(ownHeader, claims)).toBe(team.adminToken)
  })

  it('is rejected when it is signed by another key, or unsigned', async () => {
    const [header = '', payload = '', signature = ''] = team.adminToken.split('.')
    await expectRefused(sign(ownHeader, claims, 'another secret that is long enough to sign with'))
    await expectRefused(sign({ ...ownHeader, kid: 's2' }, claims))
    await expectRefused(sign({ alg: 'HS256', typ: 'JWT' }, claims))
    await expectRefused(`${header}.${payload}.${'A'.repeat(43)}`)
    await expectRefused(
      `${header}.${unhashed(JSON.stringify({ ...claims, role: 'super_admin' }))}.${signature}`,
    )
    for (const alg of ['none', 'None', '', 'HS512', 'RS256', undefined, ['HS256']]) {
      const header = unhashed(JSON.stringify({ ...ownHeader, alg }))
      await expectRefused(`${header}.${payload}.`)
      await expectRefused(`${header}.${payload}.${signature}`)
      await expectRefused(signed(header, payload))
    }
    await expectRefused(sign({ ...ownHeader, crit: ['exp'] }, claims))
  })

  it('is accepted from any of the configured keys, so that they can be rotated', async () => {
    const older = { id: 's0', secret: 'the secret of yesterday, long enough to sign with' }
    const token = createTestTokens({ signingKeys: [older], clock }).sign('access', claims as never)
    await expectRefused(token)
    const rotated = await app.another({ worker: false, signingKeys: [...signingKeys, older] })
    const request = (bearer: string) =>
      new Request('http://copydesk.test/auth/v1/me', { headers: { authorization: `Bearer ${bearer}` } })
    expect((await rotated.fetch(request(token))).status).toBe(200)
    expect((await rotated.fetch(request(team.adminToken))).status).toBe(200)
  })

  it('is not cached beyond the keys that it was verified with', async () => {
    const [current = { id: '', secret: '' }] = signingKeys
    const verifier = createTokens({ signingKeys: [current], clock })
    const underWay = verifier.verify(team.adminToken, 'access')
    verifier.replaceKeys([{ id: 'next', secret: 'the secret of tomorrow, long enough to sign with' }])
    await Promise.allSettled([underWay])
    await expect(async () => verifier.verify(team.adminToken, 'access')).rejects.toThrow('not valid')
  })

  it('is not accepted as another kind of token, nor another kind as an access token', async () => {
    const exp = Math.floor(clock.now() / 1000) + 600
    const { sub } = claims as { sub: string }
    for (const token of [
      tokens().sign('task', { sub: ulid, attempt: 1, exp }),
      tokens().sign('registration', { sub }),
      tokens().sign('reset', { sub, jti: ulid }),
      refreshToken,
      sign(ownHeader, { ...claims, aud: undefined }),
      sign(ownHeader, { ...claims, aud: 'dashboard' }),
      sign(ownHeader, { ...claims, aud: ['access'] }),
      sign(ownHeader, { ...claims, aud: ['task', 'access'] }),
      sign(ownHeader, { ...claims, aud: '__proto__' }),
    ])
      await expectRefused(token)
    await expectRefused(team.adminToken, `/agent/v1/runs/${sub}/result`)
    await expectRefused(refreshToken, `/agent/v1/runs/${sub}/result`)
  })

  it('has one encoding: no padding, other alphabet, spare bits or extra parts', async () => {
    const [header = '', payload = '', signature = ''] = team.adminToken.split('.')
    const last = signature.slice(-1)
    const spare = String.fromCharCode(last.charCodeAt(0) + 1)
    expect(Buffer.from(signature.slice(0, -1) + spare, 'base64url').length).toBe(32)
    for (const token of [
      `${header}.${payload}.${signature}=`,
      `${header}.${payload}.${signature.slice(0, -1)}${spare}`,
      `${header}.${payload}.${signature.slice(0, -1)}`,
      `${header}.${payload}.${signature}A`,
      `${team.adminToken}.`,
      `${team.adminToken}.${signature}`,
      `.${team.adminToken}`,
      `${header}..${payload}.${signature}`,
      `${header}.${signature}`,
      header,
      '...',
      `${'A'.repeat(9_000)}.${payload}.${signature}`,
    ])
      await expectRefused(token)
    // The signature covers these as they are written; it is the spelling that is wrong.
    const padded = (text: string) => Buffer.from(text).toString('base64')
    await expectRefused(signed(header, padded(JSON.stringify({ ...claims, name: 'Ada' }))))
    await expectRefused(signed(padded(JSON.stringify({ ...ownHeader, typ: 'JW' })), payload))
    await expectRefused(signed(header, padded(JSON.stringify({ ...claims, name: '~~~???' }))))
    const verifier = createTokens({ signingKeys, clock })
    for (const blank of ['\n', ' ', '\r\n', '\t']) {
      for (const token of [signed(header, `${payload}${blank}`), `${team.adminToken}${blank}`]) {
        await expect(async () => verifier.verify(token, 'access')).rejects.toThrow('not valid')
      }
    }
  })

  it('must be alone in its header: with blanks inside it is invalid', async () => {
    for (const text of [
      `${team.adminToken} x`,
      team.adminToken.replace('.', '. '),
      `x\t${team.adminToken}`,
    ]) {
      expect(await show(text)).toEqual({ status: 401, code: 'UNAUTHORIZED', told: 'Bearer' })
    }
  })

  it('is canonical JSON: no duplicate keys, no other encoding, only an object', async () => {
    const text = JSON.stringify(claims)
    for (const payload of [
      `{"aud":"task",${text.slice(1)}`,
      `${text.slice(0, -1)},"role":"super_admin"}`,
      `${text.slice(0, -1)},"role":"admin"}`,
      ` ${text}`,
      text.replaceAll(':', ': '),
      text.replace('"sub"', String.raw`"\u0073ub"`),
      `\uFEFF${text}`,
      `[${text}]`,
      'null',
      '"text"',
      '1',
      '{',
    ])
      await expectRefused(sign(ownHeader, payload))
    const header = JSON.stringify(ownHeader)
    await expectRefused(sign(`{"alg":"none",${header.slice(1)}`, claims))
    await expectRefused(sign(`${header.slice(0, -1)},"kid":"s1"}`, claims))
    const broken = Buffer.concat([Buffer.from(text.slice(0, -2)), Buffer.from([0xff]), Buffer.from('"}')])
    await expectRefused(signed(unhashed(header), broken.toString('base64url')))
  })

  it('must have claims of the known shape', async () => {
    for (const change of [
      { sub: undefined },
      { sub: 'system' },
      { sub: 1 },
      { role: 'agent' },
      { role: 'root' },
      { role: undefined },
      { role: ['admin'] },
      { appAccess: 'dashboard' },
      { appAccess: ['dashboard', 'everything'] },
      { appAccess: undefined },
      { tenantId: 1 },
      { tenantId: '' },
      { tenantId: null },
      { tenantId: [claims['tenantId']] },
      { sid: undefined },
      { sid: '' },
      { name: { first: 'Ada' } },
      { email: 1 },
      { iat: undefined },
      { iat: '1' },
      { exp: undefined },
      { exp: String(claims['exp']) },
      { exp: 1.5 },
      { exp: -1 },
      { exp: null },
      { exp: 1e300 },
    ])
      await expectRefused(sign(ownHeader, { ...claims, ...change }))
  })

  it('is rejected when its tenant does not exist', async () => {
    expect(await show(sign(ownHeader, { ...claims, tenantId: ulid }))).toMatchObject({
      status: 401,
      code: 'TENANT_NOT_FOUND',
    })
  })

  it('is rejected when its tenant has been suspended', async () => {
    await using other = await createTestApp({ clock, worker: false })
    const { admin, tenantId } = await other.team()
    await admin.call('dashboard', 'GET /campaigns')
    await other.db.write((tx) => tx.run(`update tenants set status = 'suspended' where id = ?`, [tenantId]))
    clock.advance(5_000)
    const refused = { status: 401, code: 'UNAUTHORIZED' }
    await expect(admin.call('dashboard', 'GET /campaigns')).rejects.toMatchObject(refused)
    await expect(admin.call('auth', 'GET /me')).rejects.toMatchObject(refused)
  })

  // The last one: the clock stays where it is moved to.
  it('expires after fifteen minutes, to the millisecond, with a specific error', async () => {
    clock.advance(Number(claims['exp']) * 1000 - clock.now() - 1)
    expect((await team.admin.call('auth', 'GET /me')).id).toBe(team.adminId)
    clock.advance(1)
    // One that is remembered, and one that this server has never seen.
    for (const token of [team.adminToken, sign(ownHeader, { ...claims, name: 'Someone' })]) {
      expect(await show(token)).toEqual({
        status: 401,
        code: 'TOKEN_EXPIRED',
        told: 'Bearer error="expired_token"',
      })
    }
    await expectRefused(sign(ownHeader, claims, 'another secret that is long enough to sign with'))
    await expectRefused(sign(ownHeader, { ...claims, aud: 'task', attempt: 1 }))
  })
})
