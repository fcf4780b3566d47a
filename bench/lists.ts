import { findPostgres } from '../config/postgres.ts'
import type { Database } from '../packages/core/src/platform/database/database.ts'
import { fillBigTenant } from '../test/kit/big-tenant.ts'
import {
  type Installation,
  installationIn,
  lookInto,
  memberTokens,
  reviewerTokens,
  type Seeded,
  seed,
} from './installation.ts'
import { byHand, type Read } from './lists-by-hand.ts'
import { type Bench, expectEqual, less, type Metrics, percentile } from './measure.ts'
import { inDatabase } from './postgres.ts'
import { startSubject, temporaryFolder } from './processes.ts'

const count = 300
const tenants = 40
const peer = 'the same statements by the raw driver'

type NamedRead = Read & { name: string }
/** Tokens of the readers. The limits count by person, so there are several of each. */
export type ReaderTokens = Record<Read['by'], string[]>

/** What is read, as someone of the big tenant, as its reviewer, or as a reviewer of 40 tenants. */
export const reads: readonly NamedRead[] = [
  { name: 'activities', by: 'member', path: '/dashboard/v1/activities' },
  { name: 'activities.blocked', by: 'member', path: '/dashboard/v1/activities?filter.status=blocked' },
  { name: 'activities.role', by: 'member', path: '/dashboard/v1/activities?filter.agentRole=analyst' },
  { name: 'approvals', by: 'member', path: '/dashboard/v1/approvals?filter.status=pending' },
  { name: 'approvals.stats', by: 'member', path: '/dashboard/v1/approvals/stats' },
  { name: 'campaigns', by: 'member', path: '/dashboard/v1/campaigns' },
  { name: 'feed', by: 'reviewer', path: '/dm/v1/feed' },
  { name: 'review', by: 'reviewer', path: '/dm/v1/approvals?filter.status=pending' },
  { name: 'feed.40', by: 'reviewer of 40', path: '/dm/v1/feed' },
  { name: 'review.40', by: 'reviewer of 40', path: '/dm/v1/approvals?filter.status=pending' },
  { name: 'overview.40', by: 'reviewer of 40', path: '/dm/v1/overview' },
  { name: 'queue', by: 'reviewer', path: '/cli/v1/queue' },
  { name: 'queue.40', by: 'reviewer of 40', path: '/cli/v1/queue' },
  { name: 'status', by: 'reviewer', path: '/cli/v1/status' },
  { name: 'status.40', by: 'reviewer of 40', path: '/cli/v1/status' },
]

/** Lists at a tenant with 200,000 activities and 20,000 approvals beside 39 others, one request at a time. */
export const lists: Bench = {
  name: 'lists',
  async run() {
    using folder = temporaryFolder()
    const onSqlite = await measure('sqlite', installationIn(folder.path), folder.path)
    const postgres = await findPostgres()
    if (postgres.url === undefined) return onSqlite
    try {
      const onPostgres = await inDatabase(postgres.url, (database) =>
        measure('postgresql', installationIn(folder.path, database), folder.path),
      )
      return { ...onSqlite, ...onPostgres }
    } finally {
      await postgres.stop()
    }
  },
}

async function measure(name: string, installation: Installation, folder: string): Promise<Metrics> {
  const tokens = await prepare(installation)
  const waits = await timeReads(installation, folder, tokens, count)
  const hand = await byHand(installation, reads, tokens, count)
  return Object.fromEntries(
    reads.flatMap((read, i) => {
      const [ours, theirs] = [waits.get(read.name) ?? [], hand[i] ?? []]
      const metric = (share: number, aim?: string) =>
        less(percentile(ours, share), 'ms', peer, percentile(theirs, share), aim)
      return [
        [`lists.${name}.${read.name}.p50`, metric(0.5)],
        [`lists.${name}.${read.name}.p99`, metric(0.99, '25 ms')],
      ]
    }),
  )
}

/** @returns milliseconds of each repetition, by the name of the read */
export async function timeReads(
  installation: Installation,
  folder: string,
  tokens: ReaderTokens,
  repetitions: number,
): Promise<Map<string, number[]>> {
  const waits = new Map(reads.map((read) => [read.name, [] as number[]]))
  await using server = await startSubject('servers/copydesk.ts', installation, folder)
  // In turns, so that all of them meet the same moods of the machine; the first ones warm up.
  for (let i = -20; i < repetitions; i += 1) {
    for (const read of reads) {
      const own = tokens[read.by]
      const headers = { authorization: `Bearer ${own[(i + 20) % own.length]}` }
      const begun = performance.now()
      const response = await fetch(server.url + read.path, { headers })
      await response.arrayBuffer()
      if (i >= 0) waits.get(read.name)?.push(performance.now() - begun)
      expectEqual(`status of ${read.path}`, response.status, 200)
    }
  }
  return waits
}

async function prepare(installation: Installation): Promise<ReaderTokens> {
  const { tenantId, neighbours, reviewerIds } = await seed(installation, {
    approvals: 1,
    reviewers: 30,
    neighbours: tenants - 1,
  })
  const db = await lookInto(installation)
  try {
    await fillBigTenant(db, tenantId, { neighbours, share: 100, now: Date.now() })
    return await assignReaders(db, { tenantId, reviewerIds, neighbours })
  } finally {
    await db.close()
  }
}

/** Assigns the second half of the reviewers to the neighbours as well. */
export async function assignReaders(
  db: Database,
  { tenantId, reviewerIds, neighbours }: Pick<Seeded, 'tenantId' | 'reviewerIds' | 'neighbours'>,
): Promise<ReaderTokens> {
  const wide = reviewerIds.slice(reviewerIds.length / 2)
  await db.write(async (tx) => {
    for (const userId of wide)
      for (const other of neighbours)
        await tx.run(
          'insert into tenant_assignments (id, user_id, tenant_id, created_on) values (?, ?, ?, ?)',
          [
            // Unique, and never shown.
            userId.slice(0, 10) + other.slice(10, 18) + userId.slice(18),
            userId,
            other,
            new Date(),
          ],
        )
  })
  return {
    member: await memberTokens(tenantId, reviewerIds),
    reviewer: await reviewerTokens(reviewerIds.slice(0, reviewerIds.length / 2)),
    'reviewer of 40': await reviewerTokens(wide),
  }
}
