import { z } from 'zod'
import { usdAmount } from '../../../kernel/money.ts'
import { plainName } from '../../../kernel/names.ts'
import { isoDate, page, pageQuery, ulid } from '../../../platform/wire.ts'
import { planNames } from '../billing/plans/entities.ts'
import { isCountry } from '../billing/plans/regions.ts'
import { Email, Password } from '../identity/schemas.ts'
import { tenantStatuses } from './entities.ts'
import { isTimeZone } from './tenants.ts'

const status = z.enum(tenantStatuses)
const plan = z.enum(planNames)
export const featureFlags = z.record(z.string().min(1).max(100), z.boolean())

export const TenantItem = z.object({
  id: ulid,
  name: z.string(),
  domain: z.string().nullable(),
  plan: z.string(),
  status,
  /** Since the month began in the tenant's zone. */
  monthlySpendUsd: z.number(),
  spendCapUsd: z.number().nullable(),
  agentCount: z.int(),
  userCount: z.int(),
  campaignCount: z.int(),
  trialEndsAt: isoDate.optional(),
  createdOn: isoDate,
})
export type TenantItem = z.output<typeof TenantItem>
export const TenantPage = page(TenantItem)

export const TenantQuery = pageQuery.extend({
  'filter.status': status.optional(),
  'filter.plan': plan.optional(),
  /** Words of the name or the domain, as they come to mind. */
  search: z.string().trim().min(1).max(200).optional(),
})
export type TenantQuery = z.output<typeof TenantQuery>

export const TenantChange = z.object({
  name: plainName(200).optional(),
  plan: plan.optional(),
  status: z.enum(['active', 'suspended', 'cancelled']).optional(),
  spendCapUsd: usdAmount.nullable().optional(),
  /** Replaces all of them. */
  featureFlags: featureFlags
    .refine((flags) => Object.keys(flags).length <= 200, 'At most 200 flags')
    .optional(),
})
export type TenantChange = z.output<typeof TenantChange>

export const TenantSummary = TenantItem.extend({ featureFlags })
export type TenantSummary = z.output<typeof TenantSummary>

export const TenantSuspended = z.object({
  tenantId: ulid,
  status: z.literal('suspended'),
  /** Agents that were at the ready. */
  agentsPaused: z.int(),
})
export const Reinstatement = z.object({ note: z.string().trim().max(2_000).optional() })
/** A tenant whose trial goes on is in `trial` again. */
export const TenantReinstated = z.object({
  tenantId: ulid,
  status: z.enum(['active', 'trial']),
  agentsResumed: z.int(),
})

export const Activation = z.object({ isActive: z.literal(true) })
export const TenantActivated = z.object({ tenantId: ulid, status: z.literal('active'), message: z.string() })

/** The highest price of a plan, in the smallest unit of its currency. */
const mostPrice = 1_000_000_000_000

const line = z.string().trim().min(1).max(200)
const country = z
  .string()
  .transform((code) => code.toUpperCase())
  .refine(isCountry, 'Must be a country code of two letters (ISO 3166-1 alpha-2)')

export const NewCustomer = z.object({
  displayName: plainName(200),
  firstName: plainName(100),
  lastName: plainName(99),
  email: z.string().max(254).trim().toLowerCase().pipe(Email),
  password: Password,
  /** From `GET /auth/v1/plans`; or the four that follow, for a plan of the tenant's own. */
  planId: ulid.optional(),
  customPlanName: line.max(100).optional(),
  /** A region code of `GET /auth/v1/plans`. */
  customRegionId: z.string().min(1).max(50).optional(),
  /** In the smallest unit of the region's currency. */
  customPrice: z.int().min(0).max(mostPrice).optional(),
  customCycle: z.enum(['monthly', 'quarterly', 'yearly']).optional(),
  gstin: line.max(50).optional(),
  tdsDeduction: z.boolean().default(false),
  billingName: plainName(200).optional(),
  billingAddress: z.string().trim().min(1).max(1_000).optional(),
  billingCity: line.optional(),
  billingState: line.optional(),
  billingCountry: country.optional(),
  billingPostal: line.max(50).optional(),
  legalName: plainName(200).optional(),
  phone: line.max(50).optional(),
  country: country.optional(),
  domain: z.string().trim().toLowerCase().min(1).max(253).optional(),
  /** IANA zone of its periods and deadlines; default UTC. */
  timezone: z.string().refine(isTimeZone, 'Must be an IANA time zone, such as Europe/Berlin').optional(),
})
export type NewCustomer = z.output<typeof NewCustomer>

export const CustomerReceipt = z.object({
  tenantId: ulid,
  tenantName: z.string(),
  userId: ulid,
  email: z.string(),
  invoiceId: ulid,
  invoiceNumber: z.string(),
})
export type CustomerReceipt = z.output<typeof CustomerReceipt>
