import { UniqueConstraintViolationException } from '@mikro-orm/core'
import type { Ctx, Principal, Transaction } from '../../../kernel/context.ts'
import { transact } from '../../../kernel/transact.ts'
import { createInvoice } from '../billing/invoices/invoices.ts'
import { type Checkout, openCheckout } from '../billing/payments.ts'
import { discountOf } from '../billing/plans/coupons.ts'
import { activateSubscription, openSubscription } from '../billing/subscriptions.ts'
import { startTrial } from '../billing/trials.ts'
import { Tenant } from '../tenants/entities.ts'
import { countFreeTenant } from '../tenants/free-tenants.ts'
import { type CompanyProfile, saveProfile } from '../tenants/profiles.ts'
import { openTenant } from '../tenants/tenants.ts'
import { addUser } from './add-user.ts'
import { askForProof } from './mail.ts'
import { lockRegistration, requireOpenRegistration } from './registration.ts'
import { type Answers, cancelCheckout, choiceFor, conflict, intend } from './registration-checkout.ts'
import type { CompleteReply, RegisterComplete } from './registration-schemas.ts'
import { openSession } from './sessions.ts'

interface Asked extends Checkout {
  provider: string
  reference: string
  /** What the provider will take for a cycle. */
  amount: number
}

/**
 * Makes a tenant out of a registration: tenant, agents, admin, subscription, first invoice and session at once, or nothing
 * of it. Where a provider takes the payments it is asked before, so that a provider that fails leaves a registration
 * that can be completed again. Serves `POST /auth/v1/register/complete`.
 * @throws DomainError `CONFLICT` when a step is missing, it is complete, or the e-mail has an account meanwhile;
 *   `VALIDATION_ERROR` on `plan` or `coupon`; `UNPROCESSABLE` when the payment provider fails; `RATE_LIMITED` when today's free
 *   tenants are taken; `FORBIDDEN` where registration is closed
 */
export async function completeRegistration(ctx: Ctx, input: RegisterComplete): Promise<CompleteReply> {
  requireOpenRegistration(ctx)
  const intent = await intend(ctx, input)
  if (!intent) return settle(ctx, input)
  try {
    const { provider, ...request } = intent
    const checkout = await openCheckout(ctx, provider, request)
    return await settle(ctx, input, { ...request, ...checkout, provider: provider.name })
  } catch (error) {
    await cancelCheckout(ctx, intent.reference).catch((fault: unknown) =>
      ctx.log.warn('a checkout is asked for again in a minute only', { error: fault }),
    )
    throw error
  }
}

/** Does all of it in one transaction. */
async function settle(ctx: Ctx, input: RegisterComplete, asked?: Asked): Promise<CompleteReply> {
  for (let attempt = 1; ; attempt += 1) {
    const userId = ctx.newId()
    const actor: Principal = { id: userId, type: 'human', role: 'admin', appAccess: ['dashboard'] }
    try {
      return await transact({ ...ctx, scope: 'all', actor }, (txn) =>
        create(txn, { registrationId: ctx.actor.id, userId, input, asked }),
      )
    } catch (error) {
      // Another tenant took the domain in the same moment: the next try sees that it is gone.
      if (attempt === 3 || !(error instanceof UniqueConstraintViolationException)) throw error
    }
  }
}

interface Given {
  registrationId: string
  userId: string
  input: RegisterComplete
  asked: Asked | undefined
}

async function create(txn: Transaction, given: Given): Promise<CompleteReply> {
  const { input, asked } = given
  const registration = await lockRegistration(txn, given.registrationId, 4)
  const answers = registration.answers as Answers
  const choice = await choiceFor(txn, registration, input)
  const tenant = await openTenant(txn, {
    name: answers.companyName,
    plan: choice.plan,
    timezone: answers.timezone,
    domain: await freeDomain(txn, answers.website),
    status: 'onboarding',
    spendCapMicros: choice.spendCapMicros,
    registered: true,
  })
  await saveProfile(txn, tenant.id, profileOf(answers))
  const user = await addUser(txn, {
    id: given.userId,
    email: answers.email,
    name: `${answers.firstName} ${answers.lastName}`,
    passwordHash: registration.passwordHash as string,
    role: 'admin',
    tenantId: tenant.id,
    mailboxProof: 'none',
    phone: answers.phone,
    country: answers.country,
  })
  askForProof(txn, user)
  const subscription = await openSubscription(txn, {
    tenantId: tenant.id,
    choice,
    ...(input.coupon !== undefined && { coupon: input.coupon }),
    ...(asked && { id: asked.reference, provider: orderOf(asked) }),
  })
  const due = subscription.priceAmount - discountOf(subscription)
  if (asked && asked.amount !== due) throw conflict('The price has changed; try again')
  const isGift = due === 0 && choice.amount > 0
  const isOnTrial = choice.trialDays > 0 && !isGift
  if (isOnTrial || (due === 0 && !isGift)) await countFreeTenant(txn)
  if (isOnTrial) await startTrial(txn, subscription, choice.trialDays)
  else if (due === 0) {
    await activateSubscription(txn, tenant.id)
    tenant.status = 'active'
  }
  if (due > 0) await createInvoice(txn, subscription)
  const { accessToken, refreshToken } = await openSession(txn, user)
  user.lastLoginAt = txn.clock.date()
  registration.step = 4
  registration.passwordHash = null
  registration.updatedOn = txn.clock.date()
  txn.audit({
    tenantId: tenant.id,
    resourceType: 'registration',
    resourceId: registration.id,
    after: { plan: choice.plan, coupon: input.coupon ?? null, status: tenant.status },
  })
  return {
    tenantId: tenant.id,
    userId: user.id,
    plan: input.plan,
    accessToken,
    refreshToken,
    ...(asked && {
      paymentOrderId: asked.orderId,
      paymentSubscriptionId: asked.subscriptionId,
      paymentKeyId: asked.keyId,
    }),
  }
}

function orderOf({ provider: name, orderId, orderRecord = orderId, subscriptionId }: Asked) {
  return { name, orderId: orderRecord, subscriptionId }
}

/** The domain of a website, unless another tenant has it: no one proves one here, so no one is refused for it. */
async function freeDomain(txn: Transaction, website: string): Promise<string | null> {
  const domain = new URL(website).hostname.replace(/^www\./, '')
  return (await txn.em.findOne(Tenant, { domain }, { fields: ['id'] })) ? null : domain
}

function profileOf(answers: Answers): CompanyProfile {
  const { companyName, website, industry, companySize, businessType, phone, country, state } = answers
  const gstin = answers.gstNumber ?? null
  return {
    legalName: companyName,
    website,
    industry,
    companySize,
    businessType,
    phone,
    country,
    state,
    gstin,
  }
}
