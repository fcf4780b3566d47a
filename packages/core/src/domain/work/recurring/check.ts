import type { Transaction } from '../../../kernel/context.ts'
import { invalid, notFound } from '../../../kernel/errors.ts'
import { Plan, PlanPrice } from '../../accounts/billing/plans/entities.ts'
import { Tenant } from '../../accounts/tenants/entities.ts'
import { DefaultAgent } from '../../agents/configuration/entities.ts'
import { checkPlaceholders } from '../../agents/configuration/settings.ts'
import type { RecurringRow } from './entities.ts'
import { checkCron } from './schedule.ts'

/** What a prompt may name beside the variables of its template. */
const ownPlaceholders = ['company', 'date'] as const

export type Recurring = Pick<
  RecurringRow,
  'agentRole' | 'cron' | 'promptTemplate' | 'variables' | 'applyToTenants' | 'tenantIds' | 'planIds'
>

/** @throws DomainError `VALIDATION_ERROR` with the field that cannot be; `NOT_FOUND` for a tenant that does not exist */
export async function checkRecurring(txn: Transaction, given: Recurring): Promise<void> {
  const { agentRole, cron, promptTemplate, variables, applyToTenants, tenantIds, planIds } = given
  checkCron(cron, txn.clock.date())
  if (!(await txn.em.findOne(DefaultAgent, { role: agentRole })))
    throw invalid('agentRole', `There is no agent role ${agentRole}`)
  checkPlaceholders(promptTemplate, 'promptTemplate', [...ownPlaceholders, ...Object.keys(variables)])
  if (applyToTenants === 'specific' && !tenantIds) throw invalid('tenantIds', 'Say which tenants')
  if (applyToTenants === 'plan_based' && !planIds) throw invalid('planIds', 'Say which plans')
  if (tenantIds && (await txn.em.count(Tenant, { id: { $in: tenantIds } })) < new Set(tenantIds).size)
    throw notFound('tenant', { field: 'tenantIds' })
  if (planIds) await checkPlans(txn, planIds)
}

async function checkPlans(txn: Transaction, planIds: readonly string[]): Promise<void> {
  const plans = await txn.em.find(Plan, {})
  const prices = await txn.em.find(PlanPrice, { id: { $in: [...planIds] } }, { fields: ['id'] })
  const known = new Set<string>([
    ...plans.flatMap(({ id, name }) => [id, name]),
    ...prices.map(({ id }) => id),
  ])
  const missing = planIds.find((given) => !known.has(given))
  if (missing !== undefined)
    throw invalid('planIds', `There is no plan ${missing}; GET /auth/v1/plans lists the ids`)
}
