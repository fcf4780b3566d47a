import { type Database, placeholders, type Sql, type SqlValue } from '../database/database.ts'
import { type NewRow, newRow } from '../database/new-rows.ts'
import { exists, instant, pick, type RowOf, select, table } from '../database/read.ts'
import { Job, type JobFailure } from './entities.ts'
import type { NewJob } from './jobs.ts'

const j = table(Job, 'job')
/** What a statement has changed. */
const changed = select({ id: j.id })

/** Tells the workers of all processes on a PostgreSQL that a job may be due; on SQLite there is only this one. */
export const jobsChannel = 'copydesk_jobs'

/**
 * A job whose unique key waits folds into that one, which on PostgreSQL no one can take before this transaction ends: its handler
 * sees what was written here. One that is running may have looked already. So it is done once more, with the later payload, and
 * as many attempts as the other one would have had.
 */
const folding = `on conflict (unique_key) where unique_key is not null and status in ('waiting', 'running') do update
  set asked_again = true, payload = excluded.payload, run_at = excluded.run_at,
    max_attempts = job.attempt + excluded.max_attempts
  where job.status = 'running'`

/** The rows of new jobs; one whose unique key is waiting or running already folds into that one. */
export function jobRows(jobs: ReadonlyArray<NewJob & { id: string }>, now: Date): NewRow[] {
  const keys = new Set<string>()
  const isFirst = ({ uniqueKey }: NewJob) =>
    uniqueKey === undefined || (!keys.has(uniqueKey) && keys.add(uniqueKey))
  return jobs.filter(isFirst).map((job) => ({
    ...newRow(Job, {
      id: job.id,
      kind: job.kind,
      tenantId: job.tenantId,
      payload: job.payload,
      uniqueKey: job.uniqueKey ?? null,
      groupName: job.group ?? null,
      status: 'waiting',
      priority: job.priority ?? 0,
      runAt: job.runAt ?? now,
      attempt: 0,
      maxAttempts: job.maxAttempts ?? 5,
      worker: null,
      leaseUntil: null,
      failures: [],
      createdAt: now,
      finishedAt: null,
    }),
    onConflict: folding,
  }))
}

/** Lets the workers of other processes hear with the commit that a job is due. */
export async function announceJobs(db: Database, tx: Sql): Promise<void> {
  if (db.dialect === 'postgresql') await db.notify(tx, jobsChannel, '')
}

/** Statements of one worker about a job it holds; each changes nothing when the lease or the attempt is another's. */
const held = `where id = ? and worker = ? and attempt = ? and status = 'running'`

/** A transaction of one statement needs no frame around it on PostgreSQL. */
export const once = <T>(db: Database, work: (tx: Sql) => Promise<T>): Promise<T> =>
  db.dialect === 'postgresql' ? work(db.sql) : db.write(work)

/** Ends a job that went well, for an instant: it is done, or waits to be done once more. */
export const wellDone = `lease_until = null, asked_again = false,
  status = case when asked_again then 'waiting' else 'done' end, finished_at = case when asked_again then finished_at else ? end`

/** Marks a job as done as part of `tx`. @returns 0 when the worker no longer holds it */
export function finishHeld(
  tx: Sql,
  job: { id: string; attempt: number },
  worker: string,
  at: Date,
): Promise<number> {
  return tx.run(`update job set ${wellDone} ${held}`, [at, job.id, worker, job.attempt])
}

export function scheduleRetry(
  db: Database,
  job: { id: string; attempt: number },
  worker: string,
  runAt: Date,
  failures: JobFailure[],
): Promise<number> {
  return once(db, (tx) =>
    tx.run(
      `update job set status = 'waiting', worker = null, lease_until = null, asked_again = false, run_at = ?, failures = ? ${held}`,
      [runAt, JSON.stringify(failures), job.id, worker, job.attempt],
    ),
  )
}

/** Gives a job up. @returns 0 when it was asked for again meanwhile, or the worker no longer holds it */
export function markDead(
  db: Database,
  job: { id: string; attempt: number },
  worker: string,
  at: Date,
  failures: JobFailure[],
): Promise<number> {
  return once(db, (tx) =>
    tx.run(
      `update job set status = 'dead', lease_until = null, finished_at = ?, failures = ? ${held} and not asked_again`,
      [at, JSON.stringify(failures), job.id, worker, job.attempt],
    ),
  )
}

/** @returns the ids that the worker still holds */
export async function renew(
  db: Database,
  worker: string,
  ids: readonly string[],
  leaseUntil: Date,
): Promise<Set<string>> {
  const rows = await once(db, (tx) =>
    changed.allOf(
      tx,
      `update job set lease_until = ? where worker = ? and status = 'running' and id in (${placeholders(ids)})
       returning ${changed.columns}`,
      [leaseUntil, worker, ...ids],
    ),
  )
  return new Set(rows.map(({ id }) => id))
}

const expiring = select(pick(j, 'id', 'attempt', 'maxAttempts', 'failures'))

/** Takes back jobs whose lease has ended; the last attempt makes a dead letter. @returns how many */
export async function takeBackExpired(db: Database, now: Date): Promise<number> {
  if (!(await exists(db.sql, `from job where status = 'running' and lease_until <= ?`, [now]))) return 0
  return db.write(async (tx) => {
    const rows = await expiring.all(
      tx,
      `from job where status = 'running' and lease_until <= ?
       order by id ${db.dialect === 'postgresql' ? 'for update skip locked' : ''}`,
      [now],
    )
    for (const { id, attempt, maxAttempts, failures } of rows) {
      const final = attempt >= maxAttempts
      const lost: JobFailure = { attempt, at: now.toISOString(), error: lostLease, family: 'transient' }
      await tx.run(
        `update job set status = ?, worker = null, lease_until = null, asked_again = false, finished_at = ?, failures = ? where id = ?`,
        [final ? 'dead' : 'waiting', final ? now : null, JSON.stringify([...failures, lost]), id],
      )
    }
    return rows.length
  })
}

/** The failure of a try whose lease has ended. */
export const lostLease = 'The process that did it ended, or said nothing for too long'

const dead = select({
  ...pick(j, 'id', 'kind', 'tenantId', 'payload', 'failures', 'createdAt'),
  /** When it was given up, which every one of them was. */
  finishedAt: instant('job.finished_at'),
})
export type DeadJob = RowOf<typeof dead>

/** Which dead letters are asked for; those of a tenant are seen by who may see the tenant. */
export interface DeadLetterFilter {
  tenants: readonly string[] | 'all'
  id?: string
  /** The id after which the page starts. */
  cursor?: string | undefined
  order?: 'asc' | 'desc'
  limit?: number
}

/** Whether there is a job of an id, in whatever state. */
export async function hasJob(
  sql: Sql,
  { tenants, id }: Required<Pick<DeadLetterFilter, 'tenants' | 'id'>>,
): Promise<boolean> {
  const seen = tenants === 'all' ? '1 = 1' : `tenant_id in (${placeholders(tenants)})`
  const params = [id, ...(tenants === 'all' ? [] : tenants)]
  return exists(sql, `from job where id = ? and ${seen}`, params)
}

/** In the order of their ids, the newest first unless it is asked otherwise. */
export function selectDead(sql: Sql, filter: DeadLetterFilter): Promise<DeadJob[]> {
  const { tenants, id, cursor, order = 'desc', limit = 100 } = filter
  const conditions = [`status = 'dead'`]
  const params: SqlValue[] = []
  const also = (condition: string, ...values: SqlValue[]) => {
    conditions.push(condition)
    params.push(...values)
  }
  if (tenants !== 'all') also(`tenant_id in (${placeholders(tenants)})`, ...tenants)
  if (id !== undefined) also('id = ?', id)
  if (cursor !== undefined) also(`id ${order === 'asc' ? '>' : '<'} ?`, cursor)
  return dead.all(sql, `from job where ${conditions.join(' and ')} order by id ${order} limit ?`, [
    ...params,
    limit,
  ])
}

/** Lets a dead job wait again, unless another one of its unique key waits or is running. @returns 1 when it does */
export function requeueDead(tx: Sql, id: string, now: Date): Promise<number> {
  return tx.run(
    `update job set status = 'waiting', attempt = 0, run_at = ?, finished_at = null where id = ? and status = 'dead'
       and not exists (select 1 from job o where o.unique_key = job.unique_key and o.status in ('waiting', 'running'))`,
    [now, id],
  )
}

export function deleteFinished(db: Database, before: Date): Promise<number> {
  return once(db, (tx) => tx.run(`delete from job where status = 'done' and finished_at < ?`, [before]))
}

const carried = select(pick(j, 'id', 'kind', 'payload'))

/** Payloads of jobs that are not done, of some kinds, in the order of their ids: for what is sealed in them. */
export function selectPayloads(
  sql: Sql,
  kinds: readonly string[],
  after: string,
  limit: number,
): Promise<Array<RowOf<typeof carried>>> {
  return carried.all(
    sql,
    `from job where status <> 'done' and kind in (${placeholders(kinds)}) and id > ? order by id limit ?`,
    [...kinds, after, limit],
  )
}

/** Says the same payload with other bytes. */
export function replacePayload(db: Database, id: string, payload: Record<string, unknown>): Promise<number> {
  return once(db, (tx) => tx.run('update job set payload = ? where id = ?', [JSON.stringify(payload), id]))
}
