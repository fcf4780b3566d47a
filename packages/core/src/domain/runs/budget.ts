import { effectiveAgent, type EffectiveAgent } from '../agents/effective-queries.ts'
import type { ActivityRow } from '../activities/entities.ts'
import { isClosed, isWaiting } from '../activities/state.ts'
import type { Command } from '../context.ts'
import { toUsd } from '../money.ts'
import { notify } from '../notifications/notify.ts'
import { blockUnstarted } from './block-unstarted.ts'
import { type Cap, capsOf } from './caps.ts'
import { dearestRuns, type RunInFlight, runsInFlight } from './cost-queries.ts'
import { BudgetAlert } from './alert-entity.ts'
import type { RunRow } from './entities.ts'
import { type Failure, fail } from './failure.ts'

/** Whether money is left for a run: a cap may be reached, or be so close that the runs in flight may reach it. */
export type Allowance = { state: 'granted' } | { state: 'reached'; cap: Cap } | { state: 'uncertain' }

/**
 * Compares what has been spent with every cap that applies. Checked before each run. What runs in flight will cost is not
 * known, so while they may use a cap up no other joins them: it is passed by one run at the most.
 */
export async function allowanceFor(
  cmd: Command,
  run: RunRow,
  activity: ActivityRow,
  agent: EffectiveAgent,
): Promise<Allowance> {
  const caps = await capsOf(cmd, activity, agent)
  const cap = caps.find(({ spent, limit }) => spent >= limit)
  if (cap) return { state: 'reached', cap }
  for (const { scope, spent, limit } of caps) {
    // An activity has one run at a time.
    if (scope === 'activity') continue
    const campaignId = scope === 'campaign' ? run.campaignId : null
    const coming = await mayStillCost(cmd, run, campaignId)
    if (coming > 0 && spent + coming >= limit) return { state: 'uncertain' }
  }
  return { state: 'granted' }
}

/**
 * What the runs in flight may still cost: each as much as the dearest one of its role so far; without a limit when the role
 * has not ended one yet.
 */
async function mayStillCost(cmd: Command, run: RunRow, campaignId: string | null): Promise<number> {
  const others = await runsInFlight(cmd.tx, run.tenantId, { but: run.id, campaignId })
  return inFlightCost(cmd, others, (roles) => dearestRuns(cmd.tx, run.tenantId, roles))
}

/** The same for given runs, with the dearest that their roles have ended. */
export async function inFlightCost(
  cmd: Command,
  others: readonly RunInFlight[],
  dearestOf: (roles: string[]) => Promise<ReadonlyMap<string, number>>,
): Promise<number> {
  const nothing = { inputTokens: 0, outputTokens: 0 }
  const priced = others.filter(({ model }) => cmd.services.models.costOf(model, nothing).priced)
  if (priced.length === 0) return 0
  const roles = [...new Set(priced.map(({ agentRole }) => agentRole))]
  const dearest = await dearestOf(roles)
  return priced
    .map(({ agentRole, spent }) => Math.max(0, (dearest.get(agentRole) ?? Infinity) - spent))
    .reduce((sum, micros) => sum + micros, 0)
}

/** Ends a run before a token is spent and blocks its activity; the admins are told of the cap. */
export async function blockForBudget(
  cmd: Command,
  run: RunRow,
  activity: ActivityRow,
  cap: Cap,
): Promise<undefined> {
  const description = `${cap.owner} has reached ${cap.allowance}`
  blockUnstarted(cmd, run, activity, { type: 'budget', description })
  await alertOnce(cmd, activity, cap, 100)
}

/**
 * Ends a run that has used up between two requests to its model what its agent may spend on the activity: as if it had not
 * been started any more. Where the cap was raised meanwhile it is tried again.
 */
export async function stopForBudget(
  cmd: Command,
  run: RunRow,
  activity: ActivityRow,
  failure: Failure,
): Promise<void> {
  await cmd.em.flush()
  const agent = await effectiveAgent(cmd, run.tenantId, run.agentRole)
  const cap = (await capsOf(cmd, activity, agent)).find(({ scope }) => scope === 'activity')
  const moot = isClosed(activity) || isWaiting(activity)
  if (moot || !cap || cap.spent < cap.limit) return fail(cmd, run, activity, failure)
  await blockForBudget(cmd, run, activity, cap)
  run.errorFamily = failure.family ?? null
}

/** Tells the admins when a cap is nearly or wholly used up by what a run has just cost. The last that a command does. */
export async function watchSpending(cmd: Command, run: RunRow, activity: ActivityRow): Promise<void> {
  await cmd.em.flush()
  const agent = await effectiveAgent(cmd, run.tenantId, run.agentRole)
  for (const cap of await capsOf(cmd, activity, agent)) {
    if (cap.spent >= cap.limit) await alertOnce(cmd, activity, cap, 100)
    else if (cap.spent * 100 >= cap.limit * 80) await alertOnce(cmd, activity, cap, 80)
  }
}

/** One alert for each level of a cap; one that was raised, and a new month, are told of anew. */
async function alertOnce(cmd: Command, activity: ActivityRow, cap: Cap, level: 80 | 100): Promise<void> {
  const { tenantId } = activity
  const type = 'budget_alert'
  const capUsd = toUsd(cap.limit)
  const told = await cmd.services.events.read(
    { tenants: [tenantId], types: [type], subject: cap.id },
    0,
    1_000,
  )
  if (told.some(({ at, data }) => at >= cap.since && data['level'] === level && data['capUsd'] === capUsd))
    return
  const message =
    level === 100
      ? `${cap.owner} has reached ${cap.allowance}`
      : `${cap.owner} has used ${level} % of ${cap.allowance}`
  await keepAlert(cmd, tenantId, cap, level, message)
  cmd.emit({
    tenantId,
    type,
    subject: cap.id,
    data: { scope: cap.scope, id: cap.id, level, capUsd, spentUsd: toUsd(cap.spent), message },
  })
  await notify(cmd, {
    tenantId,
    to: 'admins',
    type,
    title: level === 100 ? 'A budget is used up' : 'A budget is nearly used up',
    body: `${message}.${level === 100 ? ' What would spend more is blocked until the cap is raised and the activity retried.' : ''}`,
    subjectKind: cap.scope === 'campaign' ? 'campaigns' : 'activities',
    subjectId: cap.scope === 'campaign' ? cap.id : activity.id,
  })
}

/** The newest alert of each cap. Whoever comes here holds the lock of what the cap is set on. */
async function keepAlert(
  cmd: Command,
  tenantId: string,
  cap: Cap,
  level: 80 | 100,
  message: string,
): Promise<void> {
  const at = cmd.clock.date()
  const present = { level, limitMicros: cap.limit, message, raisedOn: at, until: cap.until }
  const known = await cmd.em.findOne(BudgetAlert, { capId: cap.id })
  if (known) cmd.em.assign(known, present)
  else cmd.em.create(BudgetAlert, { capId: cap.id, tenantId, scope: cap.scope, ...present })
}
