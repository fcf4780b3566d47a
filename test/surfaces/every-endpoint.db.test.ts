import type { EndpointInfo } from '@copydesk/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeSurfaces } from '../../packages/core/src/surfaces/describe.ts'
import { createTestApp, type Team, type TestApp } from '../kit/app.ts'

/** Generated from the route tables: what every endpoint must refuse, and that a refusal leaves nothing behind. */

const endpoints = describeSurfaces()
const closed = endpoints.filter(({ access }) => !access.public)
const jwt = closed.filter(({ access }) => !access.public && access.credentials.includes('jwt'))
const task = closed.filter(({ access }) => !access.public && access.credentials.includes('task'))
const withBody = endpoints.filter(({ definition }) => definition.kind === 'json' && definition.body)
const unknownId = '01ARZ3NDEKTSV4RRFFQ69G5FAV'

let app: TestApp
let team: Team
let reviewerToken: string
let before: string
let callers = 0

const tables = [
  'audit_records',
  'event',
  'job',
  'activities',
  'approvals',
  'campaigns',
  'runs',
  'outputs',
  'notifications',
]

beforeAll(async () => {
  app = await createTestApp({ worker: false })
  team = await app.team()
  const { accessToken } = await app.clientFor().call('auth', 'POST /login', {
    body: { email: 'reviewer.1.tenant-1@test.example', password: 'Correct-horse-1', app: 'dm-portal' },
  })
  reviewerToken = accessToken
  before = await contents()
})

afterAll(() => app[Symbol.asyncDispose]())

async function contents(): Promise<string> {
  const counts = await Promise.all(
    tables.map((table) => app.db.sql.get<{ n: number }>(`select count(*) as n from ${table}`)),
  )
  return tables.map((table, index) => `${table} ${Number(counts[index]?.n)}`).join(', ')
}

const fill = (path: string, id = unknownId) => path.replace(/:\w+/g, id)

async function send(
  { method, path }: EndpointInfo,
  options: { id?: string; token?: string; body?: string; scheme?: string } = {},
) {
  const { id, token, body, scheme = 'Bearer' } = options
  const init = {
    method,
    headers: {
      ...(token !== undefined && { authorization: `${scheme} ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body }),
  }
  // Each from another address: limits of callers without a credential have a test of their own.
  const response = await app.fetch(fill(path, id), init, {
    ip: `10.1.${Math.floor((callers += 1) / 250)}.${callers % 250}`,
  })
  const text = await response.text()
  const code = text.startsWith('{')
    ? ((JSON.parse(text) as { error?: { code: string } }).error?.code ?? null)
    : null
  return { status: response.status, code, headers: response.headers, text }
}

const tokenFor = ({ surface }: EndpointInfo) => (surface === 'dm' ? reviewerToken : team.adminToken)

describe.each(closed.map((info) => [info.id, info] as const))('%s', (_, info) => {
  it('refuses a caller without a credential, and says so in the envelope', async () => {
    const answer = await send(info)
    expect(answer).toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
    expect(answer.headers.get('x-ratelimit-limit')).toMatch(/^\d+$/)
  })

  it('refuses garbage, an unsigned token and a foreign signature', async () => {
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from('{"sub":"x"}').toString('base64url')}.`
    const forged = `${team.adminToken.slice(0, -4)}AAAA`
    for (const token of ['garbage', none, forged]) {
      expect(await send(info, { token })).toMatchObject({ status: 401, code: 'INVALID_TOKEN' })
    }
  })

  it('refuses an API key', async () => {
    expect(await send(info, { token: 'cdk_test_nokey', scheme: 'ApiKey' })).toMatchObject({
      status: 401,
      code: 'UNAUTHORIZED',
    })
  })
})

describe.each(task.map((info) => [info.id, info] as const))('%s', (_, info) => {
  it("refuses a person's token", async () => {
    expect(await send(info, { token: team.adminToken })).toMatchObject({ status: 401, code: 'INVALID_TOKEN' })
  })
})

describe.each(
  jwt
    .filter(({ surface }) => surface === 'dashboard' || surface === 'dm')
    .map((info) => [info.id, info] as const),
)('%s', (_, info) => {
  it("refuses somebody of another surface's audience", async () => {
    const token = info.surface === 'dm' ? team.adminToken : reviewerToken
    expect(await send(info, { token })).toMatchObject({ status: 403, code: 'FORBIDDEN' })
  })

  it.runIf(info.path.includes(':'))(
    'does not know an id that is none, and one that does not exist',
    async () => {
      const token = tokenFor(info)
      const body = info.definition.body ? JSON.stringify(validBodies[info.id] ?? {}) : undefined
      for (const id of ['not-an-id', unknownId]) {
        expect(await send(info, { token, id, ...(body !== undefined && { body }) })).toMatchObject({
          status: 404,
          code: 'NOT_FOUND',
        })
      }
    },
  )
})

describe.each(withBody.filter(({ surface }) => surface !== 'agent').map((info) => [info.id, info] as const))(
  '%s',
  (_, info) => {
    it('refuses broken, foreign and hostile bodies with the field that is wrong', async () => {
      const token = info.access.public ? undefined : tokenFor(info)
      const given = token === undefined ? {} : { token }
      for (const body of ['{', '[]', '"text"', 'null', '{"__proto__":{"admin":true}}', '['.repeat(5_000)]) {
        expect(await send(info, { ...given, body }), body.slice(0, 30)).toMatchObject({
          status: 400,
          code: 'VALIDATION_ERROR',
        })
      }
      const unknownField = await send(info, {
        ...given,
        body: JSON.stringify({ ...validBodies[info.id], surprise: 1 }),
      })
      expect(unknownField).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' })
      expect(unknownField.text).toContain('surprise')
    })
  },
)

describe('a known path with another method', () => {
  it('answers 405 with what is allowed', async () => {
    for (const info of [...jwt, ...endpoints.filter(({ access }) => access.public)]) {
      const token = info.access.public ? {} : { token: tokenFor(info) }
      const answer = await send({ ...info, method: 'PUT' }, token)
      expect(answer, info.id).toMatchObject({ status: 405, code: 'METHOD_NOT_ALLOWED' })
      expect(answer.headers.get('allow')).toContain(info.method)
    }
  })
})

describe('all these refusals', () => {
  it('have left nothing in the database', async () => {
    expect(await contents()).toBe(before)
  })
})

/** A body that each endpoint would take, so that only the id or the extra field is wrong. */
const validBodies: Record<string, object> = {
  'auth.login': { email: 'nobody@test.example', password: 'x', app: 'dashboard' },
  'auth.refresh': { refreshToken: 'x' },
  'dashboard.activities.comment': { text: 'Hello' },
  'dashboard.approvals.resolve': { resolution: 'approved' },
  'dashboard.campaigns.create': { name: 'x', brief: 'x', deliverables: [{ type: 'blog_post', quantity: 1 }] },
  'dashboard.campaigns.change': { name: 'New' },
  'dm.approvals.resolve': { resolution: 'approved' },
}
