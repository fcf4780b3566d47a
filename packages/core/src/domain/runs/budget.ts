import type { EffectiveAgent } from '../agents/effective-queries.ts'
import type { ActivityRow } from '../activities/entities.ts'
import { moveTo } from '../activities/state.ts'
import { Campaign } from '../campaigns/entities.ts'
import { monthStart } from '../campaigns/periods.ts'
import type { Command } from '../context.ts'
import { notify } from '../notifications/notify.ts'
import { Tenant } from '../tenants/entities.ts'
import { spentBy } from './cost-queries.ts'
import type { RunRow } from './entities.ts'

/** A cap that is reached, in words for people. */
export interface ReachedCap {
  description: string
}

/**
 * Compares what has been spent with every cap that applies: the agent's per activity, the campaign's in all, the tenant's
 * this month. Checked before each run, so that a cap is passed by what is in flight at the most.
 */
export async function overBudget(
  cmd: Command,
  activity: ActivityRow,
  agent: EffectiveAgent,
): Promise<ReachedCap | undefined> {
  const perActivity = agent.maxCostMicrosPerActivity
  if (perActivity !== null && activity.costMicros >= perActivity) {
    return {
      description: `This activity has reached the cap of ${dollars(perActivity)} that ${agent.name} may spend on one`,
    }
  }
  const campaign = activity.campaignId ? await cmd.em.findOne(Campaign, { id: activity.campaignId }) : null
  if (campaign?.budgetCapMicros != null) {
    const spent = await spentBy(cmd.tx, activity.tenantId, { campaignId: campaign.id })
    if (spent >= campaign.budgetCapMicros)
      return { description: `The campaign has reached its budget of ${dollars(campaign.budgetCapMicros)}` }
  }
  const tenant = await cmd.em.findOneOrFail(Tenant, { id: activity.tenantId })
  if (tenant.spendCapMicros !== null) {
    const since = monthStart(cmd.clock.date(), tenant.timezone)
    const spent = await spentBy(cmd.tx, tenant.id, { since })
    if (spent >= tenant.spendCapMicros)
      return {
        description: `${tenant.name} has reached its monthly cap of ${dollars(tenant.spendCapMicros)}`,
      }
  }
  return undefined
}

/** Ends a run before a token is spent, blocks its activity and tells the admins. */
export async function blockForBudget(
  cmd: Command,
  run: RunRow,
  activity: ActivityRow,
  cap: ReachedCap,
): Promise<void> {
  run.open = false
  run.status = 'failed'
  run.error = cap.description
  run.completedAt = cmd.clock.date()
  run.leaseOwner = null
  activity.blocker = { type: 'budget', description: cap.description }
  moveTo(cmd, activity, 'blocked', cap.description)
  cmd.emit({
    tenantId: activity.tenantId,
    type: 'activity_blocked',
    subject: activity.id,
    data: { activityId: activity.id, blockerType: 'budget' },
  })
  await notify(cmd, {
    tenantId: activity.tenantId,
    to: 'admins',
    type: 'budget_alert',
    title: 'A budget is used up',
    body: `${cap.description}. “${activity.title}” is blocked until the cap is raised and the activity retried.`,
    subjectKind: 'activities',
    subjectId: activity.id,
  })
}

function dollars(micros: number): string {
  return `$${(micros / 1_000_000).toFixed(2)}`
}
