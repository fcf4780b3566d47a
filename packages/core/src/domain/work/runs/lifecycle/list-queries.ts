import type { Ctx } from '../../../../kernel/context.ts'
import { madeWithin, spanOf } from '../../../../kernel/date-range.ts'
import { notFound } from '../../../../kernel/errors.ts'
import { toUsd } from '../../../../kernel/money.ts'
import { readPage } from '../../../../kernel/page-queries.ts'
import { type Condition, equals, where } from '../../../../kernel/paging-queries.ts'
import { within } from '../../../../kernel/scope.ts'
import { leftTable, like, pick, type RowOf, select, table, text } from '../../../../platform/database/read.ts'
import { Tenant } from '../../../accounts/tenants/entities.ts'
import { effectiveAgent } from '../../../agents/configuration/effective-queries.ts'
import { skillsOf } from '../../../agents/skills/queries.ts'
import { Activity } from '../../activities/entities.ts'
import { Output } from '../../content/entities.ts'
import { Run, TranscriptEntry } from '../entities.ts'
import type { RunDetail, RunList, RunQuery, RunRecord, TranscriptLine } from './admin-schemas.ts'

const r = table(Run, 'r')
const t = table(Tenant, 't')
const a = leftTable(Activity, 'a')
const o = leftTable(Output, 'o')
const e = table(TranscriptEntry, 'e')
const from = `from ${r} join ${t} on t.id = r.tenant_id left join master_agents m on m.role = r.agent_role`

const columns = {
  id: r.id,
  tenantId: r.tenantId,
  tenantName: t.name,
  agentRole: r.agentRole,
  agentName: text('coalesce(m.name, r.agent_role)'),
  ...pick(r, 'model', 'status', 'inputTokens', 'outputTokens', 'costMicros', 'priced', 'durationMs'),
  startedAt: like(r.createdOn, 'coalesce(r.started_at, r.created_on)'),
  ...pick(r, 'completedAt', 'error', 'errorFamily'),
}
const listed = select(columns)
const detailed = select({
  ...columns,
  ...pick(r, 'adapter', 'activityId', 'campaignId', 'wakeReason', 'attempt'),
  inputPrompt: r.prompt,
  systemPrompt: r.systemPrompt,
  /** A probe has no activity, and no more to say than its prompt. */
  task: text("coalesce(a.input_prompt, r.prompt, '')"),
  output: o.text,
})
const line = select(pick(e, 'type', 'content', 'metadata', 'at'))

/** Runs of all tenants in scope, newest first. Serves `GET /admin/v1/runs`. */
export async function listRuns(ctx: Ctx, given: Partial<RunQuery> = {}): Promise<RunList> {
  const query = { limit: 50, order: 'desc' as const, ...given }
  const { data, pagination } = await readPage(
    ctx,
    {
      select: listed,
      from,
      id: r.id,
      rows: where(within(ctx.scope, 'r.tenant_id'), equals(r.tenantId, query.tenantId)),
      filters: [
        equals(r.agentRole, query.agentRole),
        inState(query.status),
        madeWithin('r.id', spanOf(query, 'UTC')),
      ],
      request: query,
    },
    (row) => row,
  )
  return { data: data.map(toRecord), nextCursor: pagination.nextCursor }
}

/** Names the index that knows the state: runs that are open, or those that have ended. */
function inState(status: RunRecord['status'] | undefined): Condition | undefined {
  if (status === undefined) return undefined
  if (status === 'failed') return { sql: `r.open = false and r.status in ('failed', 'timeout')`, params: [] }
  return { sql: `r.open = ${status === 'completed' ? 'false' : 'true'} and r.status = ?`, params: [status] }
}

/**
 * One run with its prompts, its text and what happened in between; its skills are those that its agent has now. Serves `GET /admin/v1/runs/:runId`.
 * @throws DomainError `NOT_FOUND`
 */
export async function getRun(ctx: Ctx, runId: string): Promise<RunDetail> {
  const condition = where(within(ctx.scope, 'r.tenant_id'), equals(r.id, runId))
  const row = await detailed.get(
    ctx.sql,
    `${from} left join ${a} on a.id = r.activity_id left join ${o} on o.activity_id = r.activity_id and o.run_id = r.id
     where ${condition.sql} order by o.version desc limit 1`,
    condition.params,
  )
  if (!row) throw notFound('run')
  const { systemPrompt, task, ...record } = toRecord(row)
  const agent = await effectiveAgent(ctx, record.tenantId, record.agentRole)
  const skills = await skillsOf(ctx, record.tenantId, agent?.skillIds ?? [])
  return {
    ...record,
    inputSummary: beginningOf(task),
    skills: skills.map(({ name }) => name),
    transcript: [...told(row), ...(await linesOf(ctx, runId))],
    agentConfig: systemPrompt === null ? null : { name: record.agentName, systemPrompt },
  }
}

/** What the agent was given stands on the run itself. */
function told({ systemPrompt, inputPrompt, startedAt }: RowOf<typeof detailed>): TranscriptLine[] {
  const timestamp = startedAt.getTime()
  return [
    ...(systemPrompt ? [{ type: 'system' as const, content: systemPrompt, timestamp }] : []),
    ...(inputPrompt ? [{ type: 'user' as const, content: inputPrompt, timestamp }] : []),
  ]
}

async function linesOf(ctx: Ctx, runId: string): Promise<TranscriptLine[]> {
  const scope = within(ctx.scope, 'e.tenant_id')
  const rows = await line.all(ctx.sql, `from ${e} where e.run_id = ? and ${scope.sql} order by e.id`, [
    runId,
    ...scope.params,
  ])
  return rows.map(({ at, metadata, ...entry }) => ({
    ...entry,
    timestamp: at.getTime(),
    ...(metadata && { metadata }),
  }))
}

function toRecord<R extends RowOf<typeof listed>>({ id, status, costMicros, ...row }: R) {
  return {
    ...row,
    runId: id,
    status: status === 'timeout' ? ('failed' as const) : status,
    timedOut: status === 'timeout',
    costUsd: toUsd(costMicros),
  }
}

/** Exactly 500 characters at most, and no half of one. */
function beginningOf(text: string): string {
  return text.slice(0, 500).replace(/[\uD800-\uDBFF]$/, '')
}
