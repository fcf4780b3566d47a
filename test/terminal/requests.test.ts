import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Client, createClient } from '@copydesk/client'
import { expect, it, onTestFinished } from 'vitest'
import { type Heard, noted, sentence } from '../../packages/terminal/src/screens/requests.ts'
import { createTestClock } from '../kit/clock.ts'

/** The client of a terminal at a server that answers when the test does: `asked` gives the answer of the next request. */
async function atSlowServer() {
  const takers: Array<(answer: ServerResponse) => void> = []
  const server = createServer((_, answer) => takers.shift()?.(answer))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const clock = createTestClock()
  const heard: Heard[] = []
  const plain = createClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  const { client, log } = noted(plain, { ...clock, heard: (what) => void heard.push(what) })
  const asked = () => new Promise<ServerResponse>((resolve) => void takers.push(resolve))
  return { client, log, clock, heard, asked }
}

const asking = {
  read: (client: Client) => client.call('cli', 'GET /status'),
  'what a model may be asked': (client: Client) =>
    client.call('cli', 'POST /nl', { body: { query: 'what waits', context: { surface: 'cli' } } }),
}

it.each([
  ['read', 20_000],
  ['what a model may be asked', 120_000],
] as const)(
  'waits for what is %s for %d ms, then reports that the server does not respond',
  async (what, ms) => {
    const { client, log, clock, heard, asked } = await atSlowServer()
    const [first, second] = [asked(), asked()]
    const inTime = asking[what](client)
    const answer = await first
    clock.advance(ms - 1)
    answer.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    expect(await inTime).toEqual({})

    const tooLate = asking[what](client).catch(sentence)
    await second
    clock.advance(ms)
    expect(await tooLate).toBe('The server does not answer')
    expect(log.entries).toMatchObject([
      { outcome: 'ok', tookMs: ms - 1 },
      { outcome: 'not reached', tookMs: ms },
    ])
    expect(heard).toEqual(['answered', 'nothing'])
  },
)

it('does not count the requests of a closed screen as failures', async () => {
  const { client, log, clock, heard, asked } = await atSlowServer()
  const left = new AbortController()
  const read = () =>
    client.call('cli', 'GET /status', { signal: left.signal }).catch(({ name }: Error) => name)
  const under = asked()
  const begun = read()
  await under
  left.abort()
  expect(await begun).toBe('AbortError')
  expect(await read()).toBe('AbortError')
  // What was called off is not called off once more.
  clock.advance(60_000)
  expect(log.entries.map(({ outcome }) => outcome)).toEqual(['left', 'left'])
  expect(heard).toEqual([])
})
