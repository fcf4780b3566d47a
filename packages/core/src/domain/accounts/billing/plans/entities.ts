import { defineEntity, p } from '@mikro-orm/core'
import {
  amountColumn,
  idColumn,
  instantColumn,
  microsColumn,
  refColumn,
} from '../../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../../platform/database/scope.ts'
import type { Currency, Region } from './regions.ts'

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
    /** What agents may spend in a period before it is billed; null is everything: their spending is never billed. */
    includedMicros: microsColumn().strictNullable(),
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
    /** For each US dollar that agents spend beyond what the plan includes. */
    overageAmount: amountColumn().default(0),
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

export const planEntities = [Coupon, CouponRedemption, Plan, PlanPrice]
