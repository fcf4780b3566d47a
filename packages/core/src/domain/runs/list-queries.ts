import type { Row } from '../../platform/database/database.ts'
import { asDate, asInstant, asJson, asNumber } from '../../platform/database/row.ts'
import { effectiveAgent } from '../agents/effective-queries.ts'
import type { Ctx } from '../context.ts'
import { notFound } from '../errors.ts'
import { toUsd } from '../money.ts'
import { readPage } from '../page-queries.ts'
import { type Condition, equals, where } from '../paging-queries.ts'
import { within } from '../scope.ts'
import { skillsOf } from '../skills/queries.ts'
import type { RunDetail, RunList, RunQuery, RunRecord, TranscriptLine } from './admin-schemas.ts'
import type { TranscriptType } from './entities.ts'
import { madeWithin, spanOf } from './span.ts'

const columns = `r.id, r.tenant_id, t.name as tenant_name, r.agent_role, m.name as agent_name, r.model, r.status,
  r.input_tokens, r.output_tokens, r.cost_micros, r.priced, r.duration_ms, r.started_at, r.completed_at, r.created_on,
  r.error, r.error_family`
const tables = `runs r join tenants t on t.id = r.tenant_id left join master_agents m on m.role = r.agent_role`

/** Runs of all tenants in scope, newest first. Serves `GET /admin/v1/runs`. */
export async function listRuns(ctx: Ctx, given: Partial<RunQuery> = {}): Promise<RunList> {
  const query = { limit: 50, order: 'desc' as const, ...given }
  const { data, pagination } = await readPage<Row, { id: string; row: Row }>(
    ctx,
    {
      select: `select ${columns} from ${tables}`,
      id: 'r.id',
      rows: where(within(ctx.scope, 'r.tenant_id'), equals('r.tenant_id', query.tenantId)),
      filters: [
        equals('r.agent_role', query.agentRole),
        inState(query.status),
        madeWithin('r.id', spanOf(query, 'UTC')),
      ],
      request: query,
    },
    (row) => ({ id: row.id as string, row }),
  )
  return { data: data.map(({ row }) => toRecord(row)), nextCursor: pagination.nextCursor }
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
  const condition = where(within(ctx.scope, 'r.tenant_id'), equals('r.id', runId))
  const row = await ctx.sql.get<Row>(
    `select ${columns}, r.adapter, r.activity_id, r.campaign_id, r.wake_reason, r.attempt, r.prompt, r.system_prompt,
       a.input_prompt, o.text as output
     from ${tables} left join activities a on a.id = r.activity_id
       left join outputs o on o.activity_id = r.activity_id and o.run_id = r.id
     where ${condition.sql} order by o.version desc limit 1`,
    condition.params,
  )
  if (!row) throw notFound('run')
  const record = toRecord(row)
  const agent = await effectiveAgent(ctx, record.tenantId, record.agentRole)
  const skills = await skillsOf(ctx, record.tenantId, agent?.skillIds ?? [])
  const systemPrompt = row.system_prompt as string | null
  return {
    ...record,
    adapter: row.adapter as string | null,
    activityId: row.activity_id as string,
    campaignId: row.campaign_id as string | null,
    wakeReason: row.wake_reason as RunDetail['wakeReason'],
    attempt: asNumber(row.attempt),
    inputPrompt: row.prompt as string | null,
    output: (row.output ?? null) as string | null,
    // A probe has no activity, and no more to say than its prompt.
    inputSummary: beginningOf((row.input_prompt ?? row.prompt ?? '') as string),
    skills: skills.map(({ name }) => name),
    transcript: [...told(row, record.startedAt), ...(await linesOf(ctx, runId))],
    agentConfig: systemPrompt === null ? null : { name: record.agentName, systemPrompt },
  }
}

/** What the agent was given stands on the run itself. */
function told(row: Row, startedAt: Date): TranscriptLine[] {
  const timestamp = startedAt.getTime()
  const lines: Array<[TranscriptType, unknown]> = [
    ['system', row.system_prompt],
    ['user', row.prompt],
  ]
  return lines.flatMap(([type, content]) =>
    typeof content === 'string' && content !== '' ? [{ type, content, timestamp }] : [],
  )
}

async function linesOf(ctx: Ctx, runId: string): Promise<TranscriptLine[]> {
  const scope = within(ctx.scope, 'tenant_id')
  const rows = await ctx.sql.all<Row>(
    `select type, content, metadata, at from transcript_entries where run_id = ? and ${scope.sql} order by id`,
    [runId, ...scope.params],
  )
  return rows.map((row) => {
    const metadata = asJson<Record<string, unknown>>(row.metadata)
    return {
      type: row.type as TranscriptType,
      content: row.content as string,
      timestamp: asInstant(row.at).getTime(),
      ...(metadata && { metadata }),
    }
  })
}

function toRecord(row: Row): RunRecord {
  const status = row.status as string
  return {
    runId: row.id as string,
    tenantId: row.tenant_id as string,
    tenantName: row.tenant_name as string,
    agentRole: row.agent_role as string,
    agentName: (row.agent_name ?? row.agent_role) as string,
    model: row.model as string | null,
    status: (status === 'timeout' ? 'failed' : status) as RunRecord['status'],
    timedOut: status === 'timeout',
    inputTokens: asNumber(row.input_tokens),
    outputTokens: asNumber(row.output_tokens),
    costUsd: toUsd(asNumber(row.cost_micros)),
    priced: row.priced === true || row.priced === 1,
    durationMs: row.duration_ms === null ? null : asNumber(row.duration_ms),
    startedAt: asDate(row.started_at) ?? asInstant(row.created_on),
    completedAt: asDate(row.completed_at),
    error: row.error as string | null,
    errorFamily: row.error_family as RunRecord['errorFamily'],
  }
}

/** Exactly 500 characters at most, and no half of one. */
function beginningOf(text: string): string {
  return text.slice(0, 500).replace(/[\uD800-\uDBFF]$/, '')
}
