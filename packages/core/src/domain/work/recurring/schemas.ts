import { z } from 'zod'
import { isoDate, page, pageQuery, ulid } from '../../../platform/wire.ts'
import { audiences, recurringStatuses } from './entities.ts'

const title = z.string().trim().min(1).max(200)
const agentRole = z.string().min(1).max(100)
const cron = z.string().trim().min(1).max(200)
const promptTemplate = z.string().trim().min(1).max(100_000)
const variables = z.record(
  z.string().regex(/^\w{1,64}$/, 'A name has letters, digits and _'),
  z.string().max(10_000),
)
const tenantIds = z.array(ulid).min(1).max(10_000)
/** Ids that `GET /auth/v1/plans` gives, of offerings or of their plans; the name of an offering is understood too. */
const planIds = z.array(z.string().min(1).max(100)).min(1).max(100)

export const RecurringItem = z.object({
  id: ulid,
  title: z.string(),
  agentRole: z.string(),
  cron: z.string(),
  promptTemplate: z.string(),
  variables: z.record(z.string(), z.string()),
  applyToTenants: z.enum(audiences),
  tenantIds: z.array(ulid).optional(),
  planIds: z.array(z.string()).optional(),
  status: z.enum(recurringStatuses),
  lastRunAt: isoDate.nullable(),
  /** The first of all tenants' next instants; null while it is not active, or for no tenant that is. */
  nextRunAt: isoDate.nullable(),
  createdOn: isoDate,
  updatedOn: isoDate,
})
export type RecurringItem = z.output<typeof RecurringItem>
export const RecurringPage = page(RecurringItem)

export const RecurringQuery = pageQuery.extend({ 'filter.status': z.enum(recurringStatuses).optional() })
export type RecurringQuery = z.output<typeof RecurringQuery>

export const NewRecurring = z.object({
  title,
  agentRole,
  cron,
  promptTemplate,
  variables: variables.optional(),
  applyToTenants: z.enum(audiences),
  tenantIds: tenantIds.optional(),
  planIds: planIds.optional(),
})
export type NewRecurring = z.output<typeof NewRecurring>

export const RecurringChange = NewRecurring.partial().extend({
  status: z.enum(['active', 'paused']).optional(),
})
export type RecurringChange = z.output<typeof RecurringChange>
