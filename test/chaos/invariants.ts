import { tenantEvents } from '../../packages/core/src/domain/work/events.ts'
import type { Database, Row } from '../../packages/core/src/platform/database/database.ts'
import { settled } from '../kit/events.ts'

/** Steps that one piece of each deliverable type has, as the default templates say. */
const stepsOf: Record<string, number> = { blog_post: 2, social_post: 1 }

/**
 * What must hold after everything has been done, whatever happened on the way.
 * @param accepted ids of the campaigns that the server said it had taken
 * @returns one sentence for each promise that is broken
 */
export async function brokenInvariants(
  db: Database,
  accepted: readonly string[],
  deliverables: ReadonlyArray<{ type: string; quantity: number }>,
): Promise<string[]> {
  const broken: string[] = []
  const sql = await settled(db)
  const rows = (text: string, params: string[] = []) => sql.all<Row>(text, params)
  const none = async (what: string, text: string) => {
    const found = await rows(text)
    if (found.length > 0) broken.push(`${what}: ${JSON.stringify(found.slice(0, 3))}`)
  }
  const expected = deliverables.reduce((sum, { type, quantity }) => sum + quantity * (stepsOf[type] ?? 0), 0)
  if (new Set(accepted).size !== accepted.length)
    broken.push('two requests with different keys made one campaign')
  const campaigns = await rows('select id, status from campaigns')
  if (campaigns.length !== accepted.length)
    broken.push(`${accepted.length} campaigns were accepted, ${campaigns.length} are there`)
  for (const id of accepted) {
    const [count] = await rows('select count(*) as n from activities where campaign_id = ?', [id])
    if (Number(count?.n) !== expected)
      broken.push(`campaign ${id} has ${Number(count?.n)} activities instead of ${expected}`)
  }
  await none(
    'activities that are not done',
    `select a.id, a.status, a.title, r.attempt, r.status as run, r.error from activities a left join runs r on r.activity_id = a.id
     where a.status <> 'done'`,
  )
  await none('runs that are open', `select id, status from runs where status in ('pending', 'running')`)
  await none(
    'runs with two results',
    'select run_id, count(*) as n from outputs where run_id is not null group by run_id having count(*) > 1',
  )
  await none(
    'versions with gaps',
    'select activity_id, count(*) as n, max(version) as top from outputs group by activity_id having count(*) <> max(version)',
  )
  await none('approvals without an end', `select id, status from approvals where status = 'pending'`)
  await none(
    'verdicts without exactly one audit record',
    `select a.id, (select count(*) from audit_records r where r.resource_id = a.id and r.action = 'approval.resolve') as n from approvals a
     where (select count(*) from audit_records r where r.resource_id = a.id and r.action = 'approval.resolve') <> 1`,
  )
  await none(
    'verdicts without exactly one event',
    `select a.id from approvals a where (select count(*) from event e where e.subject = a.id and e.type = 'approval_resolved') <> 1`,
  )
  await none(
    'pieces whose newest version no verdict covers',
    `select x.id from activities x join outputs o on o.activity_id = x.id
       and o.version = (select max(version) from outputs where activity_id = x.id)
     where x.approval_required and not exists (select 1 from approval_links l join approvals a on a.id = l.approval_id
       where l.activity_id = x.id and a.status = 'approved' and a.content_hash = o.sha256)`,
  )
  await none(
    'completions that were told twice',
    `select subject, count(*) as n from event where type = 'activity_completed' group by subject having count(*) > 1`,
  )
  await none('jobs that were given up', `select id, kind, failures from job where status = 'dead'`)
  return broken
}

/** The prices of `pricedModel`, micro-dollars for a token. */
const [priceIn, priceOut] = [1, 5]

/** What must hold of money, to the micro-dollar. @returns one sentence for each promise that is broken */
export async function brokenMoney(db: Database): Promise<string[]> {
  const broken: string[] = []
  const none = async (what: string, text: string) => {
    const found = await db.sql.all<Row>(text)
    if (found.length > 0) broken.push(`${what}: ${JSON.stringify(found.slice(0, 3))}`)
  }
  await none(
    'runs whose cost is not that of their tokens',
    `select id, cost_micros, input_tokens, output_tokens from runs
     where adapter = 'adapter_b' and cost_micros <> input_tokens * ${priceIn} + output_tokens * ${priceOut}`,
  )
  await none(
    'activities whose cost is not that of their runs',
    `select x.id, x.cost_micros, sum(r.cost_micros) as runs from activities x join runs r on r.activity_id = x.id
     group by x.id, x.cost_micros having x.cost_micros <> sum(r.cost_micros)`,
  )
  return broken
}

/** Holds what followers were told against what happened: everything once, in its order. */
export async function untoldEvents(
  db: Database,
  tenants: ReadonlyArray<{ tenantId: string }>,
  followers: ReadonlyArray<{ readonly told: readonly number[] }>,
): Promise<{ missing: number[]; wrong: string[] }> {
  const missing: number[] = []
  const wrong: string[] = []
  for (const [index, { tenantId }] of tenants.entries()) {
    const told = followers[index]?.told ?? []
    const types = tenantEvents.map(() => '?').join(', ')
    const rows = await (await settled(db)).all<Row>(
      `select seq from event where tenant_id = ? and seq >= ? and type in (${types}) order by seq`,
      [tenantId, told[0] ?? 0, ...tenantEvents.map(({ type }) => type)],
    )
    const happened = rows.map((row) => Number(row.seq))
    const heard = new Set(told)
    missing.push(...happened.filter((seq) => !heard.has(seq)))
    if (told.some((seq, i) => i > 0 && seq <= (told[i - 1] as number)))
      wrong.push(`tenant ${index} was told something twice or out of order`)
    const real = new Set(happened)
    if (told.some((seq) => !real.has(seq)))
      wrong.push(`tenant ${index} was told of what did not happen to it`)
  }
  return { missing, wrong }
}
