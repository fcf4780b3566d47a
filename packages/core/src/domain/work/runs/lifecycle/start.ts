import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { transact } from '../../../../kernel/transact.ts'
import { ModelError } from '../../../../platform/models/port.ts'
import { Tenant } from '../../../accounts/tenants/entities.ts'
import { type EffectiveAgent, effectiveAgent } from '../../../agents/configuration/effective-queries.ts'
import { reportAgentError } from '../../../agents/configuration/status.ts'
import type { ModelChoice } from '../../../agents/models/registry.ts'
import { type AgentSkill, skillsOf } from '../../../agents/skills/queries.ts'
import type { ActivityRow } from '../../activities/entities.ts'
import { activityStarted } from '../../activities/events.ts'
import { isClosed, lockActivity, logActivity, moveTo } from '../../activities/state.ts'
import { latestOfActivity } from '../../agent-control/session-queries.ts'
import { isApproved } from '../../approvals/pending.ts'
import { Campaign } from '../../campaigns/entities.ts'
import { latestOutput } from '../../content/versions.ts'
import { allowanceFor, blockForBudget } from '../budget/budget.ts'
import { blockForPool, poolAllowance } from '../budget/free-pool.ts'
import { blockFor, heldBackBy } from '../budget/unproved.ts'
import { Run, type RunRow } from '../entities.ts'
import type { ClaimedRun } from '../queue/claim-queries.ts'
import { holdBack } from './cancel.ts'
import { fail } from './failure.ts'
import { type Assignment, assignment } from './prompt.ts'

/** A run that may start, with all that its adapter needs. */
export interface Dispatch extends Assignment {
  runId: string
  attempt: number
  activityId: string
  tenantId: string
  agent: EffectiveAgent
  /** What the agent can read, by name. */
  skills: AgentSkill[]
  model: string
  /** The built-in loop asks the first of these, and a further one where that fails. */
  choices: ModelChoice[]
  /** Micro-dollars that the agent may still spend on the activity; null is without a cap. */
  allowanceMicros: number | null
  wakeReason: RunRow['wakeReason']
  /** Why it was woken has been dealt with by the platform: nothing is left to write. */
  settled: boolean
  /** The conversation of an earlier run of this activity, for runtimes that can take it up again. */
  sessionId: string | null
  timeoutMs: number
  deadline: Date
}

/**
 * Turns a claimed run into a dispatch: checks that it still makes sense and is paid for, builds the prompt, and moves the
 * activity to `in_progress`.
 * @returns undefined when the run was ended or put back instead
 */
export function start(ctx: Ctx, claimed: ClaimedRun): Promise<Dispatch | undefined> {
  return transact(ctx, async (txn) => {
    const { run, activity, agent } = await readClaimed(txn, claimed)
    if (!run.open || run.attempt !== claimed.attempt) return undefined
    if (isClosed(activity)) return endUnstarted(txn, run, activity, 'Its activity is closed')
    // It was paused while it waited to be taken up again.
    if (activity.hold !== null) return holdBack(txn, activity, run)
    if (!agent) return endUnstarted(txn, run, activity, `The agent ${run.agentRole} is not enabled`)
    const hindrance = await heldBackBy(txn, run.tenantId)
    if (hindrance) return blockFor(txn, run, activity, hindrance)
    const allowance = await allowanceFor(txn, run, activity, agent)
    if (allowance.state === 'reached') return blockForBudget(txn, run, activity, allowance.cap)
    const pool = await poolAllowance(txn, run, agent)
    if (pool === 'reached') return blockForPool(txn, run, activity)
    if (allowance.state === 'uncertain' || pool === 'uncertain') return putBack(txn, run)
    const choices = await choicesFor(txn, run.tenantId, agent)
    if (choices instanceof ModelError) {
      await reportAgentError(txn, run.tenantId, run.agentRole, choices.message, activity.id)
      return endUnstarted(txn, run, activity, choices.message)
    }
    return prepareDispatch(txn, run, activity, agent, choices)
  })
}

/** Locks the activity and then the run, and reads in the same journey what every start asks for; the ORM keeps it at hand. */
async function readClaimed(txn: Transaction, claimed: ClaimedRun) {
  const { tenantId, activityId, campaignId, agentRole } = claimed
  const [activity, run, agent] = await Promise.all([
    lockActivity(txn, activityId),
    txn.em.findOneOrFail(Run, { id: claimed.id }, { lockMode: LockMode.PESSIMISTIC_WRITE }),
    effectiveAgent(txn, tenantId, agentRole),
    txn.em.findOneOrFail(Tenant, { id: tenantId }),
    campaignId && txn.em.findOne(Campaign, { id: campaignId }),
  ])
  return { activity, run, agent }
}

/** The models that the tenant's plan lets the agent use; a remote runtime has models of its own. */
export async function choicesFor(
  txn: Transaction,
  tenantId: string,
  agent: EffectiveAgent,
): Promise<ModelChoice[] | ModelError> {
  if (agent.adapterType !== 'local') return []
  const { plan } = await txn.em.findOneOrFail(Tenant, { id: tenantId })
  try {
    return txn.services.models.choicesFor(agent.model, { plan, fallback: agent.adapterConfig.fallbackModels })
  } catch (error) {
    if (error instanceof ModelError) return error
    throw error
  }
}

async function prepareDispatch(
  txn: Transaction,
  run: RunRow,
  activity: ActivityRow,
  agent: EffectiveAgent,
  choices: ModelChoice[],
): Promise<Dispatch> {
  const now = txn.clock.date()
  const [work, skills, session] = await Promise.all([
    assignment(txn, run, activity, agent),
    skillsOf(txn, run.tenantId, agent.skillIds),
    latestOfActivity(txn, run),
  ])
  const timeoutMs = Math.min(agent.adapterConfig.timeoutSec, 3600) * 1000
  const model = modelOf(txn, agent)
  run.adapter = agent.adapterType
  run.handedOverAt = null
  // A process of ours has it from here on.
  if (agent.adapterType !== 'adapter_b') run.fence = run.attempt - 1
  run.model = model
  run.priced = txn.services.models.costOf(model, { inputTokens: 0, outputTokens: 0 }).priced
  run.prompt = work.prompt
  run.systemPrompt = work.systemPrompt
  run.deadline = new Date(now.getTime() + timeoutMs)
  activity.startedAt ??= now
  moveTo(txn, activity, 'in_progress', `${agent.name} is running`)
  logActivity(txn, activity, {
    kind: 'run',
    runId: run.id,
    message: `Run started (${run.wakeReason.replaceAll('_', ' ')})`,
    data: { attempt: run.attempt, model },
  })
  txn.emit(activityStarted, {
    tenantId: run.tenantId,
    subject: activity.id,
    data: {
      activityId: activity.id,
      runId: run.id,
      attempt: run.attempt,
      title: activity.title,
      agentRole: run.agentRole,
    },
  })
  return {
    ...work,
    runId: run.id,
    attempt: run.attempt,
    activityId: activity.id,
    tenantId: run.tenantId,
    agent,
    skills,
    model,
    choices,
    allowanceMicros:
      agent.maxCostMicrosPerActivity === null ? null : agent.maxCostMicrosPerActivity - activity.costMicros,
    wakeReason: run.wakeReason,
    settled: run.wakeReason === 'review_approved' && (await standsApproved(txn, activity)),
    sessionId: session?.sessionId ?? null,
    timeoutMs,
    deadline: run.deadline,
  }
}

/** The model that a run asks for. What a command-line agent calls its models is its own affair. */
export function modelOf(ctx: Ctx, agent: EffectiveAgent): string {
  return agent.adapterType === 'adapter_a' ? agent.model : ctx.services.models.nameFor(agent.model)
}

/** How long a run waits for those in flight to end before money is counted again. */
const recountMs = 5_000

/** Lets a run wait as if it had not been claimed: no one has heard of this attempt. */
function putBack(txn: Transaction, run: RunRow): undefined {
  run.status = 'pending'
  run.attempt -= 1
  run.leaseOwner = null
  run.leaseUntil = null
  run.notBefore = new Date(txn.clock.now() + recountMs)
  if (run.attempt === 0) run.startedAt = null
}

/** An approved question leaves everything to be written; an approved piece leaves nothing. */
async function standsApproved(txn: Transaction, activity: ActivityRow): Promise<boolean> {
  const output = activity.approvalRequired ? await latestOutput(txn, activity.id) : null
  return output !== null && (await isApproved(txn, activity, output))
}

async function endUnstarted(
  txn: Transaction,
  run: RunRow,
  activity: ActivityRow,
  error: string,
): Promise<undefined> {
  run.open = false
  run.completedAt = txn.clock.date()
  run.leaseOwner = null
  await fail(txn, run, activity, { error, family: 'invalid' })
}
