import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A connection to a server that can be interrupted by the test. */
export interface Proxy extends AsyncDisposable {
  port: number
  /** Breaks every connection that is open. */
  cut(): void
  /** Lets no one through from now on; what is open breaks. */
  shut(): void
  open(): void
}

/** @param target the port on 127.0.0.1 that the next connection goes to; undefined lets it through to no one */
export async function createProxy(target: () => number | undefined): Promise<Proxy> {
  const sockets = new Set<Socket>()
  let isOpen = true
  const server = createServer((near) => {
    const port = isOpen ? target() : undefined
    if (port === undefined) return void near.destroy()
    const far = connect(port, '127.0.0.1')
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    shut() {
      isOpen = false
      cut()
    },
    open: () => void (isOpen = true),
    async [Symbol.asyncDispose]() {
      isOpen = false
      cut()
      server.close()
      await once(server, 'close')
    },
  }
}
