import { LockMode } from '@mikro-orm/core'
import { actorName, type Ctx, type Transaction } from '../../../kernel/context.ts'
import { DomainError, notFound } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { checkRecurring } from './check.ts'
import { type RecurringRow, RecurringTemplate } from './entities.ts'
import { recurringItem } from './queries.ts'
import type { NewRecurring, RecurringChange, RecurringItem } from './schemas.ts'

/**
 * Adds work that is given again and again, from its next instant on. Serves `POST /admin/v1/recurring-templates`.
 * @throws DomainError see `checkRecurring`
 */
export async function createRecurring(ctx: Ctx, input: NewRecurring): Promise<RecurringItem> {
  const id = ctx.newId()
  await transact(ctx, async (txn) => {
    const now = txn.clock.date()
    const { title, variables = {}, tenantIds = null, planIds = null, ...rest } = input
    const given = { ...rest, variables, tenantIds, planIds }
    await checkRecurring(txn, given)
    const template = txn.em.create(RecurringTemplate, {
      ...given,
      id,
      title,
      status: 'active',
      activeSince: now,
      lastRunAt: null,
      createdBy: actorName(txn),
      createdOn: now,
      updatedOn: now,
    })
    record(txn, id, null, view(template))
  })
  return recurringItem(ctx, id)
}

/**
 * Changes what recurs. A new time, and the end of a pause, count from now: nothing is caught up.
 * Serves `PATCH /admin/v1/recurring-templates/:templateId`.
 * @throws DomainError `NOT_FOUND`; `CONFLICT` for one that is archived; see `checkRecurring`
 */
export async function changeRecurring(
  ctx: Ctx,
  id: string,
  changes: RecurringChange,
): Promise<RecurringItem> {
  await transact(ctx, async (txn) => {
    const template = await lockRecurring(txn, id)
    if (template.status === 'archived')
      throw new DomainError('CONFLICT', 'It is archived and cannot be changed; create a new one')
    const before = view(template)
    const now = txn.clock.date()
    const given = Object.entries(changes).filter(([, value]) => value !== undefined)
    const resumed = template.status === 'paused' && changes.status === 'active'
    const moved = changes.cron !== undefined && changes.cron !== template.cron
    Object.assign(template, Object.fromEntries(given), { updatedOn: now })
    if (resumed || moved) template.activeSince = now
    await checkRecurring(txn, template)
    record(txn, id, before, view(template))
  })
  return recurringItem(ctx, id)
}

/**
 * Ends what recurs, for good; work that it has begun goes on. Doing it again changes nothing.
 * Serves `DELETE /admin/v1/recurring-templates/:templateId`.
 * @throws DomainError `NOT_FOUND`
 */
export async function archiveRecurring(ctx: Ctx, id: string): Promise<void> {
  await transact(ctx, async (txn) => {
    const template = await lockRecurring(txn, id)
    if (template.status === 'archived') return
    const before = view(template)
    template.status = 'archived'
    template.updatedOn = txn.clock.date()
    record(txn, id, before, view(template))
  })
}

async function lockRecurring(txn: Transaction, id: string): Promise<RecurringRow> {
  const template = await txn.em.findOne(RecurringTemplate, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
  if (!template) throw notFound('recurring template')
  return template
}

function view(template: RecurringRow) {
  const { title, agentRole, cron, promptTemplate, variables, applyToTenants, tenantIds, planIds, status } =
    template
  return { title, agentRole, cron, promptTemplate, variables, applyToTenants, tenantIds, planIds, status }
}

function record(txn: Transaction, id: string, before: unknown, after: unknown): void {
  txn.audit({ tenantId: null, resourceType: 'recurring_template', resourceId: id, before, after })
}
