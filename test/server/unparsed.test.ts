import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Served, serve } from '../../packages/server/src/listen.ts'
import { createTestApp, type TestApp } from '../kit/app.ts'

let app: TestApp
let served: Served

beforeAll(async () => {
  app = await createTestApp()
  const { node, clientError } = app.copydesk
  served = await serve(node, { port: 0, clientError })
})

afterAll(async () => {
  await served.close()
  await app[Symbol.asyncDispose]()
})

function open() {
  const socket = connect(served.port, '127.0.0.1')
  let text = ''
  socket.setEncoding('latin1').on('data', (more: string) => void (text += more))
  socket.on('error', () => undefined)
  return { socket, got: () => text }
}

/** Sends text over a socket of its own, and reads until the other side hangs up. */
async function exchange(...pieces: string[]): Promise<string> {
  const { socket, got } = open()
  for (const piece of pieces) socket.write(piece, 'latin1')
  await once(socket, 'close')
  return got()
}

/** @returns status, headers and body of the last answer */
function read(text: string) {
  const [head = '', body = ''] = text.slice(text.lastIndexOf('HTTP/1.1 ')).split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = new Headers(lines.map((line) => line.split(': ', 2) as [string, string]))
  return { status: Number(first.split(' ')[1]), headers, body }
}

const head = 'GET /health HTTP/1.1\r\nHost: x\r\n'

describe('clientError', () => {
  it.each([
    ['rubbish', ['\x16\x03\x01\x02\0\x01\0\r\n\r\n'], 400],
    ['a version that is none', ['GET / HTTP/9.9\r\nHost: x\r\n\r\n'], 400],
    ['a NUL in a header', [`${head}X-Nul: a\0b\r\n\r\n`], 400],
    [
      'two lengths',
      ['POST /auth/v1/login HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd'],
      400,
    ],
    ['a request without a host', ['GET /health HTTP/1.1\r\n\r\n'], 400],
    ['headers that are too large', [`${head}X-Big: ${'z'.repeat(20_000)}\r\n\r\n`], 431],
    [
      'headers that go on after they are refused',
      [`${head}X-Big: ${'z'.repeat(20_000)}`, 'z'.repeat(200_000)],
      431,
    ],
  ] as const)('responds to %s with the error envelope, with an id', async (_, pieces, status) => {
    const answer = read(await exchange(...pieces))
    expect(answer.status).toBe(status)
    expect(JSON.parse(answer.body)).toEqual({
      error: { code: 'BAD_REQUEST', message: expect.stringMatching(/^[A-Z][\w ]+$/) },
    })
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(answer.headers.get('content-length')).toBe(String(answer.body.length))
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('connection')).toBe('close')
  })

  it('responds to a HEAD without a body', async () => {
    const large = `HEAD /health?${'a'.repeat(30_000)} HTTP/1.1\r\nHost: x\r\n\r\n`
    const { status, headers, body } = read(await exchange(large))
    expect([status, body]).toEqual([431, ''])
    expect(Number(headers.get('content-length'))).toBeGreaterThan(0)
  })

  it('responds to an invalid request after a valid one on the same connection', async () => {
    const { socket, got } = open()
    socket.write(`${head}\r\n`)
    await expect.poll(got).toContain('200 OK')
    socket.write('NONSENSE\r\n\r\n')
    await once(socket, 'close')
    expect([...got().matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status)).toEqual(['200', '400'])
  })

  it('writes nothing into an unfinished response', async () => {
    const { adminToken } = await app.team()
    const { socket, got } = open()
    socket.write(
      `GET /dashboard/v1/events/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminToken}\r\n\r\n`,
    )
    await expect.poll(got).toContain('text/event-stream')
    socket.write('NONSENSE\r\n\r\n')
    await once(socket, 'close')
    expect(got().match(/HTTP\/1\.1/g)).toHaveLength(1)
    expect(got()).not.toContain('BAD_REQUEST')
  })

  it('ignores an unknown expectation', async () => {
    const answer = read(await exchange(`${head}Expect: magic\r\nConnection: close\r\n\r\n`))
    expect(answer.status).toBe(200)
  })
})
