import {
  type Database,
  type Dialect,
  placeholders,
  type Sql,
  type SqlValue,
} from '../../../../platform/database/database.ts'
import {
  exists,
  flag,
  like,
  nullable,
  pick,
  type RowOf,
  select,
  table,
  text,
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
 * @param also a further condition on the run `r`
 */
const startable = (dialect: Dialect, also = '') => `from (
  select r.id, r.tenant_id, r.agent_role, ${turnOf[dialect]} as turn,
    row_number() over (partition by r.tenant_id, r.agent_role order by ${turnOf[dialect]}, r.id) + coalesce(w.running, 0) as place,
    coalesce(a.concurrency, m.default_concurrency, 1) as cap
  from runs r
    join tenants t on t.id = r.tenant_id
    left join (
      select tenant_id, agent_role, count(*) as running from runs where open = ? and status = 'running' and purpose = 'work'
      group by tenant_id, agent_role
    ) w on w.tenant_id = r.tenant_id and w.agent_role = r.agent_role
    left join tenant_agents a on a.tenant_id = r.tenant_id and a.role = r.agent_role
    left join master_agents m on m.role = r.agent_role
    left join campaigns c on c.id = r.campaign_id
  where r.open = ? and r.status = 'pending' and r.not_before <= ? and r.purpose = 'work'
    and t.status in ('active', 'trial') and coalesce(a.status, 'terminated') <> 'paused'
    and (r.campaign_id is null or c.status in ('active', 'completed')) ${also}
) as waiting where place <= cap order by turn, id limit ?`

interface RunClaim {
  owner: string
  now: Date
  leaseUntil: Date
  limit: number
}

/** Takes up to `limit` runs for `owner` until `leaseUntil`. */
export async function claimRuns(db: Database, claim: RunClaim): Promise<ClaimedRun[]> {
  if (!(await anyWaiting(db.sql, claim.now))) return []
  if (db.dialect === 'sqlite') return db.write((tx) => take(tx, claim, startable('sqlite')))
  const first = await claimOfAgents(db, claim, 'pg_try_advisory_xact_lock')
  if (!first.busy) return first.claimed
  // Only runs of an agent that another process claims for at this moment are left: this one waits for it now.
  const limit = claim.limit - first.claimed.length
  const { claimed } = await claimOfAgents(db, { ...claim, limit }, 'pg_advisory_xact_lock')
  return [...first.claimed, ...claimed]
}

const agentOf = `r.tenant_id || ' ' || r.agent_role`

const agents = select({ agent: text('agent'), locked: flag('locked') })

/** One row for each agent of the runs that could be taken; they are locked in an order that all processes have. */
const lockAgents = (lock: string) => `with found as materialized (
    select distinct tenant_id || ' ' || agent_role as agent, hashtext(tenant_id || ' ' || agent_role) as key
    from (select * ${startable('postgresql')}) as best order by key)
  select agent, cast(${lock}(7262, key) as text) <> 'false' as locked from found`

/**
 * Takes runs whose agents no other process claims for: so caps hold exactly, and processes wait for each other only where they want
 * runs of the same agent. What may start is asked again under the locks.
 * @returns whether runs were left to another process
 */
function claimOfAgents(
  db: Database,
  claim: RunClaim,
  lock: 'pg_try_advisory_xact_lock' | 'pg_advisory_xact_lock',
): Promise<{ claimed: ClaimedRun[]; busy: boolean }> {
  return db.write(async (tx) => {
    const found = await agents.allOf(tx, lockAgents(lock), [true, true, claim.now, claim.limit])
    const mine = found.filter(({ locked }) => locked).map(({ agent }) => agent)
    const ofMine = `and ${agentOf} in (select json_array_elements_text(cast(? as json)))`
    const claimed =
      mine.length > 0 ? await take(tx, claim, startable('postgresql', ofMine), [JSON.stringify(mine)]) : []
    return { claimed, busy: mine.length < found.length }
  })
}

/** Someone may be cancelling one of the runs: that is waited for, and seen. */
function take(
  tx: Sql,
  { owner, now, leaseUntil, limit }: RunClaim,
  from: string,
  params: readonly SqlValue[] = [],
): Promise<ClaimedRun[]> {
  return claimed.allOf(
    tx,
    `update runs set status = 'running', attempt = attempt + 1, lease_owner = ?, lease_until = ?,
       started_at = coalesce(started_at, ?) where status = 'pending' and id in (select id ${from}) returning ${claimed.columns}`,
    [owner, leaseUntil, now, true, true, now, ...params, limit],
  )
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
