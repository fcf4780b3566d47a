import { connect, type Socket } from 'node:net'
import { findPostgres } from '../config/postgres.ts'
import { createIds, createSystemClock } from '../packages/core/src/platform/clock.ts'
import { type Installation, installationIn, lookInto, memberTokens, waitFor } from './installation.ts'
import { type Bench, expectEqual, less, percentile } from './measure.ts'
import { now, type Pace, timesIn } from './pace.ts'
import { inDatabase } from './postgres.ts'
import { type Subject, startSubject, temporaryFolder } from './processes.ts'
import { prepareRuns } from './work.ts'

const pace: Pace = { runs: 200, deltas: 300, everyMs: 20 }
const watchersOfEach = 2
/** The gateway lets one person have so many streams open. */
const perPerson = 5
const peer = 'bare node, lists of responses, nothing kept'

/** 200 runs that write 50 pieces of text a second each, and 400 who watch: one process for all, then one that writes and one that serves. */
export const deltas: Bench = {
  name: 'deltas',
  async run() {
    using folder = temporaryFolder()
    const alone = await together(installationIn(folder.path), folder.path)
    const bare = await startSubject('peers/node-deltas.ts', { pace }, folder.path)
    const paths = Array.from({ length: pace.runs }, (_, i) => ({ path: `/${i}` }))
    const theirs = await watch(bare, bare, [...paths, ...paths])
    const metrics = {
      'deltas.p99': less(alone.p99, 'ms to the watcher', peer, theirs.p99, 'under 100 ms'),
      'deltas.p50': less(alone.p50, 'ms to the watcher', peer, theirs.p50),
      'deltas.cpu': less(alone.cpu, '% of one processor', peer, theirs.cpu),
      'deltas.memory': less(alone.mebibytes, 'MiB more at the peak', peer, theirs.mebibytes),
    }
    const postgres = await findPostgres()
    if (postgres.url === undefined) return metrics
    const apart = await inDatabase(postgres.url, async (database) => {
      using own = temporaryFolder()
      return await twoProcesses(installationIn(own.path, database), own.path)
    })
    await postgres.stop()
    return {
      ...metrics,
      'deltas.apart.p99': less(apart.p99, 'ms from a worker to a web server’s watcher', peer, theirs.p99),
      'deltas.apart.p50': less(apart.p50, 'ms from a worker to a web server’s watcher', peer, theirs.p50),
    }
  },
}

interface Watched {
  p50: number
  p99: number
  cpu: number
  mebibytes: number
}

async function together(installation: Installation, folder: string): Promise<Watched> {
  const calls = await prepare(installation)
  const subject = await startSubject('servers/deltas.ts', { ...installation, pace }, folder)
  return watch(subject, subject, calls)
}

async function twoProcesses(installation: Installation, folder: string): Promise<Watched> {
  const calls = await prepare(installation)
  const worker = await startSubject('servers/deltas.ts', { ...installation, pace }, folder)
  return watch(worker, await startSubject('servers/copydesk.ts', installation, folder), calls)
}

interface Call {
  path: string
  token?: string
}

/** Runs that wait, and a request of each watcher of theirs. */
async function prepare(installation: Installation): Promise<Call[]> {
  await prepareRuns(installation, { tenants: pace.runs / 10, pieces: 10 })
  const db = await lookInto(installation)
  const rows = await db.sql.all<{ id: string; tenant_id: string }>('select id, tenant_id from activities')
  await db.close()
  const newId = createIds(createSystemClock())
  const people = Map.groupBy(rows, (row) => row.tenant_id)
  const calls = [...people].map(async ([tenantId, own]) => {
    const watched = [...own, ...own]
    const tokens = await memberTokens(tenantId, Array.from({ length: watched.length / perPerson }, newId))
    return watched.map(({ id }, i) => ({
      path: `/dashboard/v1/activities/${id}/stream`,
      token: tokens[Math.floor(i / perPerson)] as string,
    }))
  })
  return (await Promise.all(calls)).flat()
}

/** Has every watcher follow, lets the text come, and takes the time of each piece on its way. */
async function watch(writer: Subject, server: Subject, calls: readonly Call[]): Promise<Watched> {
  const delays: number[] = []
  const sockets: Socket[] = []
  await using _writer = writer
  await using _server = server
  try {
    await waitFor(async () => (await writer.ask<number>('atWork')) === pace.runs, 'all runs are running')
    const port = Number(new URL(server.url).port)
    for (const call of calls) sockets.push(await follow(port, call, (delay) => void delays.push(delay)))
    const before = await writer.ask<number>('memory')
    await writer.ask('watch')
    const used = await writer.ask<number>('cpu')
    const begun = performance.now()
    await writer.ask('go')
    const wanted = pace.runs * pace.deltas * watchersOfEach
    await waitFor(async () => delays.length >= wanted, 'all text has come')
    const seconds = (performance.now() - begun) / 1_000
    const cpu = ((await writer.ask<number>('cpu')) - used) / 1e6 / seconds
    const { peak } = await writer.ask<{ peak: number }>('watched')
    expectEqual('pieces of text that came', delays.length, wanted)
    return {
      p50: percentile(delays, 0.5),
      p99: percentile(delays, 0.99),
      cpu: cpu * 100,
      mebibytes: (peak - before) / 2 ** 20,
    }
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

function follow(port: number, { path, token }: Call, onDelay: (ms: number) => void): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const credential = token ? `Authorization: Bearer ${token}\r\n` : ''
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: bench\r\n${credential}\r\n`),
    )
    let rest = ''
    socket.once('error', reject)
    socket.once('data', (head) => {
      const [line = ''] = head.toString().split('\r\n')
      if (!line.includes(' 200 ')) return reject(new Error(`A stream was answered with ${line}`))
      socket.on('data', (chunk) => {
        const at = now()
        const found = timesIn(rest + chunk.toString('latin1'))
        rest = found.rest
        for (const time of found.times) onDelay(at - time)
      })
      resolve(socket)
    })
  })
}
