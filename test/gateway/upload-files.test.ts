import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { upload } from '../../packages/core/src/gateway/upload.ts'
import { createRig, errorOf, listen, team } from './rig.ts'

const put = upload({
  id: 'd.put',
  route: 'POST /files',
  summary: 'Upload',
  access: team,
  files: { files: { maxBytes: 300_000 } },
  reply: { 201: z.object({}) },
}).handle(() => ({}))

/** The head of a request that uploads a file, and how the form goes on. */
const head = (length: number) =>
  `POST /dashboard/v1/files HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer member\r\ncontent-length: ${length}\r\ncontent-type: multipart/form-data; boundary=b\r\n\r\n`
const part = '--b\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\n'
const end = '\r\n--b--\r\n'

/** Files of uploads that this process has open, those among them that are removed. */
function openFiles(): number {
  const links = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`)
    } catch {
      return ''
    }
  })
  return links.filter((path) => path.includes('copydesk-upload-')).length
}

// Where a process finds which files it has open, and may be given a limit for their size.
describe.skipIf(process.platform !== 'linux')('the file of an upload', () => {
  it('is closed when the client leaves in the middle of it', async () => {
    const { gateway } = createRig([put])
    await using server = await listen(gateway.node)
    const socket = connect(server.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write(`${head(900_000)}${part}${'x'.repeat(200_000)}`)
    await expect.poll(openFiles).toBe(1)
    socket.destroy()
    await expect.poll(openFiles).toBe(0)
  })

  it('is closed when it is too large', async () => {
    const { call } = createRig([put])
    for (let i = 0; i < 3; i += 1) {
      const body = new FormData()
      body.append('files', new File(['x'.repeat(400_000)], 'a.txt'))
      const answer = await call('POST', '/dashboard/v1/files', { as: 'member', body })
      expect(await errorOf(answer)).toEqual({ status: 413, code: 'PAYLOAD_TOO_LARGE', field: 'files' })
    }
    await expect.poll(openFiles).toBe(0)
  })

  it('for which the disk has no room is an error of its request, and the server goes on', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'copydesk-small-disk-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    // No file of the server may be longer than 128 KiB.
    const program = fileURLToPath(new URL('./small-disk.ts', import.meta.url))
    const limited = `trap '' XFSZ; ulimit -f 256; exec "$0" "$@"`
    const args = ['-c', limited, process.execPath, '--conditions=@copydesk/source', program]
    const server = spawn('sh', args, {
      env: { ...process.env, TMPDIR: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void server.kill())
    const [port] = (await once(server.stdout.setEncoding('utf8'), 'data')) as [string]
    const send = () => connect(Number(port), '127.0.0.1')
    const written = () =>
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
    const size = 160_000
    const socket = send()
    const answer = text(socket)
    socket.write(`${head(part.length + size + end.length)}${part}${'x'.repeat(100_000)}`)
    await expect.poll(written).toBeGreaterThan(90_000)
    // Piece by piece, so that the disk is found full while the server waits for the next one.
    let sent = 100_000
    for (; written() < 131_072; sent += 4_000) {
      const before = written()
      socket.write('x'.repeat(4_000))
      await expect.poll(written).toBeGreaterThan(before)
    }
    socket.write(`${'x'.repeat(size - sent)}${end}`)
    expect(await answer).toMatch(/^HTTP\/1\.1 500 [^]*"INTERNAL_ERROR"/)
    const next = send()
    next.write(`${head(part.length + 3 + end.length)}${part}oat${end}`)
    expect(await text(next)).toMatch(/^HTTP\/1\.1 201 [^]*\{"size":3\}/)
    expect(server.exitCode).toBeNull()
  })
})
