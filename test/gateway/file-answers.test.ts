import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { raw } from '../../packages/core/src/gateway/raw.ts'
import { createDirectoryBlobs } from '../../packages/core/src/platform/blobs/directory.ts'
import { createRig, listen, team } from './rig.ts'

const size = 24 * 1024 * 1024

/** Bytes of which no two places are alike, so that none can stand for another. */
function numbered(seed: number): Buffer {
  const words = new Uint32Array(size / 4)
  for (let i = 0; i < words.length; i += 1) words[i] = i * 8 + seed
  return Buffer.from(words.buffer)
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** A server that sends files of a folder. */
async function fileServer() {
  const folder = mkdtempSync(join(tmpdir(), 'copydesk-files-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const blobs = createDirectoryBlobs(folder)
  const file = raw({
    id: 'd.file',
    route: 'GET /file',
    summary: 'A file',
    access: team,
    reply: { 200: 'application/octet-stream' },
  }).handle(async (_ctx, { header }) => ({ body: (await blobs.stream(header('x-file') ?? '')) ?? null }))
  const broken = raw({
    id: 'd.broken',
    route: 'GET /broken',
    summary: 'A file that cannot be read to its end',
    access: team,
    reply: { 200: 'application/octet-stream' },
  }).handle(async () => {
    let pulls = 0
    const body = new ReadableStream({
      type: 'bytes',
      pull(controller) {
        pulls += 1
        if (pulls > 3) throw new Error('the disk is gone')
        controller.enqueue(new Uint8Array(1_000))
      },
    })
    return { body }
  })
  const rig = createRig([file, broken])
  const server = await listen(rig.gateway.node)
  const request = (path: string, name = '') =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { authorization: 'Bearer member', 'x-file': name }
      get({ port: server.port, path: `/dashboard/v1/${path}`, headers, agent: false }, resolve).on(
        'error',
        reject,
      )
    })
  /** How many of the files this process has open. */
  const openFiles = () =>
    readdirSync('/proc/self/fd').filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder)
      } catch {
        return false
      }
    }).length
  return {
    blobs,
    request,
    openFiles,
    lines: rig.lines,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** Reads an answer with many pauses, so that the server has to wait. */
async function readSlowly(answer: IncomingMessage): Promise<string> {
  const hash = createHash('sha256')
  for await (const part of answer) {
    await setImmediate()
    hash.update(part)
  }
  return hash.digest('hex')
}

describe('an answer that is a file', () => {
  it('comes whole to several slow readers at once', async () => {
    await using server = await fileServer()
    const files = [1, 2, 3].map((seed) => ({ name: `file-${seed}`, bytes: numbered(seed) }))
    for (const { name, bytes } of files) await server.blobs.put(name, bytes)
    const answers = await Promise.all(files.map(({ name }) => server.request('file', name)))
    expect(await Promise.all(answers.map(readSlowly))).toEqual(files.map(({ bytes }) => sha256(bytes)))
  })

  // Where a process finds which files it has open.
  it.skipIf(process.platform !== 'linux')('is closed at its end and when the reader leaves', async () => {
    await using server = await fileServer()
    await server.blobs.put('file', numbered(1))
    const leaving = await server.request('file', 'file')
    expect(server.openFiles()).toBe(1)
    leaving.destroy()
    await expect.poll(server.openFiles).toBe(0)
    await readSlowly(await server.request('file', 'file'))
    await expect.poll(server.openFiles).toBe(0)
  })

  it('breaks off where it cannot be read to its end, so that nobody takes a part for the whole', async () => {
    await using server = await fileServer()
    const answer = await server.request('broken')
    await expect(readSlowly(answer)).rejects.toMatchObject({ code: 'ECONNRESET' })
    expect(server.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { message: 'The body of an answer broke off' },
    ])
  })
})
