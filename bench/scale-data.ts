import type { Sql } from '../packages/core/src/platform/database/database.ts'
import type { Seeded } from './installation.ts'
import type { Size } from './measure.ts'

/** How long ago the first event was, days: half of them are older than is kept. */
export const eventDays = 60
const dayMs = 86_400_000
/** Runs of each tenant that wait for an agent. */
export const waitingRuns = 2
/** Every so many rows belong to the big tenant. */
const bigShare = 10
const activitiesPerCampaign = 200

/**
 * Fills a PostgreSQL with a few statements: tenants, campaigns, an activity and a link for each approval, a tenth of the approvals
 * pending, one ended run for each activity and two that wait for each tenant, events of sixty days. One tenant has a tenth of it all.
 * @param now milliseconds
 * @param say is told what is filled
 */
export async function fillAtScale(
  tx: Sql,
  { tenantId, neighbours }: Seeded,
  { tenants, approvals, events }: Size,
  now: number,
  say: (line: string) => void,
): Promise<void> {
  const id = (kind: string, n = 's.n') => `'00${kind}' || lpad((${n})::text, 23, '0')`
  const ago = (n: string, unitMs: number) => `to_timestamp((${now} - (${n}) * ${unitMs}::float8) / 1000)`
  /** The tenant of row `s.n`: the rest is spread evenly. */
  const owner = `join scale_tenants o on o.n = case when s.n % ${bigShare} = 0 then 0 else 1 + s.n % ${tenants - 1} end`
  /** How many campaigns a tenant with that share of the activities has. */
  const most = (share: number) => Math.max(1, Math.floor((approvals * share) / activitiesPerCampaign))
  const campaigns = `case when o.n = 0 then ${most(1 / bigShare)} else ${most((1 - 1 / bigShare) / (tenants - 1))} end`
  const campaign = (n: string) => id('C', `o.n * 1000000 + (${n}) / ${bigShare} % ${campaigns}`)
  const series = (count: number) => `generate_series(1::bigint, ${count}) s (n)`
  const step = async (what: string, ...statements: string[]) => {
    const begun = performance.now()
    for (const statement of statements) await tx.run(statement)
    say(`  filled ${what} in ${((performance.now() - begun) / 1_000).toFixed(0)} s`)
  }
  const known = [tenantId, ...neighbours]
  const strangers = Math.max(0, tenants - known.length)
  await step(
    `${tenants} tenants`,
    'create unlogged table scale_tenants (n bigint primary key, id varchar(26))',
    `insert into scale_tenants values ${known.map((owned, n) => `(${n}, '${owned}')`).join()}`,
    `insert into scale_tenants select ${known.length} + s.n - 1, ${id('T')} from ${series(strangers)}`,
    `insert into tenants (id, name, plan, status, timezone, feature_flags, created_on, updated_on)
     select o.id, 'Stranger ' || o.n, 'standard', 'active', 'UTC', '{}', now(), now() from scale_tenants o where o.n >= ${known.length}`,
    `insert into campaigns (id, tenant_id, name, brief, status, attachments, created_by_id, created_by_name, created_on, updated_on)
     select ${campaign(`k * ${bigShare}`)}, o.id, 'Campaign ' || k, 'Brief', case when k % 4 = 0 then 'completed' else 'active' end, '[]',
       'system', 'A benchmark', ${ago('k', 3_600_000)}, now() from scale_tenants o, generate_series(0, ${campaigns} - 1) k`,
  )
  await step(
    `${approvals} activities`,
    `insert into activities (id, tenant_id, campaign_id, is_final_step, title, type, status, status_since, agent_role, blocks_parent,
       depth, depends_on, priority, input_prompt, approval_required, failures, cost_micros, created_on, updated_on)
     select ${id('A')}, o.id, ${campaign('s.n')}, true, 'Piece ' || s.n, 'draft',
       case when s.n % 70 < 7 then 'awaiting_approval' when s.n % 97 = 8 then 'blocked' when s.n % 97 = 9 then 'failed' else 'done' end,
       ${ago('s.n % 40000', 60_000)}, case s.n % 3 when 0 then 'social_writer' when 1 then 'blog_writer' else 'analyst' end,
       false, 0, '[]', 5, 'Write', true, 0, 1000, ${ago(`${approvals} - s.n`, 5_000)}, ${ago(`${approvals} - s.n`, 5_000)}
     from ${series(approvals)} ${owner}`,
  )
  await step(
    `${approvals} approvals`,
    `insert into approvals (id, tenant_id, campaign_id, title, type, risk_level, risk_rank, status, created_by_id, created_by_name,
       created_by_type, created_on, expires_at, due_at, resolved_at, updated_on)
     select ${id('E')}, o.id, ${campaign('s.n')}, 'Question ' || s.n, 'content_review',
       case s.n % 3 when 0 then 'high' when 1 then 'medium' else 'low' end, 1 + s.n % 3,
       case when s.n % 70 < 7 then 'pending' when s.n % 7 = 0 then 'rejected' else 'approved' end, 'system', 'A benchmark', 'human',
       ${ago(`${approvals} - s.n`, 5_000)}, ${ago('-1 - s.n % 70', 3_600_000)}, ${ago('-1 - s.n % 7', 3_600_000)},
       case when s.n % 70 >= 7 then ${ago(`${approvals} - s.n`, 5_000)} end, ${ago(`${approvals} - s.n`, 5_000)}
     from ${series(approvals)} ${owner}`,
    `insert into approval_links (approval_id, activity_id, tenant_id, blocking)
     select ${id('E')}, ${id('A')}, o.id, true from ${series(approvals)} ${owner}`,
  )
  const run = (number: string, activity: string, ended: boolean, from: string) =>
    `insert into runs (id, tenant_id, activity_id, campaign_id, agent_role, status, open, wake_reason, wake_note, priority, not_before,
       attempt, cancel_requested, input_tokens, output_tokens, cost_micros, priced, started_at, completed_at, created_on)
     select ${number}, o.id, ${activity}, ${campaign('s.n')}, 'social_writer', '${ended ? 'completed' : 'pending'}', ${!ended}, 'new_task',
       '{}', 0, ${ago('1', 60_000)}, ${ended ? 1 : 0}, false, 500, 500, 1000, true,
       ${ended ? `${ago('2', 60_000)}, ${ago('1', 60_000)}` : 'null, null'}, ${ago('s.n % 40000 + 1', 60_000)} from ${from}`
  await step(
    `${approvals} ended and ${waitingRuns * tenants} waiting runs`,
    run(id('R'), id('A'), true, `${series(approvals)} ${owner}`),
    run(
      id('W'),
      id('W'),
      false,
      `${series(waitingRuns * tenants)} join scale_tenants o on o.n = s.n % ${tenants}`,
    ),
  )
  const indexes = await tx.all<{ indexname: string; indexdef: string }>(
    `select indexname, indexdef from pg_indexes where tablename = 'event' and indexname <> 'event_pkey'`,
  )
  await step(
    `${events} events`,
    ...indexes.map(({ indexname }) => `drop index ${indexname}`),
    `insert into event (seq, tenant_id, type, subject, data, at)
     select (select coalesce(max(seq), 0) from event) + s.n + 1, o.id, case s.n % 3 when 0 then 'approval_created' when 1 then 'approval_resolved' else 'activity_updated' end, ${id('E')},
       json_build_object('approvalId', ${id('E')}, 'type', 'content_review', 'riskLevel', 'low', 'title', 'Question ' || s.n)::jsonb,
       ${ago(`${events} - s.n`, (eventDays * dayMs) / events)}
     from ${series(events)} ${owner}`,
    ...indexes.map(({ indexdef }) => indexdef),
  )
}
