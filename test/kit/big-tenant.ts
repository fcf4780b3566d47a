import type { Database, Dialect } from '../../packages/core/src/platform/database/database.ts'

/** How much there is of each; every campaign has as many activities. */
export const bigSize = { activities: 200_000, approvals: 20_000, campaigns: 1_000 }

/** What differs between the databases in a statement that makes many rows. */
const words: Record<
  Dialect,
  { series(count: number): string; id(n: string): string; at(ms: string): string; json(text: string): string }
> = {
  sqlite: {
    series: (count) =>
      `(with recursive s (n) as (select 1 union all select n + 1 from s where n < ${count}) select n from s) s`,
    id: (n) => `printf('%021d', ${n})`,
    at: (ms) => `(${ms})`,
    json: (text) => `'${text}'`,
  },
  postgresql: {
    series: (count) => `generate_series(1, ${count}::bigint) s (n)`,
    id: (n) => `lpad((${n})::text, 21, '0')`,
    at: (ms) => `to_timestamp((${ms}) / 1000.0)`,
    json: (text) => `'${text}'::jsonb`,
  },
}

const hourMs = 3_600_000

/**
 * Inserts years of data of a tenant with a few statements, and some for its neighbours. Of every hundred
 * activities one each is blocked, failed, running or queued; a tenth of the approvals is pending.
 * @param neighbours other tenants that get a part of it each: 10 is a tenth
 * @param now milliseconds; pending approvals expire up to 70 hours later
 */
export async function fillBigTenant(
  db: Database,
  tenantId: string,
  { neighbours, share, now }: { neighbours: readonly string[]; share: number; now: number },
): Promise<void> {
  await db.write(async (tx) => {
    for (const [mark, owner] of [tenantId, ...neighbours].entries())
      for (const statement of statementsFor(db.dialect, owner, mark, mark === 0 ? 1 : share, now))
        await tx.run(statement)
  })
  // As the server does in time by itself; no one does it for SQLite.
  if (db.dialect === 'postgresql') await db.write((tx) => tx.run('analyze'))
}

function statementsFor(
  dialect: Dialect,
  tenantId: string,
  mark: number,
  share: number,
  now: number,
): string[] {
  const { series, id, at, json } = words[dialect]
  const activities = bigSize.activities / share
  const approvals = bigSize.approvals / share
  const campaigns = bigSize.campaigns / share
  // Those of all tenants alternate, and sort before every id that is made in the course of a test.
  const of = (kind: string, n: string) =>
    `'00${kind}' || ${id(`(${n}) * ${share}`)} || '${String(mark).padStart(2, '0')}'`
  const campaign = `1 + s.n % ${campaigns}`
  const ago = (n: string, unit = 60_000) => at(`${now} - ${n} * ${unit}`)
  return [
    `insert into campaigns (id, tenant_id, name, brief, status, attachments, created_by_id, created_by_name, created_on, updated_on)
     select ${of('C', 's.n')}, '${tenantId}', 'Campaign ' || s.n, 'Brief', case when s.n % 4 = 0 then 'completed' else 'active' end,
       ${json('[]')}, 'system', 'A test', ${ago('s.n')}, ${ago('s.n')} from ${series(campaigns)}`,
    `insert into deliverables (id, tenant_id, campaign_id, position, type, quantity, platform_ids, created_on)
     select ${of('D', 's.n')}, '${tenantId}', ${of('C', 's.n')}, 0, 'social_post', 200, ${json('[]')}, ${ago('s.n')}
     from ${series(campaigns)}`,
    `insert into activities (id, tenant_id, campaign_id, deliverable_id, deliverable_type, is_final_step, title, type, status,
       status_since, agent_role, blocks_parent, depth, depends_on, priority, input_prompt, approval_required, wake_reason, blocker,
       failure_reason, failures, cost_micros, created_on, updated_on)
     select ${of('A', 's.n')}, '${tenantId}', ${of('C', campaign)}, ${of('D', campaign)}, 'social_post', true, 'Piece ' || s.n,
       'draft', case s.n % 100 when 1 then 'blocked' when 2 then 'failed' when 3 then 'in_progress' when 4 then 'awaiting_approval'
         when 5 then 'assigned' else 'done' end,
       ${ago('s.n % 40000')}, case s.n % 4 when 0 then 'social_writer' when 1 then 'blog_writer' when 2 then 'analyst' else 'strategist' end,
       false, 0, ${json('[]')}, 5, 'Write', true, case s.n % 3 when 0 then 'new_task' when 1 then 'retry' else 'review_approved' end,
       case when s.n % 100 = 1 then ${json('{"type":"insufficient_data","description":"No figures"}')} end,
       case when s.n % 100 = 2 then 'The model refuses' end, 0, 1000, ${ago('s.n')}, ${ago('s.n')}
     from ${series(activities)}`,
    `insert into approvals (id, tenant_id, campaign_id, title, type, risk_level, risk_rank, status, created_by_id, created_by_name,
       created_by_type, created_on, expires_at, due_at, resolved_at, updated_on)
     select ${of('E', 's.n')}, '${tenantId}', ${of('C', campaign)}, 'Question ' || s.n,
       case s.n % 3 when 0 then 'channel_action' when 1 then 'content_direction' else 'content_review' end,
       case s.n % 3 when 0 then 'high' when 1 then 'medium' else 'low' end, 1 + s.n % 3,
       case s.n % 10 when 0 then 'pending' when 1 then 'rejected' else 'approved' end, 'system', 'A test', 'human',
       ${ago('s.n', 1_800_000)}, ${at(`${now} + ${hourMs} * (1 + s.n % 70)`)}, ${at(`${now} + ${hourMs} * (1 + s.n % 7)`)},
       case when s.n % 10 <> 0 then ${ago('s.n', 1_800_000)} end, ${ago('s.n', 1_800_000)}
     from ${series(approvals)}`,
    `insert into approval_links (approval_id, activity_id, tenant_id, blocking)
     select ${of('E', 's.n')}, ${of('A', 's.n * 10')}, '${tenantId}', true from ${series(approvals)}`,
  ]
}

/** Of the big tenant: an activity, approval, campaign or deliverable by its number, in the order of which they were made. */
export function bigId(kind: 'A' | 'C' | 'D' | 'E', n: number): string {
  return `00${kind}${String(n).padStart(21, '0')}00`
}
