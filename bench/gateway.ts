import autocannon from 'autocannon'
import { installationIn, reviewerTokens, seed } from './installation.ts'
import { type Bench, expectEqual, interleave, less, more } from './measure.ts'
import { startSubject, type Subject, temporaryFolder } from './processes.ts'

const rows = 25
const connections = 32
const seconds = 4
const peer = 'bare h3, the same rows from one prepared statement'

/** `GET /dm/v1/approvals` on SQLite: authenticated, rate-limited and logged. */
export const gatewayGet: Bench = {
  name: 'gateway.get',
  async run() {
    using folder = temporaryFolder()
    const installation = installationIn(folder.path)
    const { reviewerIds, tenantId } = await seed(installation, { approvals: rows, reviewers: 150 })
    const calls = reviewerTokens(reviewerIds).map((token) => ({
      path: `/dm/v1/approvals?limit=${rows}`,
      headers: { authorization: `Bearer ${token}` },
    }))
    const bare = { database: installation.database, tenantId, rows }
    const { ours, theirs } = await interleave(3, {
      ours: async () => load(await startSubject('servers/copydesk.ts', installation, folder.path), calls),
      theirs: async () =>
        load(await startSubject('peers/h3-get.ts', bare, folder.path), [{ path: '/approvals' }]),
    })
    return {
      'gateway.get': more(ours.rate, 'requests/s', peer, theirs.rate, 'ratio 0.5'),
      'gateway.get.cpu': less(ours.cpu, 'µs/request', peer, theirs.cpu),
      'gateway.get.p99': less(ours.p99, 'ms', peer, theirs.p99),
    }
  },
}

interface Call {
  path: string
  headers?: Record<string, string>
}

async function load(subject: Subject, requests: Call[]): Promise<{ rate: number; cpu: number; p99: number }> {
  await using server = subject
  await expectRows(server.url, requests[0] as Call)
  const fire = (duration: number) => autocannon({ url: server.url, connections, duration, requests })
  await fire(1)
  const before = await server.ask<number>('cpu')
  const result = await fire(seconds)
  const used = (await server.ask<number>('cpu')) - before
  expectEqual('answers that are not 2xx', result.non2xx + result.errors + result.timeouts, 0)
  return { rate: result['2xx'] / result.duration, cpu: used / result['2xx'], p99: result.latency.p99 }
}

async function expectRows(url: string, { path, headers = {} }: Call): Promise<void> {
  const response = await fetch(url + path, { headers })
  const { data } = (await response.json()) as { data?: unknown[] }
  expectEqual(`rows in the answer of ${path}`, data?.length ?? 0, rows)
}
