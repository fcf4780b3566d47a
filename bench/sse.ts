import { connect, type Socket } from 'node:net'
import { createIds, createSystemClock } from '../packages/core/src/platform/clock.ts'
import { installationIn, memberTokens, seed } from './installation.ts'
import { type Bench, expectEqual, less, median } from './measure.ts'
import { type Subject, startSubject, temporaryFolder } from './processes.ts'

const streams = 10_000
/** The gateway lets one person have so many open. */
const perPerson = 5
const warmUp = 50
const pushes = 9
const peer = 'bare node, a list of responses'

/** Open event streams of one tenant's people: the memory of each, and the time in which one event is written to all. */
export const sse: Bench = {
  name: 'sse',
  async run() {
    using folder = temporaryFolder()
    const installation = installationIn(folder.path)
    const { tenantId, approvalIds } = await seed(installation, { approvals: pushes + 1, reviewers: 1 })
    const newId = createIds(createSystemClock())
    const people = await memberTokens(tenantId, Array.from({ length: (streams + warmUp) / perPerson }, newId))
    const ours = await measure(
      await startSubject('servers/copydesk.ts', { ...installation, approvalIds }, folder.path),
      (i) =>
        `GET /dashboard/v1/events/stream HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${people[i % people.length]}\r\n\r\n`,
    )
    const theirs = await measure(
      await startSubject('peers/node-sse.ts', {}, folder.path),
      () => 'GET / HTTP/1.1\r\nHost: bench\r\n\r\n',
    )
    return {
      'sse.memory': less(ours.kibibytes, 'KiB/stream', peer, theirs.kibibytes, '20 KiB'),
      'sse.push': less(ours.push, 'ms the loop is busy', peer, theirs.push, '25 ms'),
      'sse.delivery': less(ours.delivery, 'ms from the first to the last reader', peer, theirs.delivery),
    }
  },
}

async function measure(subject: Subject, request: (i: number) => string) {
  await using server = subject
  const port = Number(new URL(server.url).port)
  const readers = createReaders()
  await readers.open(port, warmUp, request)
  const before = await server.ask<number>('memory')
  await readers.open(port, streams, (i) => request(warmUp + i))
  const kibibytes = ((await server.ask<number>('memory')) - before) / streams / 1_024
  const stalls: number[] = []
  const spreads: number[] = []
  for (let i = 0; i < pushes + 1; i += 1) {
    const heard = readers.hear()
    const stall = await server.ask<number>('push')
    const spread = await heard
    // The first meets code that has never run.
    if (i === 0) continue
    stalls.push(stall)
    spreads.push(spread)
  }
  readers.close()
  return { kibibytes, push: median(stalls), delivery: median(spreads) }
}

function createReaders() {
  const sockets: Socket[] = []
  let onData = (_socket: Socket, _text: string) => {}
  const openOne = (port: number, request: string) =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(request))
      sockets.push(socket)
      socket.once('error', reject)
      socket.once('data', (head) => {
        const [line = ''] = head.toString().split('\r\n')
        if (!line.includes(' 200 ')) return reject(new Error(`A stream was answered with ${line}`))
        socket.on('data', (chunk) => onData(socket, chunk.toString('latin1')))
        resolve()
      })
    })
  return {
    async open(port: number, count: number, request: (i: number) => string) {
      for (let i = 0; i < count; i += 100)
        await Promise.all(
          Array.from({ length: Math.min(100, count - i) }, (_, k) => openOne(port, request(i + k))),
        )
    },
    /** Resolves when every stream has got an event: milliseconds between the first and the last. */
    hear() {
      const heard = new Set<Socket>()
      let first = 0
      return new Promise<number>((resolve) => {
        onData = (socket, text) => {
          if (!text.includes('data: ') || heard.has(socket)) return
          first ||= performance.now()
          heard.add(socket)
          if (heard.size === sockets.length) resolve(performance.now() - first)
        }
      })
    },
    close() {
      expectEqual('streams that broke', sockets.filter((socket) => socket.destroyed).length, 0)
      for (const socket of sockets) socket.destroy()
    },
  }
}
