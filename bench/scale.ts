import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { claimRuns } from '../packages/core/src/domain/work/runs/queue/claim-queries.ts'
import type { Database } from '../packages/core/src/platform/database/database.ts'
import { type Installation, installationIn, lookInto, seed } from './installation.ts'
import { assignReaders, type ReaderTokens, reads, timeReads } from './lists.ts'
import { byHand } from './lists-by-hand.ts'
import { type Bench, expectEqual, less, type Metrics, percentile } from './measure.ts'
import { inDatabase, startDurableServer } from './postgres.ts'
import { temporaryFolder } from './processes.ts'
import { fillAtScale, waitingRuns } from './scale-data.ts'
import { cleanedEvents } from './scale-events.ts'

/** Of each list. */
const count = 200
const mostClaims = 200
/** Tenants that a reviewer of several is assigned to, beside the big one. */
const neighbours = 39
/** On the disk for each event, bytes; everything else is little beside it. */
const bytesPerEvent = 900
const peer = 'the same statements by the raw driver'

/** The lists, the claims of runs and the retention of an installation that has been used for years, on PostgreSQL with `fsync`. */
export const scale: Bench = {
  name: 'scale',
  long: true,
  async run(size, say) {
    const { bavail, bsize } = statfsSync(tmpdir())
    if (bavail * bsize < size.events * bytesPerEvent * 2)
      throw new Error(`${size.events} events do not fit into ${tmpdir()}; name less with --events`)
    using folder = temporaryFolder()
    const server = await startDurableServer(['shared_buffers=1GB', 'max_wal_size=8GB'])
    try {
      return await inDatabase(server.url, async (url) => {
        const installation = installationIn(folder.path, url)
        const seeded = await seed(installation, { approvals: 1, reviewers: 30, neighbours })
        const db = await lookInto(installation)
        try {
          await fillAtScale(db.sql, seeded, size, Date.now(), say)
          const tokens = await assignReaders(db, seeded)
          await db.sql.run('vacuum analyze')
          say('  analyzed')
          return {
            ...(await timeLists(installation, folder.path, tokens)),
            ...(await timeClaims(db, size.tenants * waitingRuns)),
            ...(await cleanedEvents(url, size.events, say)),
          }
        } finally {
          await db.close()
        }
      })
    } finally {
      await server.stop()
    }
  },
}

async function timeLists(installation: Installation, folder: string, tokens: ReaderTokens): Promise<Metrics> {
  const waits = await timeReads(installation, folder, tokens, count)
  const hand = await byHand(installation, reads, tokens, count)
  return Object.fromEntries(
    reads.map(({ name }, i) => [
      `scale.${name}.p95`,
      less(percentile(waits.get(name) ?? [], 0.95), 'ms', peer, percentile(hand[i] ?? [], 0.95), '50 ms'),
    ]),
  )
}

/** Claims four runs at a time, as a worker does that has four places. */
async function timeClaims(db: Database, waiting: number): Promise<Metrics> {
  const waits: number[] = []
  let claimed = 0
  const limit = 4
  const claims = Math.min(mostClaims, Math.floor(waiting / limit))
  for (let i = 0; i < claims; i += 1) {
    const now = new Date()
    const begun = performance.now()
    const { claimed: runs } = await claimRuns(db, {
      owner: 'bench',
      now,
      leaseUntil: new Date(now.getTime() + 3_600_000),
      limit,
    })
    waits.push(performance.now() - begun)
    claimed += runs.length
  }
  expectEqual('runs that were claimed', claimed, claims * limit)
  return {
    'scale.claim.p50': { value: percentile(waits, 0.5), unit: 'ms to claim four runs' },
    'scale.claim.p99': { value: percentile(waits, 0.99), unit: 'ms to claim four runs', aim: '20 ms' },
  }
}
