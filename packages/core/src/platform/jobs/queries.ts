import type { Database, Row, Sql, SqlValue } from '../database/database.ts'
import { asJson, placeholders } from '../database/row.ts'
import type { JobFailure } from './entities.ts'
import type { NewJob } from './jobs.ts'

/** Inserts jobs; one whose unique key is waiting or running already folds into that one. */
export async function insertJobs(
  tx: Sql,
  jobs: ReadonlyArray<NewJob & { id: string }>,
  now: Date,
): Promise<void> {
  const rows = jobs.map(() => `(?, ?, ?, ?, ?, ?, 'waiting', ?, ?, 0, ?, ?, ?)`).join(', ')
  const values = jobs.flatMap((job): SqlValue[] => [
    job.id,
    job.kind,
    job.tenantId,
    JSON.stringify(job.payload),
    job.uniqueKey ?? null,
    job.group ?? null,
    job.priority ?? 0,
    job.runAt ?? now,
    job.maxAttempts ?? 5,
    '[]',
    now,
  ])
  await tx.run(
    `insert into job (id, kind, tenant_id, payload, unique_key, group_name, status, priority, run_at, attempt, max_attempts, failures, created_at)
     values ${rows} on conflict do nothing`,
    values,
  )
}

/** Statements of one worker about a job it holds; each changes nothing when the lease or the attempt is another's. */
const held = `where id = ? and worker = ? and attempt = ? and status = 'running'`

/** A transaction of one statement needs no frame around it on PostgreSQL. */
export const once = <T>(db: Database, work: (tx: Sql) => Promise<T>): Promise<T> =>
  db.dialect === 'postgresql' ? work(db.sql) : db.write(work)

export function putBack(
  db: Database,
  job: { id: string; attempt: number },
  worker: string,
  runAt: Date,
  failures: JobFailure[],
): Promise<number> {
  return once(db, (tx) =>
    tx.run(
      `update job set status = 'waiting', worker = null, lease_until = null, run_at = ?, failures = ? ${held}`,
      [runAt, JSON.stringify(failures), job.id, worker, job.attempt],
    ),
  )
}

export function bury(
  db: Database,
  job: { id: string; attempt: number },
  worker: string,
  at: Date,
  failures: JobFailure[],
): Promise<number> {
  return once(db, (tx) =>
    tx.run(`update job set status = 'dead', lease_until = null, finished_at = ?, failures = ? ${held}`, [
      at,
      JSON.stringify(failures),
      job.id,
      worker,
      job.attempt,
    ]),
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
    tx.all<Row>(
      `update job set lease_until = ? where worker = ? and status = 'running' and id in (${placeholders(ids)}) returning id`,
      [leaseUntil, worker, ...ids],
    ),
  )
  return new Set(rows.map((row) => row.id as string))
}

/** Takes back jobs whose lease has ended; the last attempt makes a dead letter. @returns how many */
export async function takeBackExpired(db: Database, now: Date): Promise<number> {
  const expired = await db.sql.get(
    `select 1 as one from job where status = 'running' and lease_until <= ? limit 1`,
    [now],
  )
  if (!expired) return 0
  return db.write(async (tx) => {
    const lost = `status = 'running' and lease_until <= ?`
    const dead = await tx.run(
      `update job set status = 'dead', worker = null, lease_until = null, finished_at = ? where ${lost} and attempt >= max_attempts`,
      [now, now],
    )
    const back = await tx.run(
      `update job set status = 'waiting', worker = null, lease_until = null where ${lost}`,
      [now],
    )
    return dead + back
  })
}

export interface DeadLetter {
  id: string
  kind: string
  tenantId: string | null
  payload: Record<string, unknown>
  failures: JobFailure[]
}

export async function selectDead(sql: Sql, limit: number): Promise<DeadLetter[]> {
  const rows = await sql.all<Row>(
    `select id, kind, tenant_id, payload, failures from job where status = 'dead' order by finished_at desc limit ?`,
    [limit],
  )
  return rows.map((row) => ({
    id: row.id as string,
    kind: row.kind as string,
    tenantId: row.tenant_id as string | null,
    payload: asJson<Record<string, unknown>>(row.payload) ?? {},
    failures: asJson<JobFailure[]>(row.failures) ?? [],
  }))
}

export function revive(db: Database, id: string, now: Date): Promise<number> {
  return once(db, (tx) =>
    tx.run(
      `update job set status = 'waiting', attempt = 0, run_at = ?, finished_at = null where id = ? and status = 'dead'`,
      [now, id],
    ),
  )
}

export function deleteFinished(db: Database, before: Date): Promise<number> {
  return once(db, (tx) => tx.run(`delete from job where status = 'done' and finished_at < ?`, [before]))
}

/** Payloads of jobs that are not done, of some kinds, in the order of their ids: for what is sealed in them. */
export async function selectPayloads(
  sql: Sql,
  kinds: readonly string[],
  after: string,
  limit: number,
): Promise<Array<{ id: string; kind: string; payload: Record<string, unknown> }>> {
  const rows = await sql.all<Row>(
    `select id, kind, payload from job where status <> 'done' and kind in (${placeholders(kinds)}) and id > ? order by id limit ?`,
    [...kinds, after, limit],
  )
  return rows.map((row) => ({
    id: row.id as string,
    kind: row.kind as string,
    payload: asJson<Record<string, unknown>>(row.payload) ?? {},
  }))
}

/** Says the same payload with other bytes; nothing else ever changes one. */
export function replacePayload(db: Database, id: string, payload: Record<string, unknown>): Promise<number> {
  return once(db, (tx) => tx.run('update job set payload = ? where id = ?', [JSON.stringify(payload), id]))
}
