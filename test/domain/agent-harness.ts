import { expect } from 'vitest'
import type { Team } from '../kit/app.ts'
import { asJson } from '../kit/columns.ts'
import type { Agent, AgentHarness } from '../kit/runtime.ts'

/** What an agent may do during its run, beside handing in text and its result, each with a body that is in order. */
export const acts = {
  'tool-call': { toolName: 'search', method: 'GET', input: { q: 'oats' }, status: 'success', durationMs: 12 },
  'actions/report-blocker': { blockerType: 'needs_human_input', description: 'Which shop?' },
  'actions/create-subtask': { title: 'Facts', agentRole: 'researcher', prompt: 'Find three facts' },
  'actions/request-review': { title: 'Please look', description: 'Is this the tone?' },
  'actions/create-approval': { title: 'May we?', type: 'brand_direction' },
  'actions/reassign': { toRole: 'blog_writer', reason: 'Too long for a post' },
  'actions/add-comment': { text: 'Nearly there' },
} as const satisfies Record<string, object>

export type Act = keyof typeof acts
export const everyAct = Object.keys(acts) as Act[]

/** An answer as it came over the wire. */
export interface Answer {
  status: number
  body: Record<string, unknown> & { error?: { code: string; field?: string; details?: unknown } }
  replayed: boolean
}

/** Does something as an agent, without the client in between. */
export async function post(
  harness: AgentHarness,
  agent: Pick<Agent, 'runId' | 'dispatch'>,
  act: Act,
  body: object = acts[act],
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await harness.app.fetch(`/agent/v1/runs/${agent.runId}/${act}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${agent.dispatch.taskToken}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify(body),
  })
  return {
    status: response.status,
    body: (await response.json()) as Answer['body'],
    replayed: response.headers.get('idempotent-replayed') === 'true',
  }
}

/** The refusal of an ask that must not change any row: its status, its code, and its field where it has one. */
export async function refusal(harness: AgentHarness, ask: () => Promise<Answer>) {
  const before = await harness.state()
  const { status, body } = await ask()
  expect(await harness.state()).toEqual(before)
  const { code, field } = body.error ?? { code: 'none' }
  return { status, code, ...(field !== undefined && { field }) }
}

/** The statuses of several answers, in the order of numbers. */
export const statusesOf = (answers: readonly Answer[]) =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b)

/** A second tenant, whose agents are played by the test as well. */
export async function neighbourOf(harness: AgentHarness): Promise<Team & { order(): Promise<Agent> }> {
  const team = await harness.app.team()
  const { tenantId } = team
  const { agents } = harness.app.copydesk.asSystem({ tenantId })
  await agents.configure('social_writer', {
    adapterType: 'adapter_b',
    adapterConfig: { webhookUrl: harness.runtime.url },
  })
  return {
    ...team,
    async order() {
      await team.admin.call('dashboard', 'POST /campaigns', {
        body: { name: 'Theirs', brief: 'Rye', deliverables: [{ type: 'social_post', quantity: 1 }] },
      })
      return harness.next()
    },
  }
}

/** What has been written down about one activity: its log, in order, as `kind: message`. */
export async function logOf(harness: AgentHarness, activityId: string): Promise<string[]> {
  const rows = await harness.app.db.sql.all<{ kind: string; message: string }>(
    'select kind, message from activity_log where activity_id = ? order by id',
    [activityId],
  )
  return rows.map(({ kind, message }) => `${kind}: ${message}`)
}

/** Events of a type, oldest first: what each was about, and what it told. */
export async function eventsOf(harness: AgentHarness, type: string) {
  const rows = await harness.app.db.sql.all<{ tenant_id: string; subject: string; data: unknown }>(
    'select tenant_id, subject, data from event where type = ? order by seq',
    [type],
  )
  return rows.map(({ tenant_id, subject, data }) => ({ tenantId: tenant_id, subject, data: asJson(data) }))
}

/** Inbox lines of a type, oldest first. */
export const inbox = (harness: AgentHarness, type: string) =>
  harness.app.db.sql.all<{ user_id: string; title: string; body: string; subject_id: string }>(
    'select user_id, title, body, subject_id from notifications where type = ? order by id',
    [type],
  )

/** The audit records of what one agent did. */
export const auditOf = (harness: AgentHarness, runId: string) =>
  harness.app.db.sql.all<Record<string, unknown>>(
    `select action, surface, method, path, resource_type, resource_id, tenant_id, actor_type, status
     from audit_records where actor_id = ? order by id`,
    [`agent:${runId}`],
  )

/** A verdict on a pending approval, given by the reviewer. */
export const resolve = (
  { reviewer }: Team,
  approvalId: string,
  body: {
    resolution: 'approved' | 'rejected' | 'revision_requested'
    note?: string
    selectedOption?: string
    endWork?: boolean
    contentHash?: string | null
  },
) => reviewer.call('dm', 'POST /approvals/:approvalId/resolve', { params: { approvalId }, body })

/** What a person of the tenant is shown of an activity. */
export const shown = (harness: AgentHarness, activityId: string) =>
  harness.team.member.call('dashboard', 'GET /activities/:activityId', { params: { activityId } })
