import type { RiskLevel } from '../../packages/core/src/domain/work/approvals/entities.ts'
import { rankOf } from '../../packages/core/src/domain/work/approvals/policy.ts'
import { createIds } from '../../packages/core/src/platform/clock.ts'
import type { SqlValue } from '../../packages/core/src/platform/database/database.ts'
import type { TestApp } from './app.ts'
import type { TestClock } from './clock.ts'

const hourMs = 3_600_000

/** Puts rows that people have to look at into the database, as the pipeline would have left them. */
export function createRowInserter(app: TestApp, clock: TestClock) {
  const newId = createIds(clock)
  const at = (hours: number) => new Date(clock.now() + hours * hourMs)
  const insert = async (table: string, row: Record<string, SqlValue>) => {
    const names = Object.keys(row)
    const text = `insert into ${table} (${names.join(', ')}) values (${names.map(() => '?').join(', ')})`
    await app.db.write((tx) => tx.run(text, Object.values(row)))
  }
  const activity = async (
    tenantId: string,
    title: string,
    {
      status = 'in_progress',
      ago = 1,
      ...more
    }: { status?: string; ago?: number } & Record<string, SqlValue> = {},
  ) => {
    const id = newId()
    await insert('activities', {
      id,
      tenant_id: tenantId,
      is_final_step: false,
      title,
      type: 'draft',
      status,
      status_since: at(-ago),
      agent_role: 'social_writer',
      blocks_parent: false,
      depth: 0,
      depends_on: '[]',
      priority: 5,
      input_prompt: 'Write',
      approval_required: false,
      failures: 0,
      cost_micros: 0,
      created_on: at(-ago),
      updated_on: at(-ago),
      ...more,
    })
    return id
  }
  return {
    at,
    activity,
    /** @param inHours until it expires */
    async approval(
      tenantId: string,
      title: string,
      riskLevel: RiskLevel,
      inHours: number,
      id = newId(),
      more: Record<string, SqlValue> = {},
    ) {
      await insert('approvals', {
        id,
        tenant_id: tenantId,
        title,
        type: riskLevel === 'high' ? 'channel_action' : 'content_review',
        risk_level: riskLevel,
        risk_rank: rankOf(riskLevel),
        status: 'pending',
        created_by_id: 'system',
        created_by_name: 'A test',
        created_by_type: 'human',
        created_on: at(-1),
        expires_at: at(inHours),
        due_at: at(inHours / 2),
        updated_on: at(-1),
        ...more,
      })
      return id
    },
    blocked: (tenantId: string, title: string, ago: number, more: Record<string, SqlValue> = {}) =>
      activity(tenantId, title, {
        status: 'blocked',
        ago,
        blocker: JSON.stringify({ type: 'insufficient_data', description: 'No figures' }),
        ...more,
      }),
    failed: (tenantId: string, title: string, ago: number, more: Record<string, SqlValue> = {}) =>
      activity(tenantId, title, { status: 'failed', ago, failure_reason: 'The model refuses', ...more }),
    /** Of a tenant's month; its cap is set to fit. */
    async budget(tenantId: string, ago: number, more: Record<string, SqlValue> = {}) {
      await app.db.write((tx) =>
        tx.run('update tenants set spend_cap_micros = ? where id = ?', [5_000_000, tenantId]),
      )
      await insert('budget_alerts', {
        cap_id: tenantId,
        tenant_id: tenantId,
        scope: 'tenant',
        level: 80,
        limit_micros: 5_000_000,
        message: 'Nearly all is spent',
        raised_on: at(-ago),
        until: at(100),
        ...more,
      })
    },
  }
}
