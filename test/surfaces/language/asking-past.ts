import { rankOf } from '../../../packages/core/src/domain/work/approvals/policy.ts'
import { createIds } from '../../../packages/core/src/platform/clock.ts'
import type { SqlValue } from '../../../packages/core/src/platform/database/database.ts'
import { createRowInserter } from '../../kit/feed-rows.ts'
import type { QueryHarness } from './asking.ts'

interface PastVerdict {
  title: string
  resolution: 'approved' | 'rejected' | 'revision_requested'
  by: readonly [id: string, name: string]
  /** Hours. */
  ago: number
  makes: string
  note?: string
}

/**
 * What was decided, finished and run in the days before: two approved this week, one the week before, one rejected today,
 * one sent back yesterday, and one of a tenant that the reviewer does not work for.
 */
export async function addPast(harness: QueryHarness): Promise<void> {
  const { app, clock, ids, hearth, mill, foreign } = harness
  const inserter = createRowInserter(app, clock)
  const insert = (table: string, row: Record<string, SqlValue>) => {
    const names = Object.keys(row)
    const text = `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`
    return app.db.write((tx) => tx.run(text, Object.values(row)))
  }
  const rob = await app.db.sql.get<{ id: string; name: string }>(
    `select id, name from users where name = 'Rob'`,
  )
  const me = [rob?.id ?? '', 'Rob'] as const
  const rita = [hearth.reviewerId, 'Rita Reviewer'] as const

  const verdict = async (name: string, tenantId: string, row: PastVerdict) => {
    const { title, resolution, by, ago, makes, note = null } = row
    const activityId = await inserter.activity(tenantId, title, {
      status: resolution === 'approved' ? 'done' : 'assigned',
      ago,
      deliverable_type: makes,
      agent_role: makes === 'blog_post' ? 'blog_writer' : 'social_writer',
    })
    const id = createIds({ ...clock, now: () => clock.now() - (ago + 3) * 3_600_000 })()
    await insert('approvals', {
      id,
      tenant_id: tenantId,
      title,
      type: 'content_review',
      risk_level: 'low',
      risk_rank: rankOf('low'),
      status: resolution === 'approved' ? 'approved' : 'rejected',
      created_by_id: 'system',
      created_by_name: 'A test',
      created_by_type: 'human',
      created_on: inserter.at(-ago - 3),
      updated_on: inserter.at(-ago),
      expires_at: inserter.at(40),
      resolved_at: inserter.at(-ago),
      resolved_by_id: by[0],
      resolved_by_name: by[1],
      resolution,
      resolution_note: note,
    })
    await insert('approval_links', {
      approval_id: id,
      activity_id: activityId,
      tenant_id: tenantId,
      blocking: true,
    })
    ids[name] = id
    ids[`${name}-work`] = activityId
  }
  await verdict('blog', hearth.tenantId, {
    title: 'Spring blog post',
    resolution: 'approved',
    by: me,
    ago: 47,
    makes: 'blog_post',
  })
  await verdict('easter', hearth.tenantId, {
    title: 'Easter opening times',
    resolution: 'approved',
    by: rita,
    ago: 20,
    makes: 'social_post',
  })
  await verdict('tour', mill.tenantId, {
    title: 'Mill tour article',
    resolution: 'approved',
    by: me,
    ago: 190,
    makes: 'blog_post',
  })
  await verdict('recipe', mill.tenantId, {
    title: 'Crispbread recipe',
    resolution: 'rejected',
    by: me,
    ago: 0.5,
    makes: 'blog_post',
    note: 'The oven is too hot',
  })
  await verdict('story', hearth.tenantId, {
    title: 'The story of our baker',
    resolution: 'revision_requested',
    by: rita,
    ago: 22,
    makes: 'blog_post',
    note: 'Too long',
  })
  await verdict('foreign', foreign.tenantId, {
    title: 'Saffron secrets',
    resolution: 'approved',
    by: ['system', 'Zora'],
    ago: 20,
    makes: 'blog_post',
  })
  ids['loaf'] = await inserter.activity(hearth.tenantId, 'Loaf of the month', {
    status: 'done',
    ago: 21,
    is_final_step: true,
    completed_at: inserter.at(-21),
  })
  const runAt = clock.now() - 2 * 3_600_000
  await insert('runs', {
    id: createIds({ ...clock, now: () => runAt })(),
    tenant_id: hearth.tenantId,
    activity_id: ids['letter'] ?? '',
    campaign_id: null,
    agent_role: 'email_writer',
    model: 'm-1',
    status: 'failed',
    open: false,
    wake_reason: 'new_task',
    wake_note: '{}',
    priority: 0,
    attempt: 1,
    not_before: new Date(runAt),
    cancel_requested: false,
    input_tokens: 10,
    output_tokens: 0,
    cost_micros: 0,
    priced: true,
    error: 'The model refuses',
    created_on: new Date(runAt),
    completed_at: new Date(runAt + 60_000),
  })
}
