import type { Ctx } from '../../../kernel/context.ts'
import { notFound } from '../../../kernel/errors.ts'
import { type EventOf, followEvents } from '../../../kernel/events.ts'
import { oneTenant } from '../../../kernel/scope.ts'
import { transact } from '../../../kernel/transact.ts'
import { ModelError } from '../../../platform/models/port.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import { isFree } from '../../accounts/tenants/free-tenants.ts'
import { effectiveAgent } from '../../agents/configuration/effective-queries.ts'
import { adapterFor } from '../runs/adapters/adapters.ts'
import { tenantCap } from '../runs/budget/caps.ts'
import { freePool } from '../runs/budget/free-pool.ts'
import { heldBackBy } from '../runs/budget/unproved.ts'
import { Run } from '../runs/entities.ts'
import { deliverFailure, TimedOut } from '../runs/lifecycle/abort.ts'
import { endEvents } from '../runs/lifecycle/end.ts'
import { heldRun } from '../runs/lifecycle/held-run.ts'
import { choicesFor, type Dispatch, modelOf } from '../runs/lifecycle/start.ts'
import type { ProbeReceipt } from './schemas.ts'

/** How long an agent may take for its probe. */
const probeMs = 60_000

const prompt = `# Task

This only tests the connection: there is no work behind it, and no one reads the answer but a program. Answer with one short sentence. Use no tools.

# Campaign brief

- **Probe**: the connection works`

const systemPrompt = 'You take part in a test of the connection. Answer with one short sentence.'

/**
 * Gives a role of the tenant a minimal piece of work and waits for its result: through the adapter, the model and the
 * callback, as any run, in the process that is asked. It belongs to no activity and is not tried again; what it cost is
 * booked. A paused agent is probed as well. Serves `POST /agent/v1/health/:agentRole/test`.
 * @throws DomainError `NOT_FOUND` for a role that is not enabled; `VALIDATION_ERROR` when the caller could mean several tenants
 */
export async function probeAgent(ctx: Ctx, role: string): Promise<ProbeReceipt> {
  const tenantId = oneTenant(ctx)
  const started = ctx.clock.now()
  const opened = await openProbe(ctx, tenantId, role)
  if (typeof opened === 'string') return { ok: false, durationMs: 0, error: opened }
  const { runId, attempt, agent } = opened
  const agentCtx: Ctx = {
    ...ctx,
    scope: [tenantId],
    actor: { id: runId, type: 'agent', role: 'agent', appAccess: [], tenantId, attempt, name: agent.name },
    trace: { ...ctx.trace, claim: undefined, audited: false },
  }
  const { type, data } = await perform(agentCtx, opened)
  const durationMs = ctx.clock.now() - started
  if (type === 'run_completed')
    return { ok: true, durationMs, runId, ...(data.output !== undefined && { probeOutput: data.output }) }
  const isLate = data.status === 'timeout'
  const error = isLate ? `No result came within ${probeMs / 1_000} seconds` : data.error
  return { ok: false, durationMs, runId, error }
}

type RunEnd = EventOf<(typeof endEvents)[number]>

/** Lets the adapter work, and ends the probe when its time is over. @returns how it ended */
async function perform(ctx: Ctx, dispatch: Dispatch): Promise<RunEnd> {
  const { runId, tenantId, agent } = dispatch
  const { events, deltas, stopping } = ctx.services
  const ended = Promise.withResolvers<RunEnd>()
  const about = { tenants: [tenantId], subject: runId }
  const stop = await followEvents(events, endEvents, about, undefined, {
    event: ended.resolve,
    resync: () => undefined,
  })
  const abort = new AbortController()
  const fail = async (error: unknown) => {
    try {
      await deliverFailure(ctx, dispatch, error, abort.signal)
    } catch (unexpected) {
      ended.reject(unexpected)
    }
  }
  const giveUp = (reason: Error) => {
    abort.abort(reason)
    void fail(reason)
  }
  const cancel = ctx.clock.after(dispatch.timeoutMs, () => giveUp(new TimedOut()))
  const leave = () =>
    giveUp(new ModelError('transient', 'The server is being stopped; try again in a moment'))
  stopping.addEventListener('abort', leave, { once: true })
  const work = adapterFor(agent.adapterType)
    .start(ctx, dispatch, abort.signal)
    // An adapter that was stopped only knows that it was: the reason says why.
    .catch((error: unknown) => fail(abort.signal.aborted ? abort.signal.reason : error))
  try {
    const end = await ended.promise
    // What it started is gone before the answer.
    await work
    return end
  } finally {
    cancel()
    stopping.removeEventListener('abort', leave)
    stop()
    deltas.close(dispatch)
  }
}

/** @returns what the adapter is given, or why no run is started */
function openProbe(ctx: Ctx, tenantId: string, role: string): Promise<Dispatch | string> {
  return transact(ctx, async (txn) => {
    const agent = await effectiveAgent(txn, tenantId, role)
    if (!agent) throw notFound('agent', { by: 'role' })
    const hindrance = await heldBackBy(txn, tenantId)
    if (hindrance === 'mailbox_unproved')
      return 'The e-mail address of an admin of the tenant is not confirmed yet'
    if (hindrance) return 'A payment of the tenant is overdue'
    const cap = await tenantCap(txn, tenantId)
    if (cap && cap.spent >= cap.limit) return `${cap.owner} has reached ${cap.allowance}`
    const pool = agent.adapterType === 'adapter_b' ? undefined : await freePool(txn)
    if (pool && pool.spent >= pool.limit && isFree(await txn.em.findOneOrFail(Tenant, { id: tenantId })))
      return 'The free plans of this server have used up what they may spend together this month'
    const id = txn.newId()
    const choices = await choicesFor(txn, tenantId, agent)
    if (choices instanceof ModelError) return choices.message
    const model = modelOf(txn, agent)
    const deadline = new Date(txn.clock.now() + probeMs)
    txn.em.create(Run, {
      ...heldRun(txn, id, deadline),
      purpose: 'probe',
      prompt,
      systemPrompt,
      tenantId,
      agentRole: role,
      adapter: agent.adapterType,
      model,
    })
    txn.audit({ tenantId, resourceType: 'agent', resourceId: id, after: { agentRole: role, runId: id } })
    return {
      runId: id,
      attempt: 1,
      activityId: id,
      tenantId,
      agent: { ...agent, toolNames: [] },
      model,
      choices,
      allowanceMicros: null,
      wakeReason: 'manual' as const,
      settled: false,
      skills: [],
      sessionId: null,
      timeoutMs: probeMs,
      deadline,
      prompt,
      systemPrompt,
      brief: {
        campaign: 'Probe',
        step: { kind: 'draft', title: 'Test of the connection' },
        platforms: [],
        variant: 0,
        feedback: [],
        topic: 'The connection works',
      },
    }
  })
}
