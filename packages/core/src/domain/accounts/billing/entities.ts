import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import {
  amountColumn,
  idColumn,
  instantColumn,
  microsColumn,
  refColumn,
} from '../../../platform/database/columns.ts'
import { ownedByTenant } from '../../../platform/database/scope.ts'
import type { BillingCycle, PlanName } from './plans/entities.ts'
import type { Currency, Region } from './plans/regions.ts'

export const subscriptionStatuses = ['pending', 'trialing', 'active', 'past_due', 'cancelled'] as const
export type SubscriptionStatus = (typeof subscriptionStatuses)[number]

/** The states of a subscription at its provider; of two that began in the same second the later one here counts. */
export const providerStates = ['pending', 'halted', 'activated', 'charged', 'completed', 'cancelled'] as const
export type ProviderState = (typeof providerStates)[number]
/** Those that nothing follows. */
export const finalStates: ReadonlySet<ProviderState> = new Set(['cancelled', 'completed'])

/** How usage is priced. */
export interface UsageTerms {
  /** What agents may spend in a whole period; null is everything. */
  includedMicros: number | null
  /** For each US dollar beyond that, in the smallest unit of the currency. */
  overageAmount: number
}

/** How it was priced until an instant, in ISO 8601. */
export interface EarlierTerms extends UsageTerms {
  until: string
}

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
    /** What agents may spend in a period before it is billed; null is everything. As the plan had it when this was opened. */
    includedMicros: microsColumn().strictNullable(),
    /** For each US dollar beyond that. */
    overageAmount: amountColumn().default(0),
    /** Of the plans that the period began with, oldest first; null where it had none but this. */
    earlierTerms: p.json().$type<EarlierTerms[]>().strictNullable(),
    /** When billing began. */
    startedAt: instantColumn().strictNullable(),
    /** When the period that is being worked in began. */
    periodStartsAt: instantColumn().strictNullable(),
    /** When that period ends, and the next is billed. */
    nextBillingAt: instantColumn().strictNullable(),
    /** It ends with its period. */
    cancelsAtPeriodEnd: p.boolean().default(false),
    cancelledAt: instantColumn().strictNullable(),
    /** Taken off the invoices to come: what is left of a dearer plan, for example. */
    creditAmount: amountColumn().default(0),
    /** Since when a payment is missing; null when none is. */
    pastDueSince: instantColumn().strictNullable(),
    /** The last day without that payment on which a reminder was sent; 0 is none. */
    remindedDay: p.integer().default(0),
    /** Name of the payment provider; null where a person sees to the payment. */
    provider: p.string().strictNullable(),
    providerOrderId: p.string().strictNullable(),
    providerSubscriptionId: p.string().strictNullable(),
    /** What the newest event of the provider said, and when it happened there. */
    providerState: p.string().$type<ProviderState>().strictNullable(),
    providerStateOn: instantColumn().strictNullable(),
    createdOn: instantColumn(),
    updatedOn: instantColumn(),
  },
  uniques: [
    { name: 'subscriptions_current', properties: ['tenantId'], where: "status <> 'cancelled'" },
    { name: 'subscriptions_provider', properties: ['providerSubscriptionId'] },
  ],
  indexes: [{ name: 'subscriptions_due', properties: ['nextBillingAt'], where: "status <> 'cancelled'" }],
  filters: ownedByTenant,
})
export type SubscriptionRow = InferEntity<typeof Subscription>
