import { firstIdAt } from '../../../../platform/clock.ts'
import { placeholders, type Sql } from '../../../../platform/database/database.ts'
import { dearest, inFlight, type RunInFlight, spending } from './cost-queries.ts'

/** A run may start so long after it was ordered and still count, milliseconds. */
const orderedBeforeMs = 31 * 86_400_000

/** Runs on what the operator pays for: those of a tenant's own runtime say themselves what they have used. */
const ofPool = `r.tenant_id in (select t.id from tenants t where t.registered = ? and (t.plan = 'free' or t.status = 'trial'))
  and r.adapter <> 'adapter_b'`

/** Micro-dollars that the runs of all free tenants have cost that were started since an instant. */
export async function spentByFree(sql: Sql, since: Date): Promise<number> {
  const row = await spending.get(
    sql,
    `from runs r where ${ofPool} and r.cost_micros > 0 and r.id >= ? and r.started_at >= ?`,
    [true, firstIdAt(new Date(since.getTime() - orderedBeforeMs)), since],
  )
  return row?.micros ?? 0
}

/** Runs of free tenants that have begun and not ended, but for one. */
export function freeRunsInFlight(sql: Sql, but: string): Promise<RunInFlight[]> {
  return inFlight.all(
    sql,
    `from runs r where r.open = ? and r.status = 'running' and r.prompt is not null and r.id <> ? and ${ofPool}`,
    [true, but, true],
  )
}

/** Micro-dollars of the dearest run that each of some roles has ended at free tenants since an instant. */
export async function dearestFreeRuns(
  sql: Sql,
  roles: readonly string[],
  since: Date,
): Promise<Map<string, number>> {
  const rows = await dearest.all(
    sql,
    `from runs r where r.open = ? and r.prompt is not null and r.agent_role in (${placeholders(roles)}) and r.id >= ? and ${ofPool}
     group by r.agent_role`,
    [false, ...roles, firstIdAt(since), true],
  )
  return new Map(rows.map(({ agentRole, micros }) => [agentRole, micros]))
}

/** Makes all who ask for a share of the pool wait for each other until the commit. */
export async function lockFreePool(tx: Sql): Promise<void> {
  await tx.run(
    `insert into number_sequences (name, last) values ('free-pool', 0)
     on conflict (name) do update set last = number_sequences.last`,
    [],
  )
}
