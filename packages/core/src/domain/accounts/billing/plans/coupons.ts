import { type InferEntity, LockMode } from '@mikro-orm/core'
import { checkInstant } from '../../../../kernel/check.ts'
import type { Ctx, Transaction } from '../../../../kernel/context.ts'
import { DomainError, invalid, notFound } from '../../../../kernel/errors.ts'
import { flushOnce, transact } from '../../../../kernel/transact.ts'
import { stepOf } from '../amounts.ts'
import { Coupon, CouponRedemption, type PlanName, planNames } from './entities.ts'
import { isAmount, type PlanChoice } from './plans.ts'
import { type Currency, currencies } from './regions.ts'

type CouponRow = InferEntity<typeof Coupon>

/**
 * Takes one redemption of a coupon for a tenant. The coupon is locked until the commit, so that the last redemption goes
 * to one tenant only, and comes back when the act is rolled back.
 * @throws DomainError `VALIDATION_ERROR` on `coupon`, with the reason
 */
export async function redeemCoupon(
  txn: Transaction,
  { code, tenantId, choice }: { code: string; tenantId: string; choice: PlanChoice },
): Promise<Discount & { couponId: string }> {
  const lockMode = LockMode.PESSIMISTIC_WRITE
  const coupon = await txn.em.findOne(Coupon, { code: spelled(code) }, { lockMode, refresh: true })
  if (!coupon) throw invalid('coupon', 'There is no such coupon')
  const fault = faultOf(coupon, choice, txn.clock.now())
  if (fault) throw invalid('coupon', fault)
  if (await txn.em.findOne(CouponRedemption, { couponId: coupon.id, tenantId }))
    throw invalid('coupon', 'This coupon was redeemed before')
  coupon.redemptions += 1
  txn.em.create(CouponRedemption, {
    id: txn.newId(),
    couponId: coupon.id,
    tenantId,
    createdOn: txn.clock.date(),
  })
  return { couponId: coupon.id, discountPercent: coupon.percentOff, discountAmount: coupon.amountOff }
}

/**
 * What a coupon would take off, without redeeming it.
 * @throws DomainError `VALIDATION_ERROR` on `coupon`, with the reason
 */
export async function quoteCoupon(txn: Transaction, code: string, choice: PlanChoice): Promise<Discount> {
  const coupon = await txn.em.findOne(Coupon, { code: spelled(code) })
  const fault = coupon ? faultOf(coupon, choice, txn.clock.now()) : 'There is no such coupon'
  if (!coupon || fault) throw invalid('coupon', fault ?? '')
  return { discountPercent: coupon.percentOff, discountAmount: coupon.amountOff }
}

const unusable: Record<Exclude<CouponSummary['status'], 'active'>, string> = {
  disabled: 'This coupon is no longer valid',
  scheduled: 'This coupon is not valid yet',
  expired: 'This coupon has expired',
  used_up: 'This coupon has been used up',
}

function faultOf(coupon: CouponRow, choice: PlanChoice, now: number): string | undefined {
  const status = statusOf(coupon, now)
  if (status !== 'active') return unusable[status]
  if (choice.amount === 0 || (coupon.plans && !coupon.plans.includes(choice.plan)))
    return `This coupon is not for the plan ${choice.label}`
  if (coupon.currency && coupon.currency !== choice.currency)
    return `This coupon is for prices in ${coupon.currency}, and this one is in ${choice.currency}`
  return undefined
}

export interface NewCoupon {
  /** 3 to 40 letters, digits, "-" or "_"; upper and lower case are the same. */
  code: string
  /** 1 to 100; either this or `amountOff` with `currency`. */
  percentOff?: number
  /** In the smallest unit of `currency`. */
  amountOff?: number
  currency?: string
  validFrom?: Date
  /** The first instant at which it is over. */
  validUntil?: Date
  maxRedemptions?: number
  /** Default: every plan that costs something. */
  plans?: string[]
}

export interface CouponSummary {
  id: string
  code: string
  percentOff: number | null
  amountOff: number | null
  currency: Currency | null
  validFrom: Date | null
  validUntil: Date | null
  maxRedemptions: number | null
  redemptions: number
  plans: PlanName[] | null
  status: 'active' | 'scheduled' | 'expired' | 'used_up' | 'disabled'
  createdOn: Date
}

/** @throws DomainError `VALIDATION_ERROR` with the field; `CONFLICT` when the code is taken */
export function createCoupon(ctx: Ctx, input: NewCoupon): Promise<CouponSummary> {
  const code = spelled(input.code)
  if (!/^[A-Z0-9_-]{3,40}$/.test(code))
    throw invalid('code', 'A code has 3 to 40 letters, digits, "-" or "_"')
  checkValue(input)
  const { validFrom = null, validUntil = null, maxRedemptions = null, plans = null } = input
  checkInstant('validFrom', validFrom)
  // The last day that it is valid on ends with this instant.
  checkInstant('validUntil', validUntil && new Date(validUntil.getTime() - 1))
  if (validUntil && validUntil.getTime() <= Math.max(ctx.clock.now(), validFrom?.getTime() ?? 0))
    throw invalid('validUntil', 'Must be in the future, and after validFrom')
  const most = 1_000_000_000
  const countable = Number.isInteger(maxRedemptions ?? 1) && (maxRedemptions ?? 1) > 0
  if (!countable || (maxRedemptions ?? 0) > most)
    throw invalid('maxRedemptions', `Must be a whole number from 1 to ${most}`)
  const unknown = plans?.find((plan) => !(planNames as readonly string[]).includes(plan))
  if (unknown !== undefined || plans?.length === 0)
    throw invalid('plans', `Choose one or more of: ${planNames.join(', ')}`)
  return transact(ctx, async (txn) => {
    const taken = new DomainError('CONFLICT', `There is a coupon ${code} already`, { field: 'code' })
    if (await txn.em.findOne(Coupon, { code })) throw taken
    const coupon = txn.em.create(Coupon, {
      id: txn.newId(),
      code,
      percentOff: input.percentOff ?? null,
      amountOff: input.amountOff ?? null,
      currency: (input.currency as Currency | undefined) ?? null,
      validFrom,
      validUntil,
      maxRedemptions,
      redemptions: 0,
      plans: plans as PlanName[] | null,
      disabledAt: null,
      createdOn: txn.clock.date(),
    })
    await flushOnce(txn, taken)
    audit(txn, coupon, 'coupon.create')
    return toSummary(coupon, txn.clock.now())
  })
}

/** All coupons, in the order of their creation. */
export function listCoupons(ctx: Ctx): Promise<CouponSummary[]> {
  return transact(ctx, async (txn) =>
    (await txn.em.find(Coupon, {}, { orderBy: { id: 'asc' } })).map((row) => toSummary(row, txn.clock.now())),
  )
}

/** Ends a coupon at once; what was discounted with it stays so. @throws DomainError `NOT_FOUND` */
export function disableCoupon(ctx: Ctx, code: string): Promise<CouponSummary> {
  return transact(ctx, async (txn) => {
    const lockMode = LockMode.PESSIMISTIC_WRITE
    const coupon = await txn.em.findOne(Coupon, { code: spelled(code) }, { lockMode })
    if (!coupon) throw notFound('coupon', { by: 'code' })
    if (!coupon.disabledAt) {
      coupon.disabledAt = txn.clock.date()
      audit(txn, coupon, 'coupon.disable')
    }
    return toSummary(coupon, txn.clock.now())
  })
}

function checkValue({ percentOff, amountOff, currency }: NewCoupon): void {
  if ((percentOff === undefined) === (amountOff === undefined))
    throw invalid('percentOff', 'A coupon takes off either a percentage or an amount')
  if (percentOff !== undefined && !(Number.isSafeInteger(percentOff) && percentOff >= 1 && percentOff <= 100))
    throw invalid('percentOff', 'Must be a whole number from 1 to 100')
  if (amountOff !== undefined && !(isAmount(amountOff) && amountOff > 0))
    throw invalid('amountOff', 'Must be a whole number of the smallest currency unit, above 0')
  const known = currency !== undefined && (currencies as readonly string[]).includes(currency)
  if (amountOff !== undefined ? !known : currency !== undefined)
    throw invalid('currency', `An amount, and only an amount, has one of: ${currencies.join(', ')}`)
}

/** In the one spelling that codes are kept in. */
function spelled(code: string): string {
  return code.trim().toUpperCase()
}

function audit(txn: Transaction, coupon: CouponRow, action: string): void {
  const { id, code, percentOff, amountOff, currency, maxRedemptions, disabledAt } = coupon
  const after = { code, percentOff, amountOff, currency, maxRedemptions, disabledAt }
  txn.audit({ tenantId: null, resourceType: 'coupon', resourceId: id, after, action })
}

function toSummary(coupon: CouponRow, now: number): CouponSummary {
  const { id, code, percentOff, amountOff, currency, plans, createdOn } = coupon
  const { validFrom, validUntil, maxRedemptions, redemptions } = coupon
  const value = { id, code, percentOff, amountOff, currency, plans, createdOn }
  return { ...value, validFrom, validUntil, maxRedemptions, redemptions, status: statusOf(coupon, now) }
}

function statusOf(coupon: CouponRow, now: number): CouponSummary['status'] {
  const { disabledAt, validFrom, validUntil, maxRedemptions, redemptions } = coupon
  if (disabledAt) return 'disabled'
  if (validUntil && validUntil.getTime() <= now) return 'expired'
  if (maxRedemptions !== null && redemptions >= maxRedemptions) return 'used_up'
  return validFrom && validFrom.getTime() > now ? 'scheduled' : 'active'
}

/** What is taken off a price: a percentage, an amount, or nothing. */
export interface Discount {
  /** 0 to 100. */
  discountPercent: number | null
  /** In the smallest unit of the price's currency. */
  discountAmount: number | null
}

/**
 * What a discount takes off a price, in whole units: half a unit, or step of the currency, counts for the customer, and nothing gets cheaper
 * than free. Exact for every price up to `maxAmount`.
 */
export function discountOf(price: { priceAmount: number; currency: string } & Discount): number {
  const { priceAmount, currency, discountPercent, discountAmount } = price
  const off =
    discountPercent === null ? (discountAmount ?? 0) : Math.floor((priceAmount * discountPercent + 50) / 100)
  const due = Math.max(0, priceAmount - off)
  return priceAmount - (due - (due % stepOf(currency)))
}
