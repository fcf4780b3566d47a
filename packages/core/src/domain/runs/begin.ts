import { LockMode } from '@mikro-orm/core'
import { ModelError } from '../../platform/models/port.ts'
import { reportAgentError } from '../agents/config.ts'
import { effectiveAgent, type EffectiveAgent } from '../agents/effective-queries.ts'
import { latestOfActivity } from '../agents/session-queries.ts'
import { logActivity } from '../activities/log.ts'
import { isClosed, lockActivity, moveTo } from '../activities/state.ts'
import type { ActivityRow } from '../activities/entities.ts'
import { command } from '../command.ts'
import { latestOutput } from '../content/versions.ts'
import type { Command, Ctx } from '../context.ts'
import type { ModelChoice } from '../models/registry.ts'
import { Tenant } from '../tenants/entities.ts'
import { type AgentSkill, skillsOf } from '../skills/queries.ts'
import { allowanceFor, blockForBudget } from './budget.ts'
import type { ClaimedRun } from './claim-queries.ts'
import { Run, type RunRow } from './entities.ts'
import { fail } from './failure.ts'
import { blockForPool, poolAllowance } from './free-pool.ts'
import { holdBack } from './hold-back.ts'
import { awaitsProof, blockForProof } from './unproved.ts'
import { assignment, type Assignment } from './prompt.ts'
import { isApproved } from './questions.ts'

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
export function begin(ctx: Ctx, claimed: ClaimedRun): Promise<Dispatch | undefined> {
  return command(ctx, async (cmd) => {
    const activity = await lockActivity(cmd, claimed.activityId)
    const run = await cmd.em.findOneOrFail(Run, { id: claimed.id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    if (!run.open || run.attempt !== claimed.attempt) return undefined
    const agent = await effectiveAgent(cmd, run.tenantId, run.agentRole)
    if (isClosed(activity)) return endUnstarted(cmd, run, activity, 'Its activity is closed')
    // It was paused while it waited to be taken up again.
    if (activity.hold !== null) return holdBack(cmd, activity, run)
    if (!agent) return endUnstarted(cmd, run, activity, `The agent ${run.agentRole} is not enabled`)
    if (await awaitsProof(cmd, run.tenantId)) return blockForProof(cmd, run, activity)
    const allowance = await allowanceFor(cmd, run, activity, agent)
    if (allowance.state === 'reached') return blockForBudget(cmd, run, activity, allowance.cap)
    const pool = await poolAllowance(cmd, run, agent)
    if (pool === 'reached') return blockForPool(cmd, run, activity)
    if (allowance.state === 'uncertain' || pool === 'uncertain') return putBack(cmd, run)
    const choices = await choicesFor(cmd, run.tenantId, agent)
    if (choices instanceof ModelError) {
      await reportAgentError(cmd, run.tenantId, run.agentRole, choices.message, activity.id)
      return endUnstarted(cmd, run, activity, choices.message)
    }
    return start(cmd, run, activity, agent, choices)
  })
}

/** The models that the tenant's plan lets the agent use; a remote runtime has models of its own. */
export async function choicesFor(
  cmd: Command,
  tenantId: string,
  agent: EffectiveAgent,
): Promise<ModelChoice[] | ModelError> {
  if (agent.adapterType !== 'local') return []
  const { plan } = await cmd.em.findOneOrFail(Tenant, { id: tenantId })
  try {
    return cmd.services.models.choicesFor(agent.model, { plan, fallback: agent.adapterConfig.fallbackModels })
  } catch (error) {
    if (error instanceof ModelError) return error
    throw error
  }
}

async function start(
  cmd: Command,
  run: RunRow,
  activity: ActivityRow,
  agent: EffectiveAgent,
  choices: ModelChoice[],
): Promise<Dispatch> {
  const now = cmd.clock.date()
  const work = await assignment(cmd, run, activity, agent)
  const timeoutMs = Math.min(agent.adapterConfig.timeoutSec, 3600) * 1000
  const model = modelOf(cmd, agent)
  run.adapter = agent.adapterType
  run.handedOverAt = null
  // A process of ours has it from here on.
  if (agent.adapterType !== 'adapter_b') run.fence = run.attempt - 1
  run.model = model
  run.priced = cmd.services.models.costOf(model, { inputTokens: 0, outputTokens: 0 }).priced
  run.prompt = work.prompt
  run.systemPrompt = work.systemPrompt
  run.deadline = new Date(now.getTime() + timeoutMs)
  activity.startedAt ??= now
  moveTo(cmd, activity, 'in_progress', `${agent.name} is at work`)
  logActivity(cmd, activity, {
    kind: 'run',
    runId: run.id,
    message: `Run started (${run.wakeReason.replaceAll('_', ' ')})`,
    data: { attempt: run.attempt, model },
  })
  cmd.emit({
    tenantId: run.tenantId,
    type: 'activity_started',
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
    skills: await skillsOf(cmd, run.tenantId, agent.skillIds),
    model,
    choices,
    allowanceMicros:
      agent.maxCostMicrosPerActivity === null ? null : agent.maxCostMicrosPerActivity - activity.costMicros,
    wakeReason: run.wakeReason,
    settled: run.wakeReason === 'review_approved' && (await standsApproved(cmd, activity)),
    sessionId: (await latestOfActivity(cmd, run))?.sessionId ?? null,
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

/** Lets a run wait as if it had not been claimed: nobody has heard of this attempt. */
function putBack(cmd: Command, run: RunRow): undefined {
  run.status = 'pending'
  run.attempt -= 1
  run.leaseOwner = null
  run.leaseUntil = null
  run.notBefore = new Date(cmd.clock.now() + recountMs)
  if (run.attempt === 0) run.startedAt = null
}

/** An approved question leaves everything to be written; an approved piece leaves nothing. */
async function standsApproved(cmd: Command, activity: ActivityRow): Promise<boolean> {
  const output = activity.approvalRequired ? await latestOutput(cmd, activity.id) : null
  return output !== null && (await isApproved(cmd, activity, output))
}

async function endUnstarted(
  cmd: Command,
  run: RunRow,
  activity: ActivityRow,
  error: string,
): Promise<undefined> {
  run.open = false
  run.completedAt = cmd.clock.date()
  run.leaseOwner = null
  await fail(cmd, run, activity, { error, family: 'invalid' })
}
