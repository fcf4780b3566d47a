import { z } from 'zod'
import { usdAmount } from '../../../kernel/money.ts'
import { plainName } from '../../../kernel/names.ts'
import { isoDate, page, pageQuery, ulid } from '../../../platform/wire.ts'
import { Email, Password } from '../identity/schemas.ts'
import { planNames } from './billing-entities.ts'
import { tenantStatuses } from './entities.ts'
import { currencies, isCountry, regionCodes } from './regions.ts'
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

export const BillingOverride = z.object({
  action: z.enum(['extend_trial', 'apply_discount', 'mark_paid', 'change_plan']),
  /** Days, a percentage, or the name of a plan; nothing for `mark_paid`. */
  value: z
    .union([z.string().trim().min(1).max(100), z.number().min(0).max(365)], {
      error: 'Must be days from 1 to 365, a percentage from 0 to 100, or the name of a plan',
    })
    .optional(),
  /** For the audit log. */
  reason: z.string().trim().min(1).max(2_000),
})
export type BillingOverride = z.output<typeof BillingOverride>
export const OverrideReceipt = z.object({
  tenantId: ulid,
  action: BillingOverride.shape.action,
  applied: z.literal(true),
})
export type OverrideReceipt = z.output<typeof OverrideReceipt>

export const OfferingsQuery = z.object({
  /** ISO 3166-1 alpha-2; a country without prices of its own gets those of the US. */
  country: z
    .string()
    .regex(/^[A-Za-z]{2}$/, 'Must be a country code of two letters (ISO 3166-1 alpha-2)')
    .transform((code) => code.toUpperCase())
    .optional(),
})

export const Offerings = z.array(
  z.object({
    id: ulid,
    name: z.string(),
    plans: z.array(
      z.object({
        id: ulid,
        name: z.string(),
        /** In the smallest unit of the currency. */
        priceAmount: z.int().min(0),
        currency: z.enum(currencies),
        billingCycle: z.enum(['monthly', 'annual']),
        trialDays: z.int().min(0),
        region: z.enum(regionCodes),
      }),
    ),
  }),
)
export type Offerings = z.output<typeof Offerings>
