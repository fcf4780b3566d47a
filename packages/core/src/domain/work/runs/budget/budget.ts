import type { Transaction } from '../../../../kernel/context.ts'
import { readHappened } from '../../../../kernel/events.ts'
import { toUsd } from '../../../../kernel/money.ts'
import { lockTenant } from '../../../accounts/tenants/status.ts'
import { type EffectiveAgent, effectiveAgent } from '../../../agents/configuration/effective-queries.ts'
import { type NewNotification, notify } from '../../../people/notifications/notify.ts'
import type { ActivityRow } from '../../activities/entities.ts'
import { isClosed, isWaiting } from '../../activities/state.ts'
import { BudgetAlert, type RunRow } from '../entities.ts'
import { budgetAlert } from '../events.ts'
import { blockUnstarted } from '../lifecycle/end.ts'
import { type Failure, fail } from '../lifecycle/failure.ts'
import { type Cap, capsOf, tenantCap } from './caps.ts'
import { dearestRuns, type RunInFlight, runsInFlight } from './cost-queries.ts'

/** Whether money is left for a run: a cap may be reached, or be so close that the runs in flight may reach it. */
export type Allowance = { state: 'granted' } | { state: 'reached'; cap: Cap } | { state: 'uncertain' }

/**
 * Compares what has been spent with every cap that applies. Checked before each run. What runs in flight will cost is not
 * known, so while they may use a cap up no other joins them: it is passed by one run at the most.
 */
export async function allowanceFor(
  txn: Transaction,
  run: RunRow,
  activity: ActivityRow,
  agent: EffectiveAgent,
): Promise<Allowance> {
  const caps = await capsOf(txn, activity, agent)
  const cap = caps.find(({ spent, limit }) => spent >= limit)
  if (cap) return { state: 'reached', cap }
  for (const { scope, spent, limit } of caps) {
    // An activity has one run at a time.
    if (scope === 'activity') continue
    const campaignId = scope === 'campaign' ? run.campaignId : null
    const coming = await mayStillCost(txn, run, campaignId)
    if (coming > 0 && spent + coming >= limit) return { state: 'uncertain' }
  }
  return { state: 'granted' }
}

/**
 * What the runs in flight may still cost: each as much as the dearest one of its role so far; without a limit when the role
 * has not ended one yet.
 */
export async function mayStillCost(
  txn: Transaction,
  run: Pick<RunRow, 'id' | 'tenantId'>,
  campaignId: string | null,
): Promise<number> {
  const others = await runsInFlight(txn.tx, run.tenantId, { but: run.id, campaignId })
  return inFlightCost(txn, others, (roles) => dearestRuns(txn.tx, run.tenantId, roles))
}

/** The same for given runs, with the dearest that their roles have ended. */
export async function inFlightCost(
  txn: Transaction,
  others: readonly RunInFlight[],
  dearestOf: (roles: string[]) => Promise<ReadonlyMap<string, number>>,
): Promise<number> {
  const nothing = { inputTokens: 0, outputTokens: 0 }
  const priced = others.filter(({ model }) => txn.services.models.costOf(model, nothing).priced)
  if (priced.length === 0) return 0
  const roles = [...new Set(priced.map(({ agentRole }) => agentRole))]
  const dearest = await dearestOf(roles)
  return priced
    .map(({ agentRole, spent }) => Math.max(0, (dearest.get(agentRole) ?? Infinity) - spent))
    .reduce((sum, micros) => sum + micros, 0)
}

/** Ends a run before a token is spent and blocks its activity; the admins are told of the cap. */
export async function blockForBudget(
  txn: Transaction,
  run: RunRow,
  activity: ActivityRow,
  cap: Cap,
): Promise<undefined> {
  const description = `${cap.owner} has reached ${cap.allowance}`
  blockUnstarted(txn, run, activity, { type: 'budget', description })
  await alertOnce(txn, activity, cap, 100)
}

/**
 * Ends a run that has used up between two requests to its model what its agent may spend on the activity: as if it had not
 * been started any more. Where the cap was raised meanwhile it is tried again.
 */
export async function stopForBudget(
  txn: Transaction,
  run: RunRow,
  activity: ActivityRow,
  failure: Failure,
): Promise<void> {
  await txn.em.flush()
  const agent = await effectiveAgent(txn, run.tenantId, run.agentRole)
  const cap = (await capsOf(txn, activity, agent)).find(({ scope }) => scope === 'activity')
  const moot = isClosed(activity) || isWaiting(activity)
  if (moot || !cap || cap.spent < cap.limit) return fail(txn, run, activity, failure)
  await blockForBudget(txn, run, activity, cap)
  run.errorFamily = failure.family ?? null
}

/** Tells the admins when a cap is nearly or wholly used up by what a run has just cost. The last that a command does. */
export async function watchSpending(txn: Transaction, run: RunRow, activity: ActivityRow): Promise<void> {
  await txn.em.flush()
  const agent = await effectiveAgent(txn, run.tenantId, run.agentRole)
  for (const cap of await capsOf(txn, activity, agent)) await watchCap(txn, activity, cap)
}

/** The same for what belongs to no activity: only the tenant's own cap counts it. */
export async function watchTenantSpending(txn: Transaction, tenantId: string): Promise<void> {
  await txn.em.flush()
  if ((await lockTenant(txn, tenantId)).spendCapMicros === null) return
  const cap = await tenantCap(txn, tenantId)
  if (cap) await watchCap(txn, { tenantId, id: null }, cap)
}

/** What has spent, as far as it is known. */
interface Spender {
  tenantId: string
  /** Of the activity; null where there is none. */
  id: string | null
}

async function watchCap(txn: Transaction, by: Spender, cap: Cap): Promise<void> {
  if (cap.spent >= cap.limit) await alertOnce(txn, by, cap, 100)
  else if (cap.spent * 100 >= cap.limit * 80) await alertOnce(txn, by, cap, 80)
}

/** One alert for each level of a cap; one that was raised, and a new month, are told of again. */
async function alertOnce(txn: Transaction, by: Spender, cap: Cap, level: 80 | 100): Promise<void> {
  const { tenantId } = by
  const capUsd = toUsd(cap.limit)
  const about = { tenants: [tenantId], subject: cap.id }
  const told = await readHappened(txn.services.events, txn.tx, budgetAlert, about, 1_000)
  if (told.some(({ at, data }) => at >= cap.since && data.level === level && data.capUsd === capUsd)) return
  const message =
    level === 100
      ? `${cap.owner} has reached ${cap.allowance}`
      : `${cap.owner} has used ${level} % of ${cap.allowance}`
  await keepAlert(txn, tenantId, cap, level, message)
  txn.emit(budgetAlert, {
    tenantId,
    subject: cap.id,
    data: { scope: cap.scope, id: cap.id, level, capUsd, spentUsd: toUsd(cap.spent), message },
  })
  await notify(txn, {
    tenantId,
    to: 'admins',
    type: 'budget_alert',
    title: level === 100 ? 'A budget is used up' : 'A budget is nearly used up',
    body: `${message}.${level === 100 ? ' What would spend more is blocked until the cap is raised and the activity retried.' : ''}`,
    ...subjectOf(by, cap),
  })
}

/** What people look at who are told. */
function subjectOf({ id }: Spender, cap: Cap): Pick<NewNotification, 'subjectKind' | 'subjectId'> {
  if (cap.scope === 'campaign') return { subjectKind: 'campaigns', subjectId: cap.id }
  return id === null
    ? { subjectKind: 'home', subjectId: cap.id }
    : { subjectKind: 'activities', subjectId: id }
}

/** The newest alert of each cap. Anyone who comes here holds the lock of what the cap is set on. */
async function keepAlert(
  txn: Transaction,
  tenantId: string,
  cap: Cap,
  level: 80 | 100,
  message: string,
): Promise<void> {
  const at = txn.clock.date()
  const present = { level, limitMicros: cap.limit, message, raisedOn: at, until: cap.until }
  const known = await txn.em.findOne(BudgetAlert, { capId: cap.id })
  if (known) txn.em.assign(known, present)
  else txn.em.create(BudgetAlert, { capId: cap.id, tenantId, scope: cap.scope, ...present })
}
