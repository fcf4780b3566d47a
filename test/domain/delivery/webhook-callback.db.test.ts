import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSystemClock } from '../../../packages/core/src/platform/clock.ts'
import { describeSurfaces } from '../../../packages/core/src/surfaces/describe.ts'
import { signingKeys } from '../../kit/app.ts'
import { createListeningHarness, type ListeningHarness } from '../../kit/listening.ts'
import type { Agent, Dispatch } from '../../kit/runtime.ts'
import { createTestTokens } from '../../kit/test-tokens.ts'

/** How a runtime of someone else phones home: over a socket, at the URLs that it was told, with what it was given. */

async function send(url: string, token: string, body?: object, method = 'POST') {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as { error?: { code: string } } }
}

/** The two endpoints for a result, as the contract names them, with the response of each. */
const doors = [
  {
    door: 'the callbackUrl',
    urlOf: ({ callbackUrl }: Dispatch) => callbackUrl,
    body: {
      status: 'completed',
      output: 'A post',
      sessionId: null,
      usage: { inputTokens: 5, outputTokens: 2 },
      error: null,
    },
    reply: () => ({ received: true }),
  },
  {
    door: 'the result of the run',
    urlOf: ({ callbackUrl, taskId }: Dispatch) =>
      `${new URL(callbackUrl).origin}/agent/v1/runs/${taskId}/result`,
    body: { status: 'success', text: 'A post', usage: { inputTokens: 5, outputTokens: 2 } },
    reply: (runId: string) => ({ received: true, runId }),
  },
]
const pairs = doors.flatMap((first) => doors.map((second) => ({ first, second })))

describe('a result', () => {
  it.each(pairs)(
    'by $first.door is the only one: $second.door rejects the next',
    async ({ first, second }) => {
      await using harness = await createListeningHarness()
      const { dispatch, runId } = await harness.order()
      const { taskToken } = dispatch
      expect(dispatch.callbackUrl).toBe(`${harness.url}/agent/v1/callback/${runId}`)
      expect(await send(first.urlOf(dispatch), taskToken, first.body)).toEqual({
        status: 200,
        body: first.reply(runId),
      })
      expect(await harness.run(runId)).toMatchObject({ status: 'completed' })
      expect((await harness.activityOf(runId)).status).toBe('awaiting_approval')
      const before = await harness.state()
      expect(await send(second.urlOf(dispatch), taskToken, second.body)).toMatchObject({
        status: 409,
        body: { error: { code: 'CONFLICT', message: 'The result of this run was already received' } },
      })
      expect(await harness.state()).toEqual(before)
    },
  )

  it.each(['', ' \n', null])(
    'that failed for the reason %j reports that no result was delivered',
    async (error) => {
      await using harness = await createListeningHarness()
      const { dispatch, runId } = await harness.order()
      const body = { status: 'failed', output: null, sessionId: null, usage: null, error }
      expect((await send(dispatch.callbackUrl, dispatch.taskToken, body)).status).toBe(200)
      const reason = 'The runtime reported a failure without a reason'
      expect(await harness.run(runId)).toMatchObject({ status: 'failed', error: reason })
      expect(await harness.activityOf(runId)).toMatchObject({ status: 'failed', failure_reason: reason })
    },
  )
})

describe('every endpoint of a run', () => {
  const ofRuns = describeSurfaces().filter(
    ({ access, path }) => !access.public && access.credentials.includes('task') && path.includes(':runId'),
  )
  const expired = { status: 401, body: { error: { code: 'TOKEN_EXPIRED' } } }
  const invalid = { status: 401, body: { error: { code: 'INVALID_TOKEN' } } }
  const foreign = { status: 401, body: { error: { code: 'UNAUTHORIZED' } } }
  let harness: ListeningHarness
  let own: Agent
  let others: string
  let neighbours: string

  beforeAll(async () => {
    harness = await createListeningHarness()
    own = await harness.order()
    others = (await harness.order()).dispatch.taskToken
    neighbours = await tokenOfAnotherTenant(harness)
  })
  afterAll(() => harness[Symbol.asyncDispose]())

  it('includes those that the contract names', () => {
    const routes = ofRuns.map(({ method, path }) => `${method} ${path.replace('/agent/v1', '')}`)
    const named = ['POST /callback/:runId', 'POST /runs/:runId/result', 'GET /runs/:runId/context']
    expect(routes).toEqual(expect.arrayContaining(named))
  })

  it.each(ofRuns.map((info) => ({ route: `${info.method} ${info.path}`, info })))(
    '$route accepts no token but that of the run, and a rejected request changes nothing',
    async ({ info: { method, path } }) => {
      const url = harness.url + path.replace(':runId', own.runId)
      const now = Math.floor(Date.now() / 1000)
      const claims = { sub: own.runId, attempt: 1 }
      const sign = (secret: string, exp: number) =>
        createTestTokens({ signingKeys: [{ id: 's1', secret }], clock: createSystemClock() }).sign('task', {
          ...claims,
          exp,
        })
      const secret = signingKeys[0]?.secret ?? ''
      // The claims of this run under the signature of another.
      const [head, payload] = own.dispatch.taskToken.split('.')
      const moved = [head, payload, others.split('.')[2]].join('.')
      const before = await harness.state()
      for (const [token, refusal] of [
        [moved, invalid],
        [sign('another secret that is long enough to sign with', now + 60), invalid],
        [sign(secret, now - 1), expired],
        [others, foreign],
        [neighbours, foreign],
      ] as const) {
        expect(await send(url, token, undefined, method)).toMatchObject(refusal)
      }
      expect(await harness.state()).toEqual(before)
    },
  )

  it('accepts the token of the run', async () => {
    for (const { path } of ofRuns.filter(({ method }) => method === 'GET')) {
      const headers = { authorization: `Bearer ${own.dispatch.taskToken}` }
      const response = await fetch(harness.url + path.replace(':runId', own.runId), { headers })
      expect(response.status, path).toBe(200)
      await response.body?.cancel()
    }
    await own.deliver('After all')
    expect((await harness.run(own.runId)).status).toBe('completed')
  })
})

async function tokenOfAnotherTenant({ app, runtime, next }: ListeningHarness): Promise<string> {
  const { tenantId, admin } = await app.team()
  await app.copydesk.asSystem({ tenantId }).agents.configure('social_writer', {
    adapterType: 'adapter_b',
    adapterConfig: { webhookUrl: runtime.url },
  })
  await admin.call('dashboard', 'POST /campaigns', {
    body: { name: 'Spring', brief: 'Oats', deliverables: [{ type: 'social_post', quantity: 1 }] },
  })
  const { dispatch } = await next()
  expect(dispatch.tenantId).toBe(tenantId)
  return dispatch.taskToken
}
