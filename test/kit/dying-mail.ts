import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'

export interface DyingMailServer extends AsyncDisposable {
  port: number
  /** Whole mails that have arrived. */
  readonly received: number
  /** Connections that a mail was begun on. */
  readonly begun: number
}

/**
 * A mail server on 127.0.0.1 whose machine dies with each mail: when the first byte of it comes, or when all of it has come and
 * before it says so.
 */
export async function createDyingMailServer(dies: 'before' | 'after'): Promise<DyingMailServer> {
  const open = new Set<Socket>()
  let received = 0
  let begun = 0
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket)).on('error', () => undefined)
    socket.write('220 mail.test ESMTP\r\n')
    let isData = false
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (isData) {
        if (dies === 'before') return void socket.destroy()
        if (!text.endsWith('\r\n.\r\n')) return
        received += 1
        return void socket.destroy()
      }
      for (let end = text.indexOf('\r\n'); end >= 0 && !isData; end = text.indexOf('\r\n')) {
        const line = text.slice(0, end)
        text = text.slice(end + 2)
        isData = /^DATA$/i.test(line)
        if (isData) begun += 1
        socket.write(isData ? '354 go ahead\r\n' : '250 mail.test\r\n')
      }
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    get received() {
      return received
    },
    get begun() {
      return begun
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => void server.close(resolve))
    },
  }
}
