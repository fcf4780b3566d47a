import { type Database, type Dialect, placeholders, type Sql, type SqlValue } from '../database/database.ts'
import { exists, pick, type RowOf, select, table } from '../database/read.ts'
import { Job } from './entities.ts'
import { wellDone } from './queries.ts'

const j = table(Job, 'job')
const taken = select(
  pick(j, 'id', 'kind', 'tenantId', 'payload', 'attempt', 'maxAttempts', 'failures', 'priority', 'runAt'),
)
export type ClaimedRow = RowOf<typeof taken>
const ended = select(pick(j, 'id', 'status'))

/** What a worker has room for. */
export interface WorkerCapacity {
  worker: string
  now: Date
  leaseUntil: Date
  limit: number
  kinds: readonly string[]
  /** Most jobs of a group in progress at a time. */
  caps: Readonly<Record<string, number>>
  /** Of these, most of one tenant; only for groups that are in `caps`. */
  tenantCaps: Readonly<Record<string, number>>
}

/** Held while capped jobs are claimed: two claimers could each see the last free place. */
const capLock = 7_263

/** True when a waiting job is due: asked before a claim, which on SQLite would take the write lock. */
export async function anyDue(sql: Sql, now: Date, kinds: readonly string[]): Promise<boolean> {
  const due = `from job where status = 'waiting' and run_at <= ? and kind in (${placeholders(kinds)})`
  return exists(sql, due, [now, ...kinds])
}

/**
 * One turn of a worker, in one transaction: writes down what it has done and takes what it has room for.
 * @param done jobs that the worker has ended well
 * @returns the claimed jobs, best first, and the ids of those done that were still the worker's own; `again` when one of these waits
 *   to be done once more
 */
export async function claimAndAck(
  db: Database,
  done: ReadonlyArray<{ id: string; attempt: number }>,
  claim: WorkerCapacity,
): Promise<{ kept: Set<string>; again: boolean; claimed: ClaimedRow[] }> {
  const capped = claim.limit > 0 && Object.keys(claim.caps).length > 0
  const both = async (tx: Sql) => {
    const own = done.length > 0 ? await finishJobs(tx, done, claim) : []
    return {
      kept: new Set(own.map(({ id }) => id)),
      again: own.some(({ status }) => status === 'waiting'),
      claimed: claim.limit > 0 ? await claimJobs(tx, db.dialect, claim) : [],
    }
  }
  if (db.dialect === 'sqlite') return db.write(both)
  // A claim alone is one statement, and needs no frame around it.
  if (done.length === 0 && !capped) return both(db.sql)
  return db.write(async (tx) => {
    if (capped) await tx.get('select pg_advisory_xact_lock(?)', [capLock])
    return both(tx)
  })
}

function finishJobs(
  tx: Sql,
  done: ReadonlyArray<{ id: string; attempt: number }>,
  { worker, now }: WorkerCapacity,
): Promise<Array<RowOf<typeof ended>>> {
  const marks = placeholders(done)
  return ended.allOf(
    tx,
    `update job set ${wellDone}
     where status = 'running' and worker = ? and id in (${marks}) and id || '.' || attempt in (${marks})
     returning ${ended.columns}`,
    [now, worker, ...done.map(({ id }) => id), ...done.map(({ id, attempt }) => `${id}.${attempt}`)],
  )
}

/** Takes the best waiting jobs that are due, and of a capped group no more than it, and each tenant in it, has free places. */
async function claimJobs(tx: Sql, dialect: Dialect, claim: WorkerCapacity): Promise<ClaimedRow[]> {
  const { worker, now, leaseUntil, limit, kinds } = claim
  const caps = Object.entries(claim.caps)
  const tenantCaps = Object.entries(claim.tenantCaps)
  const [asOnce, lock] = dialect === 'postgresql' ? ['materialized', 'for update skip locked'] : ['', '']
  const best = `best as ${asOnce} (
    select id, group_name, tenant_id, priority, run_at from job
    where status = 'waiting' and run_at <= ? and kind in (${placeholders(kinds)}) ${caps.length > 0 ? withRoom : ''}
      ${tenantCaps.length > 0 ? withTenantRoom : ''}
    order by priority desc, run_at, id limit ? ${lock})`
  const frames = [
    ...(caps.length > 0 ? [freePlaces(caps.length)] : []),
    ...(tenantCaps.length > 0 ? [tenantPlaces(tenantCaps.length)] : []),
    best,
    ...(caps.length > 0 ? [ranks] : []),
  ]
  const chosen =
    caps.length === 0 ? 'select id from best' : tenantCaps.length === 0 ? placed : placedOfTenants
  const rows = await taken.allOf(
    tx,
    `with ${frames.join(', ')}
     update job set status = 'running', attempt = attempt + 1, worker = ?, lease_until = ? where id in (${chosen})
     returning ${taken.columns}`,
    [...caps.flat(), ...tenantCaps.flat(), now, ...kinds, limit, worker, leaseUntil] satisfies SqlValue[],
  )
  return rows.toSorted(byUrgency)
}

const named = (table: string, rows: number) =>
  `${table} (name, most) as (values ${Array.from({ length: rows }, () => '(?, cast(? as integer))').join(', ')})`

/** How many more jobs of each capped group may be running. */
const freePlaces = (groups: number) =>
  `${named('cap', groups)},
   free as (
     select c.name, c.most - count(r.id) as places
     from cap c left join job r on r.status = 'running' and r.group_name = c.name group by c.name, c.most)`

const withRoom = 'and (group_name is null or group_name not in (select name from free where places <= 0))'

/** How many jobs of such a group each tenant has running: few, since the groups are capped. */
const tenantPlaces = (groups: number) =>
  `${named('share', groups)},
   held as (
     select r.group_name as name, r.tenant_id, s.most, count(*) as places
     from job r join share s on s.name = r.group_name where r.status = 'running' group by r.group_name, r.tenant_id, s.most)`

const withTenantRoom = `and not exists (
  select 1 from held h where h.places >= h.most and h.name = job.group_name and h.tenant_id = job.tenant_id)`

const ranks = `ranked as (
  select id, group_name, tenant_id, row_number() over (partition by group_name order by priority desc, run_at, id) as place,
    row_number() over (partition by group_name, tenant_id order by priority desc, run_at, id) as tenant_place from best)`

const placed =
  'select r.id from ranked r left join free f on f.name = r.group_name where (f.name is null or r.place <= f.places)'

/** What belongs to no tenant is not counted by tenants. */
const placedOfTenants = `${placed} and (r.tenant_id is null or not exists (
  select 1 from share s where s.name = r.group_name and r.tenant_place > s.most - coalesce((
    select h.places from held h where h.name = r.group_name and h.tenant_id = r.tenant_id), 0)))`

/** The order of the claim; `returning` keeps none. */
function byUrgency(a: ClaimedRow, b: ClaimedRow): number {
  return b.priority - a.priority || a.runAt.getTime() - b.runAt.getTime() || (a.id < b.id ? -1 : 1)
}
