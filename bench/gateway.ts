import { installationIn, reviewerTokens, seed } from './installation.ts'
import { type Call, load } from './load.ts'
import { type Bench, expectEqual, interleave, less, more } from './measure.ts'
import { type Subject, startSubject, temporaryFolder } from './processes.ts'

const rows = 25
const peer = 'bare h3, the same rows from one prepared statement'

/** `GET /dm/v1/approvals` on SQLite: authenticated, rate-limited and logged. */
export const gatewayGet: Bench = {
  name: 'gateway.get',
  async run() {
    using folder = temporaryFolder()
    const installation = installationIn(folder.path)
    const { reviewerIds, tenantId } = await seed(installation, { approvals: rows, reviewers: 150 })
    const calls = (await reviewerTokens(reviewerIds)).map((token) => ({
      path: `/dm/v1/approvals?limit=${rows}`,
      headers: { authorization: `Bearer ${token}` },
    }))
    const bare = { database: installation.database, tenantId, rows }
    const { ours, theirs } = await interleave(3, {
      ours: async () => checked(await startSubject('servers/copydesk.ts', installation, folder.path), calls),
      theirs: async () =>
        checked(await startSubject('peers/h3-get.ts', bare, folder.path), [{ path: '/approvals' }]),
    })
    return {
      'gateway.get': more(ours.rate, 'requests/s', peer, theirs.rate, 'ratio 0.5'),
      'gateway.get.cpu': less(ours.cpu, 'µs/request', peer, theirs.cpu),
      'gateway.get.p99': less(ours.p99, 'ms', peer, theirs.p99),
    }
  },
}

async function checked(subject: Subject, calls: Call[]) {
  await expectRows(subject.url, calls[0] as Call)
  return load(subject, calls)
}

async function expectRows(url: string, { path, headers = {} }: Call): Promise<void> {
  const response = await fetch(url + path, { headers })
  const { data } = (await response.json()) as { data?: unknown[] }
  expectEqual(`rows in the answer of ${path}`, data?.length ?? 0, rows)
}
