import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAgentRuntime } from '@copydesk/client/agent'
import { describe, expect, it } from 'vitest'
import { createTestClock } from '../kit/clock.ts'

const secret = { header: 'X-Runtime-Key', value: 'a secret of two' }
const headers = { 'x-runtime-key': secret.value, 'content-type': 'application/json' }
const dispatch = { taskId: 'a run', taskToken: 'a.token', timeoutMs: 60_000 }
const body = JSON.stringify(dispatch)

/** A runtime whose work never ends, and the two ways to it. */
async function createDoors(options: { baseUrl?: string; concurrency?: number; maxBytes?: number } = {}) {
  const performed: string[] = []
  const asked: string[] = []
  const runtime = createAgentRuntime({
    baseUrl: 'http://copydesk.test',
    ...options,
    secret,
    perform: (run) => {
      performed.push(run.id)
      return new Promise((_, reject) => {
        run.signal.addEventListener('abort', () => reject(run.signal.reason as Error))
      })
    },
    fetch: async (url) => {
      asked.push(String(url))
      return Response.json({ received: true })
    },
    clock: createTestClock(),
  })
  const server = createServer((request, response) => void runtime.node(request, response)).listen(
    0,
    '127.0.0.1',
  )
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const read = async (response: Response) => ({
    status: response.status,
    text: await response.text(),
    headers: response.headers,
  })
  return {
    runtime,
    performed,
    asked,
    url,
    doors: {
      node: async (init: RequestInit) => read(await fetch(url, init)),
      fetch: async (init: RequestInit) =>
        read(await runtime.fetch(new Request('http://runtime.test/', init))),
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

describe('createAgentRuntime', () => {
  it.each(['node', 'fetch'] as const)(
    'by %s is rejected with a reason, unless it comes from Copydesk',
    async (name) => {
      await using made = await createDoors({ maxBytes: 200 })
      const ask = made.doors[name]
      const refusals: Array<[RequestInit, number, string]> = [
        [{ method: 'GET', headers }, 405, 'A dispatch must be a POST request.'],
        [
          { method: 'POST', body },
          401,
          'The header X-Runtime-Key does not carry the secret of this runtime.',
        ],
        ...['', 'a secret', `${secret.value}.`, secret.value.toUpperCase()].map(
          (value): [RequestInit, number, string] => [
            { method: 'POST', body, headers: { ...headers, 'x-runtime-key': value } },
            401,
            'The header X-Runtime-Key does not carry the secret of this runtime.',
          ],
        ),
        [
          { method: 'POST', body, headers: { ...headers, 'content-type': 'text/plain' } },
          415,
          'A dispatch must have the content type application/json.',
        ],
        [
          { method: 'POST', body: `"${'x'.repeat(300)}"`, headers },
          413,
          'A dispatch may have at most 200 bytes here.',
        ],
        [{ method: 'POST', body: '', headers }, 400, 'The body is not JSON.'],
        [{ method: 'POST', body: '{', headers }, 400, 'The body is not JSON.'],
        [{ method: 'POST', body: 'null', headers }, 400, 'A dispatch must have a taskId.'],
        [{ method: 'POST', body: '[]', headers }, 400, 'A dispatch must have a taskId.'],
        [{ method: 'POST', body: '{"taskId":"a run"}', headers }, 400, 'A dispatch must have a taskToken.'],
        [
          { method: 'POST', body: '{"taskId":"a run","taskToken":"a\\r\\nb","timeoutMs":1}', headers },
          400,
          'A dispatch must have a taskToken.',
        ],
        [
          { method: 'POST', body: '{"taskId":"a run","taskToken":"a"}', headers },
          400,
          'A dispatch must have a positive number timeoutMs.',
        ],
      ]
      for (const [init, status, text] of refusals) expect(await ask(init)).toMatchObject({ status, text })
      expect({ busy: made.runtime.busy, performed: made.performed, asked: made.asked }).toEqual({
        busy: 0,
        performed: [],
        asked: [],
      })
      // The right secret is all that was missing.
      expect(await ask({ method: 'POST', body, headers })).toMatchObject({
        status: 202,
        text: 'Run a run is accepted.',
      })
      await expect.poll(() => made.performed).toEqual(['a run'])
    },
  )

  it('without a length that grows too large is rejected, and its body is read to the end', async () => {
    await using made = await createDoors({ maxBytes: 1_000 })
    const asked = httpRequest(made.url, { method: 'POST', headers })
    for (let n = 0; n < 50; n += 1) asked.write('x'.repeat(1_000))
    asked.end()
    const [response] = (await once(asked, 'response')) as [{ statusCode: number; resume(): void }]
    expect(response.statusCode).toBe(413)
    response.resume()
    expect(made.runtime.busy).toBe(0)
  })

  it('beyond its maximum is answered with a delay for Copydesk', async () => {
    await using made = await createDoors({ concurrency: 2 })
    const give = (taskId: string, taskToken = taskId) =>
      made.doors.fetch({ method: 'POST', headers, body: JSON.stringify({ ...dispatch, taskId, taskToken }) })
    expect((await give('one')).status).toBe(202)
    expect((await give('two')).status).toBe(202)
    const refused = await give('three')
    expect(refused).toMatchObject({ status: 503, text: '2 runs are running already.' })
    expect(refused.headers.get('retry-after')).toBe('60')
    // What it has already is no more work.
    expect((await give('one')).status).toBe(202)
    expect((await give('two', 'a.newer.token')).status).toBe(202)
    await expect.poll(() => made.performed).toEqual(['one', 'two'])
  })

  it('uses only the callback of its own run', async () => {
    const runtime = createAgentRuntime({ secret, perform: async () => 'A text' })
    for (const callbackUrl of [
      undefined,
      'ftp://copydesk.test/agent/v1/callback/run',
      'https://copydesk.test/agent/v1/callback/other',
      'https://copydesk.test/callback/run',
    ]) {
      const body = JSON.stringify({ ...dispatch, taskId: 'run', callbackUrl })
      const response = await runtime.fetch(
        new Request('http://runtime.test', { method: 'POST', headers, body }),
      )
      expect([response.status, await response.text()]).toEqual([
        400,
        'callbackUrl is not the callback of the run.',
      ])
    }
  })

  it('cannot be created without a secret', () => {
    for (const wrong of [
      { header: '', value: 'x' },
      { header: 'x', value: '' },
    ])
      expect(() => createAgentRuntime({ secret: wrong, perform: async () => 'x' })).toThrow(TypeError)
  })
})
