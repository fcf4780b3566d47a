import { type InferEntity, LockMode } from '@mikro-orm/core'
import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { invalid, notFound } from '../../../../kernel/errors.ts'
import { transact } from '../../../../kernel/transact.ts'
import { stepOf } from '../amounts.ts'
import type { Offerings } from '../schemas.ts'
import { type BillingCycle, Plan, type PlanName, PlanPrice, planNames } from './entities.ts'
import { type Currency, isRegion, type Region, regionCodes, regionOf, regions } from './regions.ts'

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
  /** What agents may spend in a period before it is billed; null is everything. */
  includedMicros: number | null
  /** For each US dollar beyond that, in the smallest unit of the currency. */
  overageAmount: number
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
  requirePrice('customPrice', custom.customPrice, region)
  return {
    plan: 'enterprise',
    label,
    priceId: null,
    region,
    currency: regions[region].currency,
    amount: custom.customPrice,
    cycle: customCycle === 'yearly' ? 'annual' : customCycle,
    trialDays: 0,
    includedMicros: null,
    overageAmount: 0,
    spendCapMicros: null,
  }
}

/** The most that anything may cost: multiplied by a percentage it still is an exact integer. */
export const maxAmount = 1_000_000_000_000

/** True for an amount that can be counted exactly. */
export function isAmount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0 && value <= maxAmount
}

function requirePrice(field: string, amount: number, region: Region): void {
  if (!isAmount(amount))
    throw invalid(field, 'A price is a whole number of the smallest currency unit, 0 or more')
  const { currency } = regions[region]
  const step = stepOf(currency)
  if (amount % step !== 0) throw invalid(field, `A price in ${currency} is a multiple of ${step}`)
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
  /** Micro-dollars; null is everything. */
  includedMicros: number | null
  overageAmount: number
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
  /** Of the plan, in every region: micro-dollars that agents may spend in a period before it is billed; null is everything. */
  includedMicros?: number | null
  /** For each US dollar beyond that, in the smallest unit of the region's currency. */
  overageAmount?: number
}

/**
 * Sets what a plan costs from now on, and how long it is tried; subscriptions that are open keep their price.
 * @throws DomainError `VALIDATION_ERROR`; `NOT_FOUND` before the plans are set up
 */
export function setPrice(ctx: Ctx, change: PriceChange): Promise<PriceSummary> {
  const { plan: name, region, cycle = 'monthly', amount, trialDays, includedMicros, overageAmount } = change
  if (!(planNames as readonly string[]).includes(name))
    throw invalid('plan', `Choose one of: ${planNames.join(', ')}`)
  if (!isRegion(region)) throw invalid('region', `Choose one of: ${regionCodes.join(', ')}`)
  if (amount !== undefined) requirePrice('amount', amount, region)
  if (trialDays !== undefined && !(Number.isSafeInteger(trialDays) && trialDays >= 0 && trialDays <= 365))
    throw invalid('trialDays', 'A trial lasts 0 to 365 days')
  if (overageAmount !== undefined && !isAmount(overageAmount))
    throw invalid('overageAmount', 'A price is a whole number of the smallest currency unit, 0 or more')
  if (typeof includedMicros === 'number' && !isAmount(includedMicros))
    throw invalid('includedMicros', 'Must be a whole number of micro-dollars, 0 or more')
  return transact(ctx, async (txn) => {
    // Locked, so that two who set a first price meet here.
    const lockMode = LockMode.PESSIMISTIC_WRITE
    const plan = await txn.em.findOne(Plan, { name: name as PlanName }, { lockMode })
    if (!plan) throw notFound('plan', { by: 'name' })
    const now = txn.clock.date()
    const found = await txn.em.findOne(PlanPrice, { planId: plan.id, region, cycle })
    if (!found && amount === undefined) throw invalid('cycle', `The plan ${name} has no ${cycle} price there`)
    const before = found && auditedPrice(plan, found)
    const price =
      found ??
      txn.em.create(PlanPrice, {
        id: txn.newId(),
        planId: plan.id,
        region,
        currency: regions[region].currency,
        cycle,
        amount: 0,
        overageAmount: 0,
        createdOn: now,
        updatedOn: now,
      })
    price.amount = amount ?? price.amount
    price.overageAmount = overageAmount ?? price.overageAmount
    price.updatedOn = now
    plan.trialDays = trialDays ?? plan.trialDays
    if (includedMicros !== undefined) plan.includedMicros = includedMicros
    plan.updatedOn = now
    txn.audit({
      tenantId: null,
      resourceType: 'plan',
      resourceId: plan.id,
      before,
      after: { region, cycle, ...auditedPrice(plan, price) },
      action: 'plan.change',
    })
    return toSummary(plan, price)
  })
}

type PlanRow = Pick<InferEntity<typeof Plan>, 'name' | 'trialDays' | 'includedMicros' | 'spendCapMicros'>
type PriceRow = Pick<
  InferEntity<typeof PlanPrice>,
  'id' | 'region' | 'currency' | 'amount' | 'overageAmount' | 'cycle'
>

function choiceOf(plan: PlanRow, price: PriceRow): PlanChoice {
  const { name, trialDays, includedMicros, spendCapMicros } = plan
  const { id, region, currency, amount, overageAmount, cycle } = price
  const priced = { priceId: id, region, currency, amount, overageAmount, cycle }
  return { plan: name, label: name, ...priced, trialDays, includedMicros, spendCapMicros }
}

function auditedPrice({ trialDays, includedMicros }: PlanRow, { amount, overageAmount }: PriceRow) {
  return { amount, trialDays, includedMicros, overageAmount }
}

function toSummary({ name, trialDays, includedMicros }: PlanRow, price: PriceRow): PriceSummary {
  const { id, region, currency, amount, overageAmount, cycle } = price
  return { id, plan: name, region, currency, cycle, amount, trialDays, includedMicros, overageAmount }
}
