import { seedPlans } from '../domain/accounts/billing/plans/seeds.ts'
import { seedDefaultAgents } from '../domain/agents/configuration/default-agents.ts'
import { seedEmailTemplates } from '../domain/people/mail/templates/seeds.ts'
import { seedTemplates } from '../domain/work/campaigns/templates.ts'
import type { Ctx } from '../kernel/context.ts'
import { transact } from '../kernel/transact.ts'

/** Creates what every installation has: master agents, templates and plans. */
export function seed(ctx: Ctx): Promise<void> {
  return transact(ctx, async (txn) => {
    await seedDefaultAgents(txn)
    await seedTemplates(txn)
    await seedPlans(txn)
    await seedEmailTemplates(txn)
  })
}
