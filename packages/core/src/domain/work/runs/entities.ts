import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, microsColumn, refColumn } from '../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../platform/database/scope.ts'
import type { AdapterType } from '../../agents/configuration/entities.ts'
import type { FailureFamily } from '../../agents/models/entities.ts'

export const endedRunStatuses = ['completed', 'failed', 'timeout'] as const
export const runStatuses = ['pending', 'running', ...endedRunStatuses] as const
export type RunStatus = (typeof runStatuses)[number]

export const wakeReasons = [
  'new_task',
  'rejection',
  'review_feedback',
  'review_approved',
  'subtask_completed',
  'unblocked',
  'retry',
  'reassigned',
  'scheduled',
  'mention',
  'manual',
] as const
export type WakeReason = (typeof wakeReasons)[number]

/** What a wake tells the agent beside its reason. */
export interface WakeNote {
  rejectionNote?: string
  reviewerFeedback?: string
  selectedOption?: string
  subtaskOutput?: string
  comment?: string
}

/** Why an agent is to look at an activity, and what it must know. */
export interface Wake {
  reason: WakeReason
  note?: WakeNote
}

/** One try that failed, or was lost with its process. */
export interface RunFailure {
  attempt: number
  /** ISO 8601. */
  at: string
  error: string
  family: FailureFamily
}

/** One go of an agent at an activity. */
export const Run = defineEntity({
  name: 'Run',
  tableName: 'runs',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    /**
     * A `probe` only tries an agent out, a `chat` answers a person, and an `embedding` is the ingestion of a document: none of them is
     * part of the tenant's work, and nothing follows from it but its cost.
     */
    purpose: p.string().$type<'work' | 'probe' | 'chat' | 'embedding'>().default('work'),
    /** Of what is no work its own id, which no activity has. */
    activityId: refColumn(),
    campaignId: refColumn().strictNullable(),
    /** Of its activity: it may start before its campaign is active. */
    beforeStart: p.boolean().default(false),
    agentRole: p.string(),
    status: p.string().$type<RunStatus>(),
    /** True while pending or running; an activity has one such run at the most. */
    open: p.boolean(),
    wakeReason: p.string().$type<WakeReason>(),
    wakeNote: p.json().$type<WakeNote>(),
    /** A wake that came while the run was running: it becomes the next run when this one ends. */
    nextWake: p.json().$type<Wake>().strictNullable(),
    priority: p.integer(),
    /** What waiting runs come first by: when it was created, earlier for each point of priority. Null for one that never waits. */
    turn: instantColumn().strictNullable().default(null),
    /** Not to be started before. */
    notBefore: instantColumn(),
    /** How often it was started. */
    attempt: p.integer(),
    /**
     * Attempts up to this one are fenced off: what they deliver is refused. An attempt that may have reached its runtime is not,
     * until a newer one certainly has.
     */
    fence: p.integer().default(0),
    /** When it was certain that an external runtime has this attempt; null before, and for all other agents. */
    handedOverAt: instantColumn().strictNullable().default(null),
    /** Host, process and boot that hold it; null when it waits, or for an external runtime to answer. */
    leaseOwner: p.string().strictNullable(),
    /** An external runtime has it until its deadline, or sooner when it has to say something before. */
    leaseUntil: instantColumn().strictNullable(),
    /** When the run is given up as `timeout`; also the end of its task token. */
    deadline: instantColumn().strictNullable(),
    /** Someone wants it to stop at the next chance. */
    cancelRequested: p.boolean(),
    adapter: p.string().$type<AdapterType>().strictNullable(),
    model: p.string().strictNullable(),
    prompt: p.text().strictNullable(),
    systemPrompt: p.text().strictNullable(),
    error: p.text().strictNullable(),
    errorFamily: p.string().$type<FailureFamily>().strictNullable(),
    /** What went wrong up to now, with the runs that this one tries again; null when nothing did. */
    failures: p.json().$type<RunFailure[]>().strictNullable(),
    /** When the work was given up, until someone tries it again: a dead letter. */
    deadLetteredAt: instantColumn().strictNullable(),
    inputTokens: p.integer(),
    outputTokens: p.integer(),
    costMicros: microsColumn(),
    /** False when no price is known for the model, so that the cost of 0 is no fact. */
    priced: p.boolean(),
    durationMs: p.integer().strictNullable(),
    /** How much its transcript holds already, which has a cap. */
    transcriptChars: p.integer().default(0),
    startedAt: instantColumn().strictNullable(),
    completedAt: instantColumn().strictNullable(),
    createdOn: instantColumn(),
  },
  uniques: [{ name: 'runs_one_open', properties: ['activityId'], where: { open: true } }],
  indexes: [
    { name: 'runs_by_activity', properties: ['activityId', 'id'] },
    { name: 'runs_waiting', properties: ['status', 'notBefore'], where: { open: true } },
    { name: 'runs_at_work', properties: ['tenantId', 'agentRole', 'status'], where: { open: true } },
    {
      name: 'runs_queue',
      properties: ['tenantId', 'agentRole', 'turn', 'id'],
      where: "open = true and status = 'pending'",
    },
    { name: 'runs_by_tenant', properties: ['tenantId', 'id'] },
    {
      name: 'runs_costs',
      properties: ['tenantId', 'id', 'createdOn', 'costMicros'],
      where: 'cost_micros > 0',
    },
    { name: 'runs_by_agent', properties: ['tenantId', 'agentRole', 'id'] },
    { name: 'runs_by_role', properties: ['agentRole', 'id'] },
    { name: 'runs_ended', properties: ['status', 'id'], where: { open: false } },
    { name: 'runs_failed', properties: ['completedAt'], where: "status in ('failed', 'timeout')" },
    { name: 'runs_dead_lettered', properties: ['id'], where: 'dead_lettered_at is not null' },
  ],
  filters: ownedByTenant,
})

/** Text of a run as it came, in batches, so that a late viewer sees it from its start. */
export const RunDelta = defineEntity({
  name: 'RunDelta',
  tableName: 'run_deltas',
  properties: {
    runId: refColumn().primary(),
    attempt: p.integer().primary(),
    /** Number of the first delta in the batch, in the order of delivery. */
    position: p.integer().primary(),
    tenantId: refColumn(),
    text: p.text(),
    createdOn: instantColumn(),
  },
  filters: ownedByTenant,
})

export const ToolCall = defineEntity({
  name: 'ToolCall',
  tableName: 'tool_calls',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    runId: refColumn(),
    activityId: refColumn(),
    toolName: p.string(),
    method: p.string(),
    input: p.json().$type<unknown>().strictNullable(),
    output: p.json().$type<unknown>().strictNullable(),
    status: p.string().$type<'success' | 'error'>(),
    error: p.text().strictNullable(),
    durationMs: p.integer(),
    costMicros: microsColumn(),
    createdOn: instantColumn(),
  },
  indexes: [{ name: 'tool_calls_by_run', properties: ['runId', 'id'] }],
  filters: ownedByTenant,
})

export const transcriptTypes = ['assistant', 'user', 'tool_use', 'tool_result', 'system', 'error'] as const
export type TranscriptType = (typeof transcriptTypes)[number]

/** One line of what happened during a run, in the order of the ids; its prompts stand on the run itself. */
export const TranscriptEntry = defineEntity({
  name: 'TranscriptEntry',
  tableName: 'transcript_entries',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    runId: refColumn(),
    type: p.string().$type<TranscriptType>(),
    content: p.text(),
    /** `toolName` for tools. */
    metadata: p.json().$type<Record<string, unknown>>().strictNullable(),
    at: instantColumn(),
  },
  indexes: [{ name: 'transcript_entries_by_run', properties: ['runId', 'id'] }],
  filters: ownedByTenant,
})

export type RunRow = InferEntity<typeof Run>

/** What a limit on money is set on. */
export type CapScope = 'activity' | 'campaign' | 'tenant'

/** The newest alert of a cap that is used up, or nearly. */
export const BudgetAlert = defineEntity({
  name: 'BudgetAlert',
  tableName: 'budget_alerts',
  properties: {
    /** The activity, campaign or tenant that the cap is set on. */
    capId: idColumn(),
    tenantId: refColumn(),
    scope: p.string().$type<CapScope>(),
    /** Percent. */
    level: p.integer(),
    /** As it was then: one that was changed since is another cap. */
    limitMicros: microsColumn(),
    message: p.text(),
    raisedOn: instantColumn(),
    /** When the cap begins again; null is never. */
    until: instantColumn().strictNullable(),
  },
  indexes: [{ name: 'budget_alerts_by_tenant', properties: ['tenantId', 'raisedOn', 'capId'] }],
  filters: ownedByTenant,
})
