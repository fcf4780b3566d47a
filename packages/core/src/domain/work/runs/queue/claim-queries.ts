import {
  type Database,
  type Dialect,
  placeholders,
  type Sql,
} from '../../../../platform/database/database.ts'
import {
  exists,
  like,
  nullable,
  pick,
  type RowOf,
  select,
  table,
} from '../../../../platform/database/read.ts'
import { Run } from '../entities.ts'

const r = table(Run, 'runs')

const claimed = select(pick(r, 'id', 'tenantId', 'activityId', 'attempt'))
export type ClaimedRun = RowOf<typeof claimed>

/** How much earlier a run counts as created for each point of priority, seconds: high goes before normal, and never for ever. */
const headStartS = 90

/** What the oldest run comes first by. */
const turnOf: Record<Dialect, string> = {
  sqlite: `(r.created_on - r.priority * ${headStartS * 1_000})`,
  postgresql: `(r.created_on - r.priority * interval '${headStartS} seconds')`,
}

/**
 * Waiting runs that may start now, best first: due, of a tenant that is active or on trial and a campaign that is active or
 * was completed (its work may be tried again), of an agent that is not paused, within the agent's concurrency counted over
 * all processes. A run of an agent that is enabled no more is taken too, so that it ends and people are told.
 */
const startable = (dialect: Dialect) => `select id from (
  select r.id, ${turnOf[dialect]} as turn,
    row_number() over (partition by r.tenant_id, r.agent_role order by ${turnOf[dialect]}, r.id)
      + (select count(*) from runs w where w.open = ? and w.tenant_id = r.tenant_id and w.agent_role = r.agent_role and w.status = 'running'
        and w.purpose = 'work') as place,
    coalesce(a.concurrency, m.default_concurrency, 1) as cap
  from runs r
    join tenants t on t.id = r.tenant_id
    left join tenant_agents a on a.tenant_id = r.tenant_id and a.role = r.agent_role
    left join master_agents m on m.role = r.agent_role
    left join campaigns c on c.id = r.campaign_id
  where r.open = ? and r.status = 'pending' and r.not_before <= ? and r.purpose = 'work'
    and t.status in ('active', 'trial') and coalesce(a.status, 'terminated') <> 'paused'
    and (r.campaign_id is null or c.status in ('active', 'completed'))
) as waiting where place <= cap order by turn, id limit ?`

/** Takes up to `limit` runs for `owner` until `leaseUntil`. On PostgreSQL claims queue on a lock, so that caps hold exactly. */
export async function claimRuns(
  db: Database,
  claim: { owner: string; now: Date; leaseUntil: Date; limit: number },
): Promise<ClaimedRun[]> {
  const { owner, now, leaseUntil, limit } = claim
  if (!(await anyWaiting(db.sql, now))) return []
  return db.write(async (tx) => {
    if (db.dialect === 'postgresql') await tx.get('select pg_advisory_xact_lock(7262)')
    return claimed.allOf(
      tx,
      `update runs set status = 'running', attempt = attempt + 1, lease_owner = ?, lease_until = ?,
         started_at = coalesce(started_at, ?) where id in (${startable(db.dialect)}) returning ${claimed.columns}`,
      [owner, leaseUntil, now, true, true, now, limit],
    )
  })
}

async function anyWaiting(sql: Sql, now: Date): Promise<boolean> {
  return exists(sql, `from runs where open = ? and status = 'pending' and not_before <= ?`, [true, now])
}

const next = select({ due: nullable(like(r.notBefore, 'min(runs.not_before)')) })

/** When the next waiting run is due, if that is later than now. */
export async function nextDue(sql: Sql, now: Date): Promise<Date | undefined> {
  const row = await next.get(sql, `from runs where open = ? and status = 'pending' and not_before > ?`, [
    true,
    now,
  ])
  return row?.due ?? undefined
}

const renewed = select({ id: r.id, cancel: r.cancelRequested })

/** Renews the leases of `owner`. @returns the ids that it still holds, and which of them someone wants to stop */
export async function renewLeases(
  db: Database,
  owner: string,
  ids: readonly string[],
  leaseUntil: Date,
): Promise<Map<string, { cancel: boolean }>> {
  const rows = await db.write((tx) =>
    renewed.allOf(
      tx,
      `update runs set lease_until = ? where lease_owner = ? and open = ? and id in (${placeholders(ids)})
       returning ${renewed.columns}`,
      [leaseUntil, owner, true, ...ids],
    ),
  )
  return new Map(rows.map(({ id, cancel }) => [id, { cancel }]))
}

/** A run that a process has, or had. */
const held = select({
  ...pick(r, 'id', 'tenantId', 'attempt'),
  /** Null when an external runtime had it and its time is over. */
  owner: r.leaseOwner,
})
export type LostRun = RowOf<typeof held>

/** Runs whose lease has ended, and those held by a process of this machine that is gone. */
export function lostRuns(sql: Sql, now: Date): Promise<LostRun[]> {
  return held.all(sql, `from runs where open = ? and status = 'running' and lease_until <= ? limit 100`, [
    true,
    now,
  ])
}

/** Runs that some process holds at the moment. */
export function heldRuns(sql: Sql): Promise<LostRun[]> {
  return held.all(sql, `from runs where open = ? and status = 'running' and lease_owner is not null`, [true])
}
