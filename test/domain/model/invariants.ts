import { expect } from 'vitest'
import type { SqlValue } from '../../../packages/core/src/platform/database/database.ts'
import type { RealSystem } from './system.ts'

type Law = { sql: string; params?: (now: Date) => SqlValue[] }

/** What no row may ever contradict, whatever has happened: each asks for the ids of those that do. */
const laws: Record<string, Law> = {
  'an activity has one open run at the most': {
    sql: 'select activity_id as id from runs where open = ? group by activity_id having count(*) > 1',
    params: () => [true],
  },
  'a closed activity has no open run, but for a turn that was told to stop': {
    sql: `select a.id from activities a join runs r on r.activity_id = a.id where r.open = ?
      and a.status in ('done', 'failed', 'reassigned') and not (r.status = 'running' and r.cancel_requested = ?)`,
    params: () => [true, true],
  },
  'a pending approval has time left': {
    sql: `select id from approvals where status = 'pending' and expires_at <= ?`,
    params: (now) => [now],
  },
  'a pending approval is about an activity': {
    sql: `select id from approvals a where status = 'pending'
      and not exists (select 1 from approval_links l join activities x on x.id = l.activity_id where l.approval_id = a.id)`,
  },
  'a pending approval shows the newest text': {
    sql: `select a.id from approvals a left join outputs o on o.activity_id = a.content_of
        and o.version = (select max(version) from outputs n where n.activity_id = a.content_of)
      where a.status = 'pending' and a.content_of is not null and coalesce(a.content_hash, '') <> coalesce(o.sha256, '')`,
  },
  'a text is approved only where it was shown or written by the one who approved it': {
    sql: `select a.id from approvals a where a.status = 'approved' and a.content_hash is not null
      and not exists (select 1 from outputs o where o.id = a.output_id and o.activity_id = a.content_of
        and o.sha256 = a.content_hash and (a.edited = ? or o.author_id = a.resolved_by_id))`,
    params: () => [false],
  },
  'work that waits for people has asked them': {
    sql: `select id from activities x where status in ('awaiting_approval', 'awaiting_review')
      and not exists (select 1 from approval_links l join approvals a on a.id = l.approval_id
        where l.activity_id = x.id and l.blocking = ? and a.status = 'pending')`,
    params: () => [true],
  },
  'the newest text of work that is done was approved, where that is required': {
    sql: `select x.id from activities x join outputs o on o.activity_id = x.id
      where x.status = 'done' and x.approval_required = ?
      and o.version = (select max(version) from outputs n where n.activity_id = x.id)
      and not exists (select 1 from approval_links l join approvals a on a.id = l.approval_id
        where l.activity_id = x.id and a.status = 'approved' and a.content_hash = o.sha256)`,
    params: () => [true],
  },
  'versions have no gaps': {
    sql: `select activity_id as id from outputs group by activity_id
      having min(version) <> 1 or max(version) <> count(*) or count(distinct version) <> count(*)`,
  },
  'a run has one output at the most': {
    sql: 'select run_id as id from outputs where run_id is not null group by run_id having count(*) > 1',
  },
  'an activity costs what its runs cost': {
    sql: `select a.id from activities a
      where a.cost_micros <> (select coalesce(sum(r.cost_micros), 0) from runs r where r.activity_id = a.id)`,
  },
}

/** Fails when a law is broken, or an open activity has nothing that will ever move it. */
export async function expectLaws({ harness, clock }: RealSystem): Promise<void> {
  for (const [law, { sql, params }] of Object.entries(laws))
    expect(await harness.app.db.sql.all(sql, params?.(clock.date()) ?? []), law).toEqual([])
  expect(await harness.app.copydesk.asSystem().activities.sweep(), 'every open activity has a mover').toEqual(
    [],
  )
}
