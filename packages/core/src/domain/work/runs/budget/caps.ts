import { type InferEntity, LockMode } from '@mikro-orm/core'
import type { Transaction } from '../../../../kernel/context.ts'
import { toUsd } from '../../../../kernel/money.ts'
import { monthStart, nextMonthStart } from '../../../../kernel/periods.ts'
import { Tenant } from '../../../accounts/tenants/entities.ts'
import type { EffectiveAgent } from '../../../agents/configuration/effective-queries.ts'
import type { ActivityRow } from '../../activities/entities.ts'
import { Campaign } from '../../campaigns/entities.ts'
import type { CapScope } from '../entities.ts'
import { spentBy } from './cost-queries.ts'

/** A limit that people have set on money, and how much of it is spent; micro-dollars. */
export interface Cap {
  scope: CapScope
  /** The activity, campaign or tenant that it is set on. */
  id: string
  limit: number
  spent: number
  /** What was spent before does not count. */
  since: Date
  /** When what is spent begins to count again; null is never. */
  until: Date | null
  /** For people: who may spend, and how much. */
  owner: string
  allowance: string
}

const always = new Date(0)

/**
 * Every cap that an activity counts towards: the agent's for one activity, the campaign's in all, the tenant's this month
 * of its own zone. Where others count towards the same one, they wait until this command has ended, so that each sees what
 * the others have spent; nothing is locked after it.
 */
export async function capsOf(
  txn: Transaction,
  activity: ActivityRow,
  agent: EffectiveAgent | undefined,
): Promise<Cap[]> {
  const tenant = await txn.em.findOneOrFail(Tenant, { id: activity.tenantId })
  const campaign = activity.campaignId ? await txn.em.findOne(Campaign, { id: activity.campaignId }) : null
  const { maxCostMicrosPerActivity: perActivity = null, name = '' } = agent ?? {}
  const perCampaign = campaign?.budgetCapMicros ?? null
  const perMonth = tenant.spendCapMicros
  const caps: Cap[] = []
  if (perActivity !== null) {
    caps.push({
      scope: 'activity',
      id: activity.id,
      limit: perActivity,
      spent: activity.costMicros,
      since: always,
      until: null,
      owner: `The activity “${activity.title}”`,
      allowance: `the cap of ${dollars(perActivity)} that ${name} may spend on one`,
    })
  }
  if (perCampaign !== null || perMonth !== null) await txn.em.lock(tenant, LockMode.PESSIMISTIC_WRITE)
  if (campaign && perCampaign !== null) {
    caps.push({
      scope: 'campaign',
      id: campaign.id,
      limit: perCampaign,
      spent: await spentBy(txn.tx, tenant.id, { campaignId: campaign.id }),
      since: always,
      until: null,
      owner: `The campaign “${campaign.name}”`,
      allowance: `its budget of ${dollars(perCampaign)}`,
    })
  }
  const monthly = await monthlyCap(txn, tenant)
  if (monthly) caps.push(monthly)
  return caps
}

/** The cap of a tenant's month, for what counts towards no other. @returns undefined where none is set */
export async function tenantCap(txn: Transaction, tenantId: string): Promise<Cap | undefined> {
  return monthlyCap(txn, await txn.em.findOneOrFail(Tenant, { id: tenantId }))
}

async function monthlyCap(txn: Transaction, tenant: InferEntity<typeof Tenant>): Promise<Cap | undefined> {
  const limit = tenant.spendCapMicros
  if (limit === null) return undefined
  const since = monthStart(txn.clock.date(), tenant.timezone)
  return {
    scope: 'tenant',
    id: tenant.id,
    limit,
    spent: await spentBy(txn.tx, tenant.id, { since }),
    since,
    until: nextMonthStart(txn.clock.date(), tenant.timezone),
    owner: tenant.name,
    allowance: `its monthly cap of ${dollars(limit)}`,
  }
}

/** To the cent, or as exactly as it was set. */
function dollars(micros: number): string {
  return `$${toUsd(micros)
    .toFixed(6)
    .replace(/0{1,4}$/, '')}`
}
