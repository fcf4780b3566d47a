import { execFile } from 'node:child_process'
import { get } from 'node:http'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { serve } from '../../packages/server/src/listen.ts'

describe('serve', () => {
  it('listens on a free port, responds, and releases the port', async () => {
    const one = await serve((_req, res) => res.end('hi'), { port: 0, drain: async () => {} })
    expect(await (await fetch(one.url)).text()).toBe('hi')
    await one.close()
    await one.close()
    const two = await serve((_req, res) => res.end('again'), { port: one.port })
    expect(await (await fetch(two.url)).text()).toBe('again')
    await two.close()
  })

  it('reports in one sentence that the port is in use and the remedy', async () => {
    const one = await serve((_req, res) => res.end(), { port: 0 })
    await expect(serve((_req, res) => res.end(), { port: one.port })).rejects.toThrow(
      `Port ${one.port} on 127.0.0.1 is already in use: stop the program that uses it, or choose another port`,
    )
    await one.close()
    await expect(serve((_req, res) => res.end(), { port: 0, host: '192.0.2.1' })).rejects.toThrow(
      'does not have the address 192.0.2.1',
    )
  })

  it('closes despite an open stream, and lets active responses finish', async () => {
    const hold = Promise.withResolvers<void>()
    let drained = () => {}
    const served = await serve(
      async (req, res) => {
        if (req.url === '/stream') {
          res.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hi\n\n')
          return
        }
        await hold.promise
        res.end('x'.repeat(1_000_000))
      },
      { port: 0, drain: () => new Promise((resolve) => (drained = resolve)), graceMs: 500 },
    )
    const stream = new Promise<void>((resolve) => {
      get(`${served.url}/stream`, (response) =>
        response
          .on('close', resolve)
          .on('error', () => {})
          .resume(),
      )
    })
    const answer = fetch(`${served.url}/work`).then((response) => response.text())
    await expect
      .poll(() => new Promise<number>((resolve) => served.server.getConnections((_e, n) => resolve(n))))
      .toBe(2)
    const closed = served.close()
    await expect(fetch(served.url)).rejects.toThrow('fetch failed')
    hold.resolve()
    expect((await answer).length).toBe(1_000_000)
    drained()
    await closed
    await stream
  })

  it('survives a chunked body that is cut off', async () => {
    const script = fileURLToPath(new URL('./cut-body.ts', import.meta.url))
    const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@copydesk/source', script])
    expect(stdout.trim()).toBe('cut, then 200 still here')
  })
})
