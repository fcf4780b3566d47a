import { LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { invalid, notFound } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import { type BillingCycle, Plan, type PlanName, PlanPrice, planNames } from './billing-entities.ts'
import { type Currency, isRegion, type Region, regionCodes, regionOf, regions } from './regions.ts'
import type { Offerings } from './schemas.ts'

/** A plan with the price that was chosen: all that a subscription is opened with. */
export interface PlanChoice {
  /** What the tenant may use; a custom plan is an `enterprise` of its own. */
  plan: PlanName
  /** What people read. */
  label: string
  /** Null for a custom plan. */
  priceId: string | null
  region: Region
  currency: Currency
  /** Of one cycle, in the smallest unit of the currency. */
  amount: number
  cycle: BillingCycle
  trialDays: number
  /** For a tenant that registers by itself. */
  spendCapMicros: number | null
}

/** What can be subscribed to, with the prices that a country pays. Serves `GET /auth/v1/plans`. */
export function listOfferings(ctx: Ctx, country?: string): Promise<Offerings> {
  const region = regionOf(country)
  return transact(ctx, async (txn) => {
    const plans = await txn.em.find(Plan, {}, { orderBy: { position: 'asc' } })
    const prices = await txn.em.find(PlanPrice, { region }, { orderBy: { amount: 'asc', id: 'asc' } })
    return plans.map(({ id, name, trialDays }) => ({
      id,
      name,
      plans: prices
        .filter(({ planId, cycle }) => planId === id && cycle !== 'quarterly')
        .map((price) => ({
          id: price.id,
          name: `${name} ${price.cycle}`,
          priceAmount: price.amount,
          currency: price.currency,
          billingCycle: price.cycle as 'monthly' | 'annual',
          trialDays,
          region,
        })),
    }))
  })
}

/**
 * The plan of a name at what a region pays.
 * @throws DomainError `VALIDATION_ERROR` on `plan` when there is no such plan, or none for the region and cycle
 */
export async function choosePlan(
  txn: Transaction,
  { name, region, cycle = 'monthly' }: { name: string; region: Region; cycle?: BillingCycle },
): Promise<PlanChoice> {
  const plan = await txn.em.findOne(Plan, { name: name as PlanName })
  const price = plan && (await txn.em.findOne(PlanPrice, { planId: plan.id, region, cycle }))
  if (!plan || !price) throw invalid('plan', `There is no ${cycle} plan "${name}" in the region ${region}`)
  return choiceOf(plan, price)
}

/**
 * The plan of an id that `GET /auth/v1/plans` gives: that of a price, or that of an offering, which then is billed
 * monthly at what `region` pays.
 * @throws DomainError `VALIDATION_ERROR` on `planId`
 */
export async function choosePlanById(txn: Transaction, id: string, region: Region): Promise<PlanChoice> {
  const price = await txn.em.findOne(PlanPrice, { id })
  const plan = await txn.em.findOne(Plan, { id: price?.planId ?? id })
  if (!plan) throw invalid('planId', 'There is no such plan; GET /auth/v1/plans lists them')
  return price ? choiceOf(plan, price) : choosePlan(txn, { name: plan.name, region })
}

/** As the contract words a plan that is made for one tenant. */
export interface CustomPlan {
  customPlanName: string
  /** A region code of `GET /auth/v1/plans`. */
  customRegionId: string
  /** In the smallest unit of the region's currency. */
  customPrice: number
  customCycle: 'monthly' | 'quarterly' | 'yearly'
}

/** @throws DomainError `VALIDATION_ERROR` with the field at fault */
export function customPlan(custom: CustomPlan): PlanChoice {
  const label = custom.customPlanName.trim()
  if (label === '' || label.length > 100) throw invalid('customPlanName', 'A name has 1 to 100 characters')
  const { customRegionId: region, customCycle } = custom
  if (!isRegion(region)) throw invalid('customRegionId', `Choose one of: ${regionCodes.join(', ')}`)
  if (!isAmount(custom.customPrice))
    throw invalid('customPrice', 'A price is a whole number of the smallest currency unit, 0 or more')
  return {
    plan: 'enterprise',
    label,
    priceId: null,
    region,
    currency: regions[region].currency,
    amount: custom.customPrice,
    cycle: customCycle === 'yearly' ? 'annual' : customCycle,
    trialDays: 0,
    spendCapMicros: null,
  }
}

/** The most that anything may cost: multiplied by a percentage it still is an exact integer. */
export const maxAmount = 1_000_000_000_000

/** True for an amount that can be counted exactly. */
export function isAmount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0 && value <= maxAmount
}

/** What a plan costs somewhere, for listings. */
export interface PriceSummary {
  id: string
  plan: PlanName
  region: Region
  currency: Currency
  cycle: BillingCycle
  amount: number
  trialDays: number
}

/** Every price of every plan, in the order in which they are offered. */
export function listPrices(ctx: Ctx): Promise<PriceSummary[]> {
  return transact(ctx, async (txn) => {
    const plans = await txn.em.find(Plan, {}, { orderBy: { position: 'asc' } })
    const prices = await txn.em.find(PlanPrice, {}, { orderBy: { region: 'asc', amount: 'asc', id: 'asc' } })
    return plans.flatMap((plan) =>
      prices.filter(({ planId }) => planId === plan.id).map((price) => toSummary(plan, price)),
    )
  })
}

export interface PriceChange {
  plan: string
  region: string
  /** Default monthly. */
  cycle?: BillingCycle
  /** In the smallest unit of the region's currency. */
  amount?: number
  /** Of the plan, in every region. */
  trialDays?: number
}

/**
 * Sets what a plan costs from now on, and how long it is tried; subscriptions that are open keep their price.
 * @throws DomainError `VALIDATION_ERROR`; `NOT_FOUND` before the plans are set up
 */
export function setPrice(ctx: Ctx, change: PriceChange): Promise<PriceSummary> {
  const { plan: name, region, cycle = 'monthly', amount, trialDays } = change
  if (!(planNames as readonly string[]).includes(name))
    throw invalid('plan', `Choose one of: ${planNames.join(', ')}`)
  if (!isRegion(region)) throw invalid('region', `Choose one of: ${regionCodes.join(', ')}`)
  if (amount !== undefined && !isAmount(amount))
    throw invalid('amount', 'A price is a whole number of the smallest currency unit, 0 or more')
  if (trialDays !== undefined && !(Number.isSafeInteger(trialDays) && trialDays >= 0 && trialDays <= 365))
    throw invalid('trialDays', 'A trial lasts 0 to 365 days')
  return transact(ctx, async (txn) => {
    // Locked, so that two who set a first price meet here.
    const lockMode = LockMode.PESSIMISTIC_WRITE
    const plan = await txn.em.findOne(Plan, { name: name as PlanName }, { lockMode })
    if (!plan) throw notFound('plan', { by: 'name' })
    const now = txn.clock.date()
    const found = await txn.em.findOne(PlanPrice, { planId: plan.id, region, cycle })
    if (!found && amount === undefined) throw invalid('cycle', `The plan ${name} has no ${cycle} price there`)
    const before = found && { amount: found.amount, trialDays: plan.trialDays }
    const price =
      found ??
      txn.em.create(PlanPrice, {
        id: txn.newId(),
        planId: plan.id,
        region,
        currency: regions[region].currency,
        cycle,
        amount: 0,
        createdOn: now,
        updatedOn: now,
      })
    price.amount = amount ?? price.amount
    price.updatedOn = now
    plan.trialDays = trialDays ?? plan.trialDays
    plan.updatedOn = now
    txn.audit({
      tenantId: null,
      resourceType: 'plan',
      resourceId: plan.id,
      before,
      after: { region, cycle, amount: price.amount, trialDays: plan.trialDays },
      action: 'plan.change',
    })
    return toSummary(plan, price)
  })
}

type PlanRow = { name: PlanName; trialDays: number; spendCapMicros: number | null }
type PriceRow = { id: string; region: Region; currency: Currency; amount: number; cycle: BillingCycle }

function choiceOf({ name, trialDays, spendCapMicros }: PlanRow, price: PriceRow): PlanChoice {
  const { id, region, currency, amount, cycle } = price
  return { plan: name, label: name, priceId: id, region, currency, amount, cycle, trialDays, spendCapMicros }
}

function toSummary({ name, trialDays }: PlanRow, price: PriceRow): PriceSummary {
  const { id, region, currency, amount, cycle } = price
  return { id, plan: name, region, currency, cycle, amount, trialDays }
}
