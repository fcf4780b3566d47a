import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import { idColumn, instantColumn, microsColumn, refColumn } from '../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../platform/database/scope.ts'
import type { Currency, Region } from './regions.ts'

/** An amount in the smallest unit of its currency, such as cents. */
const amountColumn = () => p.bigint('number')

export const billingCycles = ['monthly', 'quarterly', 'annual'] as const
export type BillingCycle = (typeof billingCycles)[number]

export const planNames = ['free', 'starter', 'pro', 'agency', 'enterprise'] as const
export type PlanName = (typeof planNames)[number]

/** What tenants can subscribe to; its prices differ by region and cycle. */
export const Plan = defineEntity({
  name: 'Plan',
  tableName: 'plans',
  properties: {
    id: idColumn(),
    name: p.string().$type<PlanName>(),
    position: p.integer(),
    /** Days that a new tenant works before it pays; 0 is none. */
    trialDays: p.integer(),
    /** Monthly cap on what the agents of a tenant that registers by itself may spend; null is none. */
    spendCapMicros: microsColumn().strictNullable(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  uniques: [{ name: 'plans_name', properties: ['name'] }],
})

/** What a plan costs in a region for a cycle. A subscription keeps the price that it was opened at. */
export const PlanPrice = defineEntity({
  name: 'PlanPrice',
  tableName: 'plan_prices',
  properties: {
    id: idColumn(),
    planId: refColumn(),
    region: p.string().$type<Region>(),
    currency: p.string().length(3).$type<Currency>(),
    cycle: p.string().$type<BillingCycle>(),
    amount: amountColumn(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  uniques: [{ name: 'plan_prices_once', properties: ['planId', 'region', 'cycle'] }],
})

/** A code that makes a subscription cheaper: by a percentage, or by an amount in one currency. */
export const Coupon = defineEntity({
  name: 'Coupon',
  tableName: 'coupons',
  properties: {
    id: idColumn(),
    /** Upper case. */
    code: p.string(),
    percentOff: p.integer().strictNullable(),
    amountOff: amountColumn().strictNullable(),
    currency: p.string().length(3).$type<Currency>().strictNullable(),
    validFrom: instantColumn().strictNullable(),
    /** The first instant at which it is over. */
    validUntil: instantColumn().strictNullable(),
    maxRedemptions: p.integer().strictNullable(),
    redemptions: p.integer(),
    /** The plans that it is for; null is all that cost something. */
    plans: p.json().$type<PlanName[]>().strictNullable(),
    disabledAt: instantColumn().strictNullable(),
    createdOn: instantColumn(),
  },
  uniques: [{ name: 'coupons_code', properties: ['code'] }],
})

/** A tenant takes a coupon once. */
export const CouponRedemption = defineEntity({
  name: 'CouponRedemption',
  tableName: 'coupon_redemptions',
  properties: {
    id: idColumn(),
    couponId: refColumn(),
    tenantId: refColumn(),
    createdOn: instantColumn(),
  },
  uniques: [{ name: 'coupon_redemptions_once', properties: ['couponId', 'tenantId'] }],
  filters: ownedByTenant,
})

export const subscriptionStatuses = ['pending', 'trialing', 'active', 'past_due', 'cancelled'] as const
export type SubscriptionStatus = (typeof subscriptionStatuses)[number]

/** What a tenant has agreed to pay. Every one but a cancelled one is the tenant's current one. */
export const Subscription = defineEntity({
  name: 'Subscription',
  tableName: 'subscriptions',
  properties: {
    id: idColumn(),
    tenantId: refColumn(),
    plan: p.string().$type<PlanName>(),
    /** What people read: the plan's name, or that of a custom plan. */
    planLabel: p.string(),
    /** Null for a custom plan. */
    priceId: refColumn().strictNullable(),
    region: p.string().$type<Region>(),
    currency: p.string().length(3).$type<Currency>(),
    /** Of one cycle, before the discount. */
    priceAmount: amountColumn(),
    cycle: p.string().$type<BillingCycle>(),
    status: p.string().$type<SubscriptionStatus>(),
    couponId: refColumn().strictNullable(),
    /** 0 to 100; holds for every cycle, like `discountAmount`. */
    discountPercent: p.integer().strictNullable(),
    discountAmount: amountColumn().strictNullable(),
    trialEndsAt: instantColumn().strictNullable(),
    /** When billing began. */
    startedAt: instantColumn().strictNullable(),
    nextBillingAt: instantColumn().strictNullable(),
    cancelledAt: instantColumn().strictNullable(),
    /** Name of the payment provider; null where a person sees to the payment. */
    provider: p.string().strictNullable(),
    providerOrderId: p.string().strictNullable(),
    providerSubscriptionId: p.string().strictNullable(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  uniques: [
    { name: 'subscriptions_current', properties: ['tenantId'], where: "status <> 'cancelled'" },
    { name: 'subscriptions_provider', properties: ['providerSubscriptionId'] },
  ],
  filters: ownedByTenant,
})
export type SubscriptionRow = InferEntity<typeof Subscription>

export const invoiceStatuses = ['pending', 'paid', 'failed', 'refunded'] as const
export type InvoiceStatus = (typeof invoiceStatuses)[number]

/** A demand for payment. Its number is one of an unbroken sequence. */
export const Invoice = defineEntity({
  name: 'Invoice',
  tableName: 'invoices',
  properties: {
    id: idColumn(),
    number: p.string(),
    tenantId: refColumn(),
    subscriptionId: refColumn().strictNullable(),
    type: p.string().$type<'subscription'>(),
    plan: p.string(),
    status: p.string().$type<InvoiceStatus>(),
    /** After the discount, which stands beside it. */
    amount: amountColumn(),
    discount: amountColumn(),
    currency: p.string().length(3).$type<Currency>(),
    /** What the payment provider calls the payment. */
    paymentEntityId: p.string().strictNullable(),
    issuedOn: instantColumn(),
    dueDate: instantColumn(),
    paidOn: instantColumn().strictNullable(),
    updatedOn: instantColumn(),
  },
  uniques: [{ name: 'invoices_number', properties: ['number'] }],
  indexes: [{ name: 'invoices_by_tenant', properties: ['tenantId', 'id'] }],
  filters: ownedByTenant,
})
export type InvoiceRow = InferEntity<typeof Invoice>

/** The last number given out, by the name of its sequence. */
export const NumberSequence = defineEntity({
  name: 'NumberSequence',
  tableName: 'number_sequences',
  properties: { name: p.string().primary(), last: p.integer() },
})

export const companySizes = ['1-10', '11-50', '51-200', '201-500', '500+'] as const
export const businessTypes = ['agency', 'in_house', 'freelancer'] as const

/** What a tenant says about its company, and to whom its invoices go. */
export const TenantProfile = defineEntity({
  name: 'TenantProfile',
  tableName: 'tenant_profiles',
  properties: {
    tenantId: refColumn().primary(),
    legalName: p.string().strictNullable(),
    website: p.text().strictNullable(),
    industry: p.string().strictNullable(),
    companySize: p.string().$type<(typeof companySizes)[number]>().strictNullable(),
    businessType: p.string().$type<(typeof businessTypes)[number]>().strictNullable(),
    phone: p.string().strictNullable(),
    country: p.string().length(2).strictNullable(),
    /** Code of the state or province. */
    state: p.string().strictNullable(),
    /** Number for tax invoices. */
    gstin: p.string().strictNullable(),
    /** The tenant deducts tax at source from what it pays. */
    tdsDeduction: p.boolean(),
    billingName: p.string().strictNullable(),
    billingAddress: p.text().strictNullable(),
    billingCity: p.string().strictNullable(),
    billingState: p.string().strictNullable(),
    billingCountry: p.string().length(2).strictNullable(),
    billingPostal: p.string().strictNullable(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  filters: ownedByTenant,
})

export const billingEntities = [
  Coupon,
  CouponRedemption,
  Invoice,
  NumberSequence,
  Plan,
  PlanPrice,
  Subscription,
  TenantProfile,
]
