import type { TestApp } from './app.ts'

const tables = [
  'activities',
  'activity_comments',
  'activity_log',
  'approval_links',
  'approvals',
  'audit_records',
  'event',
  'notifications',
  'outputs',
  'runs',
  'tool_calls',
]

/** Work that moves by itself: a run that a process holds, one that may start now, a job under way or due. */
const moving = `select id from runs where lease_owner is not null and open = ?
  union all select r.id from runs r
    join tenants t on t.id = r.tenant_id
    join tenant_agents a on a.tenant_id = r.tenant_id and a.role = r.agent_role
    left join campaigns c on c.id = r.campaign_id
    where r.open = ? and r.status = 'pending' and r.not_before <= ? and r.purpose = 'work'
      and t.status in ('active', 'trial') and a.status <> 'paused'
      and (r.campaign_id is null or c.status in ('active', 'completed'))
      and not exists (select 1 from runs w where w.open = ? and w.tenant_id = r.tenant_id and w.agent_role = r.agent_role
        and w.status = 'running' and w.purpose = 'work')
  union all select id from job where status = 'running' or (status = 'waiting' and run_at <= ?)
  limit 1`

/**
 * The complete state of activities and runs in the database at rest: the test caused any difference between
 * two readings.
 */
export async function stateAtRest(app: TestApp, now: () => Date): Promise<Record<string, unknown>> {
  const isMoving = () => app.db.sql.get(moving, [true, true, now(), true, now()])
  await app.until(async () => !(await isMoving()), 'nothing moves by itself')
  const all: Record<string, unknown> = {}
  for (const table of tables) all[table] = await app.db.sql.all(`select * from ${table} order by 1, 2`)
  return all
}
