import type { Database, Dialect, Row, Sql, SqlValue } from '../database/database.ts'
import { asInstant, asJson, asNumber, placeholders } from '../database/row.ts'
import type { JobFailure } from './entities.ts'

export interface ClaimedRow {
  id: string
  kind: string
  tenantId: string | null
  payload: Record<string, unknown>
  attempt: number
  maxAttempts: number
  failures: JobFailure[]
}

/** What a worker has room for. */
export interface Claim {
  worker: string
  now: Date
  leaseUntil: Date
  limit: number
  kinds: readonly string[]
  /** Most jobs of a group at work at a time. */
  caps: Readonly<Record<string, number>>
}

/** Held while capped jobs are claimed: two claimers could each see the last free place. */
const capLock = 7_263

/** True when a waiting job is due: asked before a claim, which on SQLite would take the write lock. */
export async function anyDue(sql: Sql, now: Date, kinds: readonly string[]): Promise<boolean> {
  const row = await sql.get(
    `select 1 as one from job where status = 'waiting' and run_at <= ? and kind in (${placeholders(kinds)}) limit 1`,
    [now, ...kinds],
  )
  return row !== undefined
}

/**
 * One turn of a worker, in one transaction: writes down what it has done and takes what it has room for.
 * @param done jobs that the worker has ended well
 * @returns the claimed jobs, best first, and the ids of those done that were still the worker's own
 */
export async function turn(
  db: Database,
  done: ReadonlyArray<{ id: string; attempt: number }>,
  claim: Claim,
): Promise<{ kept: Set<string>; claimed: ClaimedRow[] }> {
  const capped = claim.limit > 0 && Object.keys(claim.caps).length > 0
  const both = async (tx: Sql) => ({
    kept: done.length > 0 ? await finishJobs(tx, done, claim) : new Set<string>(),
    claimed: claim.limit > 0 ? await claimJobs(tx, db.dialect, claim) : [],
  })
  if (db.dialect === 'sqlite') return db.write(both)
  // A claim alone is one statement, and needs no frame around it.
  if (done.length === 0 && !capped) return both(db.sql)
  return db.write(async (tx) => {
    if (capped) await tx.get('select pg_advisory_xact_lock(?)', [capLock])
    return both(tx)
  })
}

async function finishJobs(
  tx: Sql,
  done: ReadonlyArray<{ id: string; attempt: number }>,
  { worker, now }: Claim,
): Promise<Set<string>> {
  const marks = placeholders(done)
  const rows = await tx.all<Row>(
    `update job set status = 'done', lease_until = null, finished_at = ?
     where status = 'running' and worker = ? and id in (${marks}) and id || '.' || attempt in (${marks}) returning id`,
    [now, worker, ...done.map(({ id }) => id), ...done.map(({ id, attempt }) => `${id}.${attempt}`)],
  )
  return new Set(rows.map((row) => row.id as string))
}

/** Takes the best waiting jobs that are due, and of a capped group no more than it has free places. */
async function claimJobs(tx: Sql, dialect: Dialect, claim: Claim): Promise<ClaimedRow[]> {
  const { worker, now, leaseUntil, limit, kinds } = claim
  const caps = Object.entries(claim.caps)
  const [asOnce, lock] = dialect === 'postgresql' ? ['materialized', 'for update skip locked'] : ['', '']
  const withRoom = 'and (group_name is null or group_name not in (select name from free where places <= 0))'
  const best = `best as ${asOnce} (
    select id, group_name, priority, run_at from job
    where status = 'waiting' and run_at <= ? and kind in (${placeholders(kinds)}) ${caps.length > 0 ? withRoom : ''}
    order by priority desc, run_at, id limit ? ${lock})`
  const [before, chosen] =
    caps.length > 0
      ? [`${freePlaces(caps.length)}, ${best}, ${ranks}`, placed]
      : [best, 'select id from best']
  const rows = await tx.all<Row>(
    `with ${before}
     update job set status = 'running', attempt = attempt + 1, worker = ?, lease_until = ? where id in (${chosen})
     returning id, kind, tenant_id, payload, attempt, max_attempts, failures, priority, run_at`,
    [...caps.flat(), now, ...kinds, limit, worker, leaseUntil] satisfies SqlValue[],
  )
  return rows.toSorted(byUrgency).map((row) => ({
    id: row.id as string,
    kind: row.kind as string,
    tenantId: row.tenant_id as string | null,
    payload: asJson<Record<string, unknown>>(row.payload) ?? {},
    attempt: asNumber(row.attempt),
    maxAttempts: asNumber(row.max_attempts),
    failures: asJson<JobFailure[]>(row.failures) ?? [],
  }))
}

/** How many more jobs of each capped group may be at work. */
const freePlaces = (groups: number) =>
  `cap (name, most) as (values ${Array.from({ length: groups }, () => '(?, cast(? as integer))').join(', ')}),
   free as (
     select c.name, c.most - count(r.id) as places
     from cap c left join job r on r.status = 'running' and r.group_name = c.name group by c.name, c.most)`

const ranks = `ranked as (
  select id, group_name, row_number() over (partition by group_name order by priority desc, run_at, id) as place from best)`

const placed =
  'select r.id from ranked r left join free f on f.name = r.group_name where f.name is null or r.place <= f.places'

/** The order of the claim; `returning` keeps none. */
function byUrgency(a: Row, b: Row): number {
  return (
    asNumber(b.priority) - asNumber(a.priority) ||
    asInstant(a.run_at).getTime() - asInstant(b.run_at).getTime() ||
    ((a.id as string) < (b.id as string) ? -1 : 1)
  )
}
