import type { Client, Reply } from '@copydesk/client'
import type { CopydeskOptions } from '@copydesk/core'
import type { RiskLevel } from '../../../packages/core/src/domain/work/approvals/entities.ts'
import { rankOf } from '../../../packages/core/src/domain/work/approvals/policy.ts'
import { createIds } from '../../../packages/core/src/platform/clock.ts'
import { sha256Hex } from '../../../packages/core/src/platform/crypto/hash.ts'
import type { SqlValue } from '../../../packages/core/src/platform/database/database.ts'
import { createTestApp, type Team, type TestApp } from '../../kit/app.ts'
import { createTestClock, type TestClock } from '../../kit/clock.ts'
import { createRowInserter } from '../../kit/feed-rows.ts'
import { keyClient } from '../../kit/key-client.ts'
import { addReviewer } from '../steering.ts'

export type Answer = Reply<'cli', 'POST /nl'>

/** Two tenants of one reviewer with work in every state, and a third that is someone else's. */
export interface QueryHarness extends AsyncDisposable {
  app: TestApp
  clock: TestClock
  /** Ids by the words that tests call them. */
  ids: Record<string, string>
  hearth: Team
  mill: Team
  foreign: Team
  /** Of the reviewer, by an API key. */
  client: Client
  ask(query: string, more?: { history?: string[]; tenantId?: string; client?: Client }): Promise<Answer>
  /** The same in one line, with the names of things in place of their ids. */
  line(query: string, history?: string[]): Promise<string>
  /** Names in place of ids. */
  named(text: string): string
  approval(name: string, of: { tenantId: string }, row: NewApproval): Promise<string>
}

interface NewApproval {
  title: string
  risk: RiskLevel
  type?: string
  /** Hours. */
  ago?: number
  expiresIn?: number
  makes?: string
  role?: string
  text?: string
}

/** 10 April 2026, 9 o'clock in UTC: a Friday. */
export async function createQueryHarness(changes: Partial<CopydeskOptions> = {}): Promise<QueryHarness> {
  const clock = createTestClock()
  const app = await createTestApp({ clock, worker: false, ...changes })
  const hearth = await app.team('Hearth & Oat')
  const mill = await app.team('Rye Mill')
  const foreign = await app.team('Zanzibar Spice')
  const rob = await addReviewer(app, 'Rob', [hearth.tenantId, mill.tenantId])
  const client = await keyClient(app, rob.id)
  const inserter = createRowInserter(app, clock)
  const newId = createIds(clock)
  const ids: Record<string, string> = { HEARTH: hearth.tenantId, MILL: mill.tenantId }
  const insert = (table: string, row: Record<string, SqlValue>) => {
    const names = Object.keys(row)
    const text = `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`
    return app.db.write((tx) => tx.run(text, Object.values(row)))
  }
  const change = (text: string, ...params: SqlValue[]) => app.db.write((tx) => tx.run(text, params))

  const approval: QueryHarness['approval'] = async (name, { tenantId }, row) => {
    const {
      title,
      risk,
      type = 'content_review',
      ago = 1,
      expiresIn = 40,
      makes,
      role = 'social_writer',
    } = row
    const id = newId()
    const activityId = await inserter.activity(tenantId, title, {
      status: 'awaiting_approval',
      agent_role: role,
      ...(makes && { deliverable_type: makes }),
    })
    const outputId = newId()
    const text = row.text ?? `The text of ${title}`
    await insert('outputs', {
      id: outputId,
      tenant_id: tenantId,
      activity_id: activityId,
      run_id: null,
      version: 1,
      text,
      author_id: 'system',
      author_name: 'A test',
      author_type: 'agent',
      format: 'markdown',
      sha256: sha256Hex(text),
      created_on: inserter.at(-ago),
    })
    await insert('approvals', {
      id,
      tenant_id: tenantId,
      title,
      type,
      risk_level: risk,
      risk_rank: rankOf(risk),
      status: 'pending',
      created_by_id: 'system',
      created_by_name: 'A test',
      created_by_type: 'human',
      output_id: outputId,
      created_on: inserter.at(-ago),
      updated_on: inserter.at(-ago),
      expires_at: inserter.at(expiresIn),
      due_at: inserter.at(expiresIn / 2),
    })
    await insert('approval_links', {
      approval_id: id,
      activity_id: activityId,
      tenant_id: tenantId,
      blocking: true,
    })
    ids[name] = id
    ids[`${name}-work`] = activityId
    return id
  }
  await approval('spring', hearth, { title: 'Spring menu post', risk: 'low', ago: 3, makes: 'social_post' })
  await approval('oats', hearth, {
    title: 'Autumn oats article',
    risk: 'low',
    ago: 1,
    expiresIn: 5,
    makes: 'blog_post',
    role: 'blog_writer',
  })
  await approval('profile', hearth, {
    title: 'Opening hours on the profile',
    risk: 'high',
    type: 'channel_action',
    ago: 2,
    expiresIn: 22,
  })
  await approval('guide', mill, {
    title: 'Rye flour guide',
    risk: 'low',
    ago: 26,
    expiresIn: 46,
    makes: 'blog_post',
    role: 'blog_writer',
  })
  await approval('voice', mill, {
    title: 'New voice for the miller',
    risk: 'medium',
    type: 'brand_direction',
    ago: 4,
    expiresIn: 44,
    role: 'strategist',
  })
  await approval('theirs', foreign, { title: 'Cinnamon secrets', risk: 'low', makes: 'blog_post' })
  const work = async (name: string, { tenantId }: Team, title: string, more: Record<string, SqlValue>) => {
    ids[name] = await inserter.activity(tenantId, title, more as never)
  }
  await work('teaser', hearth, 'Easter teaser', { status: 'in_progress' })
  const blocker = JSON.stringify({ type: 'insufficient_data', description: 'No figures' })
  await work('prices', mill, 'Bread prices report', {
    status: 'blocked',
    ago: 5,
    blocker,
    agent_role: 'analyst',
  })
  await work('letter', hearth, 'Summer newsletter', {
    status: 'failed',
    ago: 2,
    failure_reason: 'The model refuses',
    agent_role: 'email_writer',
  })
  await work('recap', hearth, 'Winter recap', { status: 'done', ago: 30 })
  await work('market', mill, 'Farmers market ads', {
    status: 'blocked',
    hold: 'paused',
    ago: 1,
    agent_role: 'ads_writer',
  })
  await insert('activity_log', {
    id: newId(),
    tenant_id: hearth.tenantId,
    activity_id: ids['letter'] ?? '',
    at: inserter.at(-2),
    kind: 'status',
    actor: 'Email writer',
    message: 'The model refuses',
    run_id: null,
    data: null,
  })
  await change(
    `update tenant_agents set status = 'paused' where tenant_id = ? and role = 'auditor'`,
    mill.tenantId,
  )
  await change(
    `update tenant_agents set status = 'error', last_error_at = ?, last_error_message = 'No key' where tenant_id = ? and role = 'analyst'`,
    inserter.at(-1),
    hearth.tenantId,
  )
  const spend = (team: Team, at: number, role: string, micros: number) => {
    const id = createIds(createTestClock(at))()
    return insert('runs', {
      id,
      tenant_id: team.tenantId,
      activity_id: id,
      campaign_id: null,
      agent_role: role,
      model: 'm-1',
      status: 'completed',
      open: false,
      wake_reason: 'new_task',
      wake_note: '{}',
      priority: 0,
      attempt: 1,
      not_before: new Date(at),
      cancel_requested: false,
      input_tokens: 10,
      output_tokens: 5,
      cost_micros: micros,
      priced: true,
      created_on: new Date(at),
    })
  }
  await spend(hearth, Date.UTC(2026, 3, 10, 8), 'blog_writer', 1_250_000)
  await spend(hearth, Date.UTC(2026, 3, 2), 'social_writer', 2_000_000)
  await spend(mill, Date.UTC(2026, 3, 7), 'social_writer', 500_000)
  await spend(mill, Date.UTC(2026, 2, 20), 'social_writer', 4_000_000)
  await spend(foreign, Date.UTC(2026, 3, 9), 'social_writer', 77_000_000)

  const ask: QueryHarness['ask'] = (query, { history, tenantId, client: who = client } = {}) => {
    // Twenty in a minute are answered.
    clock.advance(3_000)
    const context = { surface: 'cli' as const, ...(tenantId && { tenantId }), ...(history && { history }) }
    return who.call('cli', 'POST /nl', { body: { query, context } })
  }
  const named = (text: string) =>
    Object.entries(ids).reduce((all, [name, id]) => all.replaceAll(id, name), text)
  return {
    app,
    clock,
    ids,
    hearth,
    mill,
    foreign,
    client,
    ask,
    named,
    approval,
    async line(query, history) {
      const given = history?.map((one) =>
        one.replace(/\{([\w-]+)\}/g, (_, name: string) => ids[name] ?? name),
      )
      return lineOf(
        await ask(
          query.replace(/\{([\w-]+)\}/g, (_, name: string) => ids[name] ?? name),
          { history: given ?? [] },
        ),
        named,
      )
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}

/** `/command`, `= facts` or `? question`, with options behind it. */
export function lineOf({ action, data, clarification }: Answer, named: (text: string) => string): string {
  if (action) return named(action.command)
  if (data) return `= ${named(data.text)}`
  const options = clarification?.options?.map((option) => `[${option}]`).join(' ') ?? ''
  return named(`? ${clarification?.question} ${options}`.trim())
}
