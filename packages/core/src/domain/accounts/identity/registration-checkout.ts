import type { Ctx, Transaction } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { transact } from '../../../kernel/transact.ts'
import type { CheckoutRequest, PaymentProvider } from '../billing/payments.ts'
import { discountOf, quoteCoupon } from '../billing/plans/coupons.ts'
import { choosePlan, type PlanChoice } from '../billing/plans/plans.ts'
import { regionOf } from '../billing/plans/regions.ts'
import { lockRegistration, requireFreeEmail } from './registration.ts'
import { Registration, type RegistrationAnswers, type RegistrationRow } from './registration-entity.ts'
import type { RegisterComplete } from './registration-schemas.ts'

/** How long one request keeps others from asking the payment provider about the same registration. */
const askingMs = 60_000

/** A registration at its last step has answered everything. */
export type Answers = Required<Omit<RegistrationAnswers, 'gstNumber'>> & { gstNumber?: string }

export type CheckoutIntent = Omit<CheckoutRequest, 'signal'> & { provider: PaymentProvider }

/**
 * Notes what the provider is about to be asked for, and keeps other requests from asking for the same registration.
 * @returns undefined when there is no provider, or nothing to pay
 */
export function intend(ctx: Ctx, input: RegisterComplete): Promise<CheckoutIntent | undefined> {
  const provider = ctx.services.payments
  if (!provider) return Promise.resolve(undefined)
  return transact(beforehand(ctx), async (txn) => {
    const registration = await lockRegistration(txn, txn.actor.id, 4)
    const { firstName, lastName, email, phone, country, companyName } = registration.answers as Answers
    const choice = await choiceFor(txn, registration, input)
    const { plan, cycle, region, currency, trialDays, priceId } = choice
    const discount = input.coupon === undefined ? undefined : await quoteCoupon(txn, input.coupon, choice)
    const amount =
      choice.amount -
      (discount ? discountOf({ priceAmount: choice.amount, currency: choice.currency, ...discount }) : 0)
    if (amount === 0) return undefined
    await requireFreeEmail(txn, email)
    const now = txn.clock.now()
    if (registration.checkoutUntil && registration.checkoutUntil.getTime() > now)
      throw conflict('This registration is being completed')
    const wanted = JSON.stringify({ priceId, amount, coupon: input.coupon })
    if (registration.checkoutFor !== wanted) registration.checkoutId = txn.newId()
    registration.checkoutFor = wanted
    registration.checkoutUntil = new Date(now + askingMs)
    return {
      provider,
      reference: registration.checkoutId as string,
      plan,
      cycle,
      region,
      currency,
      amount,
      trialDays,
      customer: { name: `${firstName} ${lastName}`, email, phone, country, company: companyName },
    }
  })
}

/** Lets the next request ask the provider at once. */
export async function cancelCheckout(ctx: Ctx, reference: string): Promise<void> {
  await transact(beforehand(ctx), async (txn) => {
    const registration = await txn.em.findOne(Registration, { id: txn.actor.id, checkoutId: reference })
    if (registration) registration.checkoutUntil = null
  })
}

/** An act that comes before the one that the request's idempotency key stands for. */
function beforehand(ctx: Ctx): Ctx {
  const { claim: _, ...trace } = ctx.trace
  return { ...ctx, trace }
}

/** The plan that a visitor chose, at what the own country pays. */
export function choiceFor(
  txn: Transaction,
  { answers }: RegistrationRow,
  { plan }: RegisterComplete,
): Promise<PlanChoice> {
  return choosePlan(txn, { name: plan, region: regionOf(answers.country) })
}

/** Someone was faster, or something has changed. */
export function conflict(message: string): DomainError {
  return new DomainError('CONFLICT', message, { details: { currentStep: 4 } })
}
