import { randomBytes } from 'node:crypto'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findPostgres } from '../config/postgres.ts'
import { openDatabase } from '../packages/core/src/platform/database/database.ts'
import { jobEntities } from '../packages/core/src/platform/jobs/entities.ts'
import { silentLogger } from '../packages/core/src/platform/logger.ts'
import { type Installation, installationIn, reviewerTokens, type Seeded, seed } from './installation.ts'
import { handleAll, sendJson } from './load.ts'
import { type Bench, expectEqual, interleave, type Metrics, more } from './measure.ts'
import { onServer, withName } from './postgres.ts'
import { type Subject, startSubject, temporaryFolder } from './processes.ts'

/** The first of them warm the program up. */
const warming = 400
const count = 1_200
const reviewers = 8
const peer = 'bare h3, the same rows by hand-written statements'

/** `POST /dm/v1/approvals/…/resolve`, eight at a time: the verdict with its audit record, wake and event in one durable transaction. */
export const verdict: Bench = {
  name: 'verdict',
  async run() {
    const postgres = await findPostgres()
    if (postgres.url === undefined)
      throw new Error(`The benchmark of verdicts needs PostgreSQL: ${postgres.reason}`)
    try {
      return { ...(await onSqlite()), ...(await onPostgres(postgres.url)) }
    } finally {
      await postgres.stop()
    }
  },
}

async function onSqlite(): Promise<Metrics> {
  using folder = temporaryFolder()
  const template = installationIn(folder.path)
  const seeded = await seed(template, { approvals: count, reviewers })
  let copies = 0
  const fresh = async (work: (database: string) => Promise<{ rate: number }>) => {
    const file = join(folder.path, `copy-${copies++}.db`)
    await copyFile(join(folder.path, 'bench.db'), file)
    return work(`sqlite:${file}`)
  }
  return await compare('verdict.sqlite', folder.path, template, seeded, fresh)
}

async function onPostgres(server: string): Promise<Metrics> {
  using folder = temporaryFolder()
  const name = `copydesk_bench_${randomBytes(4).toString('hex')}`
  const copy = `${name}_copy`
  await onServer(server, `create database ${name}`)
  try {
    const template = installationIn(folder.path, withName(server, name))
    const seeded = await seed(template, { approvals: count, reviewers })
    const fresh = async (work: (database: string) => Promise<{ rate: number }>) => {
      await onServer(server, `create database ${copy} template ${name}`)
      try {
        return await work(withName(server, copy))
      } finally {
        await onServer(server, `drop database ${copy} with (force)`)
      }
    }
    return await compare('verdict.postgresql', folder.path, template, seeded, fresh)
  } finally {
    await onServer(server, `drop database ${name} with (force)`)
  }
}

async function compare(
  name: string,
  folder: string,
  template: Installation,
  seeded: Seeded,
  fresh: (work: (database: string) => Promise<{ rate: number }>) => Promise<{ rate: number }>,
): Promise<Metrics> {
  const { adminId, approvalIds, reviewerIds } = seeded
  const tokens = await reviewerTokens(reviewerIds)
  const bare = { adminId, reviewerId: reviewerIds[0] }
  const { ours, theirs } = await interleave(3, {
    ours: () =>
      fresh(async (database) => {
        const server = await startSubject('servers/copydesk.ts', { ...template, database }, folder)
        return resolveAll(server, '/dm/v1', tokens, approvalIds, database)
      }),
    theirs: () =>
      fresh(async (database) => {
        const server = await startSubject('peers/h3-verdict.ts', { ...bare, database }, folder)
        return resolveAll(server, '', tokens, approvalIds, database)
      }),
  })
  return { [name]: more(ours.rate, 'verdicts/s', peer, theirs.rate) }
}

async function resolveAll(
  subject: Subject,
  prefix: string,
  tokens: readonly string[],
  approvalIds: readonly string[],
  database: string,
): Promise<{ rate: number }> {
  await using server = subject
  const resolve = (token: string, id: string) =>
    sendJson('POST', `${server.url}${prefix}/approvals/${id}/resolve`, token, { resolution: 'approved' })
  await handleAll(tokens, approvalIds.slice(0, warming), resolve)
  const rate = await handleAll(tokens, approvalIds.slice(warming), resolve)
  await expectRecorded(database)
  return { rate }
}

async function expectRecorded(database: string): Promise<void> {
  const db = await openDatabase({ url: database, entities: jobEntities, migrations: [], log: silentLogger })
  const written = {
    verdicts: `select count(*) as n from approvals where status = 'approved'`,
    'audit records': `select count(*) as n from audit_records where action = 'approval.resolve'`,
    wakes: `select count(*) as n from runs where wake_reason = 'review_approved' and status = 'pending'`,
    // On PostgreSQL an event gets its number a moment after its commit.
    events: `select count(*) as n from (select type from event union all select type from event_unnumbered) as e where type = 'approval_resolved'`,
  }
  try {
    for (const [what, text] of Object.entries(written))
      expectEqual(what, Number((await db.sql.get(text))?.['n']), count)
  } finally {
    await db.close()
  }
}
