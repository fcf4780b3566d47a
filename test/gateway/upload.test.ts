import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import type { Ports } from '../../packages/core/src/gateway/ports.ts'
import { eventStream } from '../../packages/core/src/gateway/stream.ts'
import { upload } from '../../packages/core/src/gateway/upload.ts'
import { createRig, errorOf, listen, team, tenantA } from './rig.ts'

const put = upload({
  id: 'd.put',
  route: 'POST /files',
  summary: 'Upload',
  access: team,
  body: z.object({ label: z.string(), fail: z.string().optional() }),
  files: {
    files: { maxBytes: 1 << 20, maxFiles: 2, types: ['text/plain', '.md'] },
    cover: { maxBytes: 10, minFiles: 0 },
  },
  reply: { 201: z.object({ label: z.string(), files: z.array(z.unknown()) }) },
}).handle(async (_ctx, { body, files }) => {
  if (body.fail) throw new Error('boom')
  const told = files.files.map(async ({ name, type, size, sha256, bytes, stream }) => {
    let streamed = 0
    for await (const chunk of stream()) streamed += chunk.length
    return { name, type, size, sha256, read: (await bytes()).length, streamed }
  })
  return { label: body.label, files: await Promise.all(told) }
})

const skill = upload({
  id: 'd.skill',
  route: 'PATCH /skill',
  summary: 'Change by form or JSON',
  access: team,
  body: z.object({ name: z.string().optional() }),
  json: z.object({ name: z.string().optional(), content: z.string().optional() }),
  files: { file: { maxBytes: 100, minFiles: 0 } },
  reply: {
    200: z.object({ name: z.string().optional(), content: z.string().optional(), count: z.number() }),
  },
}).handle(async (_ctx, { body, files }) => ({ ...body, count: files.file.length }))

const live = eventStream({
  id: 'd.kb',
  route: 'POST /kb',
  summary: 'Upload and watch',
  access: team,
  files: { file: { maxBytes: 10, keepTooLarge: true } },
  events: { seen: z.object({ size: z.number(), tooLarge: z.boolean() }) },
  open(_ctx, { files }, channel) {
    for (const { size, tooLarge } of files.file) channel.send({ event: 'seen', data: { size, tooLarge } })
    channel.close()
  },
})

function form(
  files: [field: string, name: string, content: string | Uint8Array, type?: string][],
  fields = {},
) {
  const data = new FormData()
  for (const [field, name, content, type] of files) {
    data.append(field, new File([content as string], name, { type: type ?? 'text/plain' }))
  }
  for (const [name, value] of Object.entries(fields)) data.append(name, value as string)
  return data
}

const leftovers = () => readdirSync(tmpdir()).filter((name) => name.startsWith('copydesk-upload-'))
const rig = () => createRig([put, skill, live])
const good = { label: 'x' }

describe('upload', () => {
  it('passes small and large files, and leaves no temporary files behind', async () => {
    const { gateway, call } = rig()
    const before = leftovers()
    const big = Buffer.alloc(1 << 20, 'abc')
    const body = () =>
      form(
        [
          ['files', '../../etc/a.txt', 'hello'],
          ['files', 'b.md', big, 'text/markdown'],
        ],
        good,
      )
    await using server = await listen(gateway.node)
    const headers = { authorization: 'Bearer member' }
    const overWire = await fetch(`${server.url}/dashboard/v1/files`, {
      method: 'POST',
      headers,
      body: body(),
    })
    const inProcess = await call('POST', '/dashboard/v1/files', { as: 'member', body: body() })
    const sha = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')
    for (const response of [overWire, inProcess]) {
      expect(response.status).toBe(201)
      expect(await response.json()).toEqual({
        label: 'x',
        files: [
          { name: 'a.txt', type: 'text/plain', size: 5, sha256: sha('hello'), read: 5, streamed: 5 },
          {
            name: 'b.md',
            type: 'text/markdown',
            size: 1 << 20,
            sha256: sha(big),
            read: 1 << 20,
            streamed: 1 << 20,
          },
        ],
      })
    }
    const failed = await call('POST', '/dashboard/v1/files', {
      as: 'member',
      body: form([['files', 'b.txt', big]], { ...good, fail: 'yes' }),
    })
    expect(failed.status).toBe(500)
    await expect.poll(leftovers).toEqual(before)
  })

  it.each([
    [
      'a file that is too large',
      [['files', 'a.txt', 'x'.repeat((1 << 20) + 1)]],
      good,
      413,
      'PAYLOAD_TOO_LARGE',
      'files',
    ],
    ['another type', [['files', 'a.png', 'x', 'image/png']], good, 400, 'VALIDATION_ERROR', 'files'],
    [
      'too many files',
      [1, 2, 3].map((n) => ['files', `${n}.txt`, 'x']),
      good,
      413,
      'PAYLOAD_TOO_LARGE',
      'files',
    ],
    ['no file', [], good, 400, 'VALIDATION_ERROR', 'files'],
    ['a file in a field that takes none', [['other', 'a.txt', 'x']], good, 400, 'VALIDATION_ERROR', 'other'],
    ['a missing field', [['files', 'a.txt', 'x']], {}, 400, 'VALIDATION_ERROR', 'label'],
    ['an unknown field', [['files', 'a.txt', 'x']], { ...good, more: '1' }, 400, 'VALIDATION_ERROR', 'more'],
  ] as const)('refuses %s', async (_what, files, fields, status, code, field) => {
    const { call, gateway } = rig()
    const before = leftovers()
    const body = () => form(files as never, fields)
    const inProcess = await call('POST', '/dashboard/v1/files', { as: 'member', body: body() })
    expect(await errorOf(inProcess)).toEqual({ status, code, field })
    await using server = await listen(gateway.node)
    const headers = { authorization: 'Bearer member' }
    const overWire = await fetch(`${server.url}/dashboard/v1/files`, {
      method: 'POST',
      headers,
      body: body(),
    })
    expect(await errorOf(overWire)).toEqual({ status, code, field })
    expect(leftovers()).toEqual(before)
  })

  it.each([
    ['JSON', 'application/json', '{}', 415],
    ['no boundary', 'multipart/form-data', 'x', 400],
    [
      'a form that breaks off',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\nabc',
      400,
    ],
    ['garbage', 'multipart/form-data; boundary=b', 'garbage', 400],
  ])('refuses %s', async (_what, type, body, status) => {
    const { call, gateway } = rig()
    const headers = { 'content-type': type }
    expect((await call('POST', '/dashboard/v1/files', { as: 'member', body, headers })).status).toBe(status)
    await using server = await listen(gateway.node)
    const overWire = await fetch(`${server.url}/dashboard/v1/files`, {
      method: 'POST',
      headers: { ...headers, authorization: 'Bearer member' },
      body,
    })
    expect(overWire.status).toBe(status)
  })

  it.each([
    ['of another type', 'files', 'a.png', 'image/png', 'abc'],
    ['in a field that takes none', 'other', 'a.txt', 'text/plain', 'abc'],
    ['that is too large', 'cover', 'a.txt', 'text/plain', 'x'.repeat(100)],
    ['that is taken', 'files', 'a.txt', 'text/plain', 'abc'],
  ])('handles a form that ends in the middle of a file %s', async (_what, field, name, type, content) => {
    const errors: Error[] = []
    const note = (error: Error) => void errors.push(error)
    process.on('uncaughtExceptionMonitor', note)
    onTestFinished(() => void process.off('uncaughtExceptionMonitor', note))
    // All of the form has arrived when it is known who sends it.
    const authenticate: Ports['authenticate'] = async () => {
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
      return { id: 'U', type: 'human', role: 'member', tenantId: tenantA, appAccess: ['dashboard'] }
    }
    const { gateway, call } = createRig([put], { ports: { authenticate } })
    await using server = await listen(gateway.node)
    const start = `--b\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }
    for (const body of [start, start + content, `${start}${content}\r\n`, `${start}${content}\r\n--b`]) {
      const { status } = await call('POST', '/dashboard/v1/files', { as: 'member', body, headers })
      expect([400, 413]).toContain(status)
      const socket = connect(server.port, '127.0.0.1')
      socket.write(
        `POST /dashboard/v1/files HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer member\r\ncontent-length: ${body.length}\r\ncontent-type: ${headers['content-type']}\r\n\r\n${body}`,
      )
      expect(await text(socket)).toMatch(/^HTTP\/1\.1 4(00|13) /)
    }
    expect(errors).toEqual([])
  })

  it('releases everything when the client disconnects in the middle of a file', async () => {
    const { gateway, call, lines } = createRig([put], { surface: { concurrency: 1 } })
    const before = leftovers()
    await using server = await listen(gateway.node)
    const socket = connect(server.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(
      'POST /dashboard/v1/files HTTP/1.1\r\nhost: x\r\nauthorization: Bearer member\r\ncontent-length: 900000\r\ncontent-type: multipart/form-data; boundary=b\r\n\r\n--b\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\n',
    )
    socket.write('x'.repeat(200_000))
    await expect.poll(() => leftovers().length).toBe(before.length + 1)
    socket.destroy()
    await expect.poll(() => lines.some((line) => line.message === 'response')).toBe(true)
    expect(leftovers()).toEqual(before)
    const next = await call('POST', '/dashboard/v1/files', {
      as: 'member',
      body: form([['files', 'a.txt', 'x']], good),
    })
    expect(next.status).toBe(201)
  })

  it('accepts JSON where the endpoint declares it', async () => {
    const { call } = rig()
    const byJson = await call('PATCH', '/dashboard/v1/skill', { as: 'member', json: { content: 'c' } })
    expect(await byJson.json()).toEqual({ content: 'c', count: 0 })
    const byForm = await call('PATCH', '/dashboard/v1/skill', {
      as: 'member',
      body: form([['file', 'a', 'x']], { name: 'n' }),
    })
    expect(await byForm.json()).toEqual({ name: 'n', count: 1 })
  })

  it('replays an idempotent upload by the content of its files', async () => {
    const { call } = rig()
    const send = (content: string) =>
      call('POST', '/dashboard/v1/files', {
        as: 'member',
        body: form([['files', 'a.txt', content]], good),
        headers: { 'idempotency-key': 'k' },
      })
    expect((await send('one')).headers.get('idempotent-replayed')).toBe(null)
    expect((await send('one')).headers.get('idempotent-replayed')).toBe('true')
    expect((await send('two')).status).toBe(422)
  })

  it('passes a stream, which may store a file that is too large for a response', async () => {
    const { call } = rig()
    const send = async (content: string) =>
      (
        await call('POST', '/dashboard/v1/kb', { as: 'member', body: form([['file', 'a.txt', content]]) })
      ).text()
    expect(await send('short')).toContain('{"size":5,"tooLarge":false}')
    expect(await send('longer than that')).toContain('{"size":10,"tooLarge":true}')
  })
})
