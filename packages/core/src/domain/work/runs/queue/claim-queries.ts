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
} from '../../../../platform/database/read.ts'
import { Run } from '../entities.ts'

const r = table(Run, 'runs')

const claimed = select(pick(r, 'id', 'tenantId', 'activityId', 'campaignId', 'agentRole', 'attempt'))
export type ClaimedRun = RowOf<typeof claimed>

/** How much earlier a run counts as created for each point of priority: high goes before normal, and never for ever. */
const headStartMs = 90_000

/** What waiting runs come first by, the least first. */
export const turnOf = (createdOn: Date, priority: number) =>
  new Date(createdOn.getTime() - priority * headStartMs)

const isWaiting = `open = true and status = 'pending'`

/** Agents with runs that wait: one step in an index for each, however many of its runs wait. */
const agentsThatWait = `
  select tenant_id, agent_role from (
    select tenant_id, agent_role from runs where ${isWaiting} order by tenant_id, agent_role limit 1
  ) as first
  union all
  select n.tenant_id, n.agent_role from agent p join runs n on n.id = (
    select id from runs where ${isWaiting} and (tenant_id, agent_role) > (p.tenant_id, p.agent_role)
    order by tenant_id, agent_role limit 1
  )`

/** The runs of one agent for its free places. */
const firstOf: Record<Dialect, (chosen: string) => string> = {
  sqlite: (chosen) => `join runs r on r.id in (select q.id ${chosen})`,
  postgresql: (chosen) =>
    `cross join lateral (select q.id, q.tenant_id, q.agent_role, q.turn ${chosen}) as r`,
}

/**
 * Waiting runs that may start now, best first: due, of a tenant that is active or on trial and a campaign that is active or
 * was completed (its work may be tried again), or that a person has asked for before its start, of an agent that is not paused, within the agent's concurrency counted over
 * all processes. A run of an agent that is enabled no more is taken too, so that it ends and people are told.
 * What runs is counted once, and not for each of a thousand agents that wait. Its parameter is the present. The number stands in the
 * text: PostgreSQL plans again for each that is bound.
 * @param agents selects whose runs
 */
const startable = (dialect: Dialect, limit: number, agents = agentsThatWait) => `(
  with recursive agent (tenant_id, agent_role) as (${agents}),
  busy as materialized (
    select tenant_id, agent_role, count(*) as places from runs
    where open = true and status = 'running' and purpose = 'work' group by tenant_id, agent_role
  ),
  free as materialized (
    select g.tenant_id, g.agent_role,
      coalesce(a.concurrency, m.default_concurrency, 1) - coalesce(b.places, 0) as places
    from agent g
      join tenants t on t.id = g.tenant_id
      left join tenant_agents a on a.tenant_id = g.tenant_id and a.role = g.agent_role
      left join master_agents m on m.role = g.agent_role
      left join busy b on b.tenant_id = g.tenant_id and b.agent_role = g.agent_role
    where t.status in ('active', 'trial') and coalesce(a.status, 'terminated') <> 'paused'
  )
  select id, tenant_id, agent_role from (
    select r.id, r.tenant_id, r.agent_role, r.turn, f.places,
      row_number() over (partition by r.tenant_id, r.agent_role order by r.turn, r.id) as place
    from free f ${firstOf[dialect](`
      from runs q left join campaigns c on c.id = q.campaign_id
      where q.tenant_id = f.tenant_id and q.agent_role = f.agent_role
        and q.open = true and q.status = 'pending' and q.not_before <= ? and q.purpose = 'work'
        and (q.campaign_id is null or c.status in ('active', 'completed')
          or (q.before_start = true and c.status not in ('paused', 'archived')))
      order by q.turn, q.id limit ${limit}`)}
    where f.places > 0
  ) as waiting where place <= places order by turn, id limit ${limit}
)`

interface RunClaim {
  owner: string
  now: Date
  leaseUntil: Date
  limit: number
}

/** How many runs are asked for when there is room for `free`: a power of two, since the database makes a plan for each number. */
export const claimable = (free: number): number => (free < 1 ? 0 : 2 ** Math.floor(Math.log2(free)))

interface Claimed {
  claimed: ClaimedRun[]
  /** Whether runs were left of an agent that another process claims for at this moment: they are to be looked for again soon. */
  busy: boolean
}

/** Takes up to `limit` runs for `owner` until `leaseUntil`, and waits for no other process. */
export async function claimRuns(db: Database, claim: RunClaim): Promise<Claimed> {
  if (db.dialect === 'postgresql') return claimOfAgents(db, claim)
  const claimed = await db.write((tx) => take(tx, claim, startable('sqlite', claim.limit), [claim.now]))
  return { claimed, busy: false }
}

const agents = select({ tenantId: r.tenantId, agentRole: r.agentRole, locked: flag('locked') })

/** One row for each agent of the runs that could be taken, locked where no other process has it. */
const lockAgents = (limit: number) => `with found as materialized (
    select distinct tenant_id, agent_role, hashtext(tenant_id || ' ' || agent_role) as key
    from ${startable('postgresql', limit)} as best)
  select ${agents.columns} from (
    select tenant_id, agent_role, pg_try_advisory_xact_lock(7262, key) as locked from found) as runs`

/**
 * Takes runs whose agents no other process claims for: so caps hold exactly, and processes that want runs of the same agents do
 * not queue up. What may start is asked again under the locks.
 */
function claimOfAgents(db: Database, claim: RunClaim): Promise<Claimed> {
  return db.write(async (tx) => {
    const found = await agents.allOf(tx, lockAgents(claim.limit), [claim.now])
    const mine = found.filter(({ locked }) => locked).map(({ tenantId, agentRole }) => [tenantId, agentRole])
    const ofMine = 'select each->>0, each->>1 from json_array_elements(cast(? as json)) as each'
    const best = startable('postgresql', claim.limit, ofMine)
    const claimed = mine.length > 0 ? await take(tx, claim, best, [JSON.stringify(mine), claim.now]) : []
    return { claimed, busy: mine.length < found.length }
  })
}

/** Someone may be cancelling one of the runs: that is waited for, and seen. */
function take(
  tx: Sql,
  { owner, now, leaseUntil }: RunClaim,
  best: string,
  params: readonly SqlValue[],
): Promise<ClaimedRun[]> {
  return claimed.allOf(
    tx,
    `update runs set status = 'running', attempt = attempt + 1, lease_owner = ?, lease_until = ?,
       started_at = coalesce(started_at, ?) where status = 'pending' and id in (select id from ${best} as best) returning ${claimed.columns}`,
    [owner, leaseUntil, now, ...params],
  )
}

/** Whether a run waits that is due, be there room for it or not. */
export async function anyWaiting(sql: Sql, now: Date): Promise<boolean> {
  return exists(sql, `from runs where ${isWaiting} and not_before <= ?`, [now])
}

const next = select({ due: nullable(like(r.notBefore, 'min(runs.not_before)')) })

/** When the next waiting run is due, if that is later than now. */
export async function nextDue(sql: Sql, now: Date): Promise<Date | undefined> {
  const row = await next.get(sql, `from runs where ${isWaiting} and not_before > ?`, [now])
  return row?.due ?? undefined
}

const renewed = select({ id: r.id, cancel: r.cancelRequested })

/** Rows that a transaction has locked are passed over: while it waited for one, a renewal would keep all others locked. */
const mineOf: Record<Dialect, (wanted: string) => string> = {
  sqlite: (wanted) => wanted,
  postgresql: (wanted) => `id in (select id from runs where ${wanted} for update skip locked)`,
}

/**
 * Renews the leases of `owner`.
 * @returns those that are renewed, and which of them someone wants to stop; the others are lost, or being written at this moment
 */
export async function renewLeases(
  db: Database,
  owner: string,
  ids: readonly string[],
  leaseUntil: Date,
): Promise<Map<string, { cancel: boolean }>> {
  const rows = await db.write((tx) =>
    renewed.allOf(
      tx,
      `update runs set lease_until = ?
       where ${mineOf[db.dialect](`lease_owner = ? and open = true and id in (${placeholders(ids)})`)}
       returning ${renewed.columns}`,
      [leaseUntil, owner, ...ids],
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
  return held.all(sql, `from runs where open = true and status = 'running' and lease_until <= ? limit 100`, [
    now,
  ])
}

/** Runs that some process holds at the moment. */
export function heldRuns(sql: Sql): Promise<LostRun[]> {
  return held.all(sql, `from runs where open = true and status = 'running' and lease_owner is not null`)
}
