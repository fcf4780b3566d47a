import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CopydeskOptions } from '@copydesk/core'

/** A mail service with the interface of Resend on 127.0.0.1, which knows a mail again for a day. */
export interface TestMailService extends AsyncDisposable {
  /** An instance that sends by it. */
  options: Pick<CopydeskOptions, 'mail' | 'allowHosts'>
  /** The addresses of the mails that it has sent. */
  readonly sent: string[]
  /** Whether its answer about a mail to an address is lost. */
  loses: (address: string) => boolean
  /** Whose time it goes by. */
  clock: { now(): number }
}

const dayMs = 86_400_000

export async function startMailService(): Promise<TestMailService> {
  const known = new Map<string, number>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => {
      const { to } = JSON.parse(Buffer.concat(chunks).toString()) as { to: string[] }
      const address = (to[0] ?? '').toLowerCase()
      const key = String(request.headers['idempotency-key'])
      const now = service.clock.now()
      if (now - (known.get(key) ?? Number.NEGATIVE_INFINITY) >= dayMs) {
        known.set(key, now)
        service.sent.push(address)
      }
      if (service.loses(address)) response.destroy()
      else response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"1"}')
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const service: TestMailService = {
    options: {
      mail: { api: { key: 'key-1', baseUrl }, from: 'desk@sender.example' },
      allowHosts: ['127.0.0.1'],
    },
    sent: [],
    loses: () => false,
    clock: Date,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  return service
}
